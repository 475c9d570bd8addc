"""The conditions of `auricle audiogram`: seven families of five levels each, and a quick set of three by three."""

from __future__ import annotations

STANDARD_CONDITIONS = (
    "noise:snr=20,10,5,0,-5",
    "noise:kind=speech,snr=20,10,5,0,-5",
    "reverb:t60=0.2,0.4,0.8,1.2,2",
    "band:high=4000,3000,2000,1500,1000",
    "codec:opus@24k,opus@16k,opus@12k,opus@8k,opus@6k",
    "loss:rate=0.02,0.05,0.1,0.2,0.3",
    "tempo:factor=1.2,1.4,1.6,1.8,2",
)
"""White and speech-shaped noise, reverberation, low-pass filters, Opus, packet loss and fast speech. None of them needs
recordings of other speakers."""
QUICK_CONDITIONS = ("noise:snr=20,10,0", "reverb:t60=0.3,0.6,1.2", "codec:opus@24k,opus@12k,opus@6k")
