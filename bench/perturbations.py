"""Measure each perturbation on ten seconds of speech-like sound at 16 kHz, relative to its duration."""

from __future__ import annotations

import sys

import numpy as np
from measure import measure_best

from auricle.media.perturbations.base import Sound, make_generator
from auricle.media.perturbations.catalogue import parse_chain

RATE, SECONDS, ROUNDS = 16_000, 10, 7
TARGET = 50
"""Milliseconds of processor time; encoders take what they take."""
STEPS = (
    *(f"noise:snr=10,kind={kind}" for kind in ("white", "pink", "brown", "speech", "babble", "music")),
    *("noise:snr=10,folder=noises", "talker:snr=5", "reverb:t60=0.3", "reverb:t60=0.9"),
    *("codec:g711-mu", "codec:g722", "codec:g723", "codec:g726", "codec:adpcm", "codec:amr-nb@4.75k"),
    *("codec:opus@6k", "codec:opus@24k", "codec:mp3@16k", "codec:aac@24k"),
    *("loss:rate=0.1,burst=3", "loss:rate=0.1,burst=3,fill=repeat", "band:telephone", "resample:rate=8000"),
    *("gain:db=-20", "clip:share=0.05", "quantise:bits=8", "speed:factor=1.25", "tempo:factor=1.25"),
    *("pitch:semitones=4", "pad:before=2", "pause:seconds=2", "truncate:share=0.5"),
    *("replace:silence", "replace:noise", "replace:other", "shuffle:piece=0.5", "mask:1-2/3-4", "mask:1-2,fill=noise"),
)


def make_speech(seed: int) -> Sound:
    """Return noise whose level changes like that of syllables, with pauses."""
    random = np.random.default_rng(seed)
    times = np.arange(RATE * SECONDS) / RATE
    envelope = np.sin(np.pi * (times / 0.2 % 1)) ** 2 * ((times / 0.2).astype(int) % 5 != 4)
    return Sound((0.1 * envelope * random.standard_normal(len(times))).astype(np.float32), RATE)


def main() -> int:
    speech, *others = (make_speech(seed) for seed in range(7))
    works = {}
    for text in STEPS:
        (step,) = parse_chain(text).steps
        works[text] = lambda step=step: step.apply(
            speech, make_generator("0|a", step.seed_name), others[: step.needed_sounds]
        )
    for work in works.values():  # imports, and delays that are measured once
        work()
    costs = measure_best(works, ROUNDS)
    missed = False
    for text, cost in costs.items():
        is_slow = cost.cpu * 1000 > TARGET and not text.startswith("codec")
        missed |= is_slow
        share = f"{cost.cpu / SECONDS:8.3%} of the duration"
        print(f"{text:<36}{cost.cpu * 1000:8.1f} ms{share}{'  MISSED' if is_slow else ''}")
    print(f"Target: less than {TARGET} ms of processor time for {SECONDS} s, except codecs.")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
