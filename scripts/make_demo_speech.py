"""Generate the synthetic speech that ships with the package.

Needs Python packages `numpy`, `soundfile` (libsndfile 1.2 or later, for Opus), `soxr` and
`hibari-tts` 0.2.1, and the command `flite` 2.2 on the PATH (Debian package `flite`).

    python scripts/make_demo_speech.py [output folder]

Sentences, voices and seeds are fixed, so a second run gives the same samples before encoding.
Opus files may still differ in bytes, since every Ogg stream gets a random serial number.
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import soundfile
import soxr

SAMPLE_RATE = 16_000
SPEECH_LEVEL = 0.05  # RMS of the active part; leaves headroom for noise as strong as the speech
PADDING_SECONDS = 0.3
FRAME_SECONDS = 0.02
ACTIVE_RANGE_DB = 40.0
COMPRESSION_LEVEL = 0.85
NOISE_SEED = 20_240
SPECTRUM_WINDOW = 512
DEFAULT_FOLDER = Path(__file__).parents[1] / "src" / "auricle" / "tasks" / "demo" / "demo_speech"

CONDITIONS: dict[str, int | None] = {"clean": None, "noise-15db": 15, "noise-5db": 5}

SENTENCES = (
    ("heart", "Two goats wandered off and nibbled the hydrangeas by the gate."),
    ("slt", "Margaret carried three heavy boxes up to the attic."),
    ("rms", "Our bus crawled past the quarry and over the narrow stone bridge."),
    ("awb", "Daniel sketched the ruined mill with a stub of charcoal."),
    ("heart", "Wind rattled the shutters while the children built a blanket fort."),
    ("slt", "The plumber tightened a leaky valve underneath the bathroom sink."),
    ("rms", "The librarian stamped seven novels and wished me a pleasant weekend."),
    ("awb", "I swapped my muddy boots for slippers before coming inside."),
    ("heart", "Fog swallowed the island until the ferry sounded its horn."),
    ("slt", "She mailed the parcel on Tuesday, yet it never arrived."),
    ("rms", "My cousin brews ginger tea whenever someone catches a cold."),
    ("awb", "The tailor measured his sleeves and pinned the loose cuffs."),
    ("heart", "Rosa hung forty paper lanterns above the crowded courtyard."),
    ("slt", "They hauled the canoe ashore and pitched a tent among the pines."),
    ("rms", "A kettle whistled somewhere behind the faded velvet curtain."),
    ("awb", "Fold the napkins neatly and polish the tarnished spoons."),
)


@dataclass(frozen=True)
class Voice:
    name: str
    speak: Callable[[str], np.ndarray]


@dataclass(frozen=True)
class Clip:
    sentence_id: str
    text: str
    speaker: str
    samples: np.ndarray


@cache
def hibari_engine():
    from hibari import Hibari

    return Hibari(voice="heart")


def speak_with_hibari(text: str) -> np.ndarray:
    return soxr.resample(hibari_engine()(text, seed=0), 24_000, SAMPLE_RATE)


def speak_with_flite(voice: str, text: str) -> np.ndarray:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "speech.wav"
        subprocess.run(["flite", "-voice", voice, "-t", text, "-o", str(path)], check=True)
        samples, rate = soundfile.read(path, dtype="float32")
    return soxr.resample(samples, rate, SAMPLE_RATE)


def flite_voice(voice: str) -> Voice:
    return Voice(f"flite/{voice}", lambda text: speak_with_flite(voice, text))


VOICES = {
    "heart": Voice("hibari/heart", speak_with_hibari),
    "slt": flite_voice("slt"),
    "rms": flite_voice("rms"),
    "awb": flite_voice("awb"),
}


def active_mask(samples: np.ndarray) -> np.ndarray:
    """Mark the samples in frames at most ACTIVE_RANGE_DB below the loudest frame."""
    frame = int(FRAME_SECONDS * SAMPLE_RATE)
    frames = samples[: len(samples) // frame * frame].reshape(-1, frame)
    power = np.mean(frames**2, axis=1)
    active = power > power.max() * 10 ** (-ACTIVE_RANGE_DB / 10)
    mask = np.repeat(active, frame)
    return np.pad(mask, (0, len(samples) - len(mask)))


def active_level(samples: np.ndarray, mask: np.ndarray) -> float:
    return float(np.sqrt(np.mean(samples[mask] ** 2)))


def trim_and_pad(samples: np.ndarray) -> np.ndarray:
    positions = np.flatnonzero(active_mask(samples))
    speech = samples[positions[0] : positions[-1] + 1]
    return np.pad(speech, int(PADDING_SECONDS * SAMPLE_RATE))


def make_clean_clip(number: int, speaker: str, text: str) -> Clip:
    samples = trim_and_pad(np.asarray(VOICES[speaker].speak(text), dtype=np.float64))
    samples *= SPEECH_LEVEL / active_level(samples, active_mask(samples))
    return Clip(f"s{number:02d}", text, speaker, samples)


def average_spectrum(clips: list[Clip]) -> np.ndarray:
    """Return the mean power spectrum of the speech-active frames of all clips."""
    window = np.hanning(SPECTRUM_WINDOW)
    speech = np.concatenate([clip.samples[active_mask(clip.samples)] for clip in clips])
    frames = speech[: len(speech) // SPECTRUM_WINDOW * SPECTRUM_WINDOW]
    spectra = np.fft.rfft(frames.reshape(-1, SPECTRUM_WINDOW) * window, axis=1)
    return np.mean(np.abs(spectra) ** 2, axis=0)


def speech_shaped_noise(length: int, spectrum: np.ndarray, seed: int) -> np.ndarray:
    """Return white noise filtered to the long-term spectrum of the speech."""
    white = np.fft.rfft(np.random.default_rng(seed).standard_normal(length))
    grid = np.linspace(0.0, 1.0, len(spectrum))
    gain = np.sqrt(np.interp(np.linspace(0.0, 1.0, len(white)), grid, spectrum))
    return np.fft.irfft(white * gain, n=length)


def mix(speech: np.ndarray, noise: np.ndarray, snr_db: float) -> np.ndarray:
    """Add noise at a signal-to-noise ratio measured over the speech-active part."""
    mask = active_mask(speech)
    noise_level = active_level(speech, mask) * 10 ** (-snr_db / 20)
    return speech + noise * (noise_level / active_level(noise, mask))


def write_opus(path: Path, samples: np.ndarray) -> None:
    if np.abs(samples).max() >= 1.0:
        raise ValueError(f"{path.name} would clip: lower SPEECH_LEVEL")
    with soundfile.SoundFile(
        path, "w", samplerate=SAMPLE_RATE, channels=1, format="OGG", subtype="OPUS", compression_level=COMPRESSION_LEVEL
    ) as file:
        file.write(samples)


def manifest_row(clip: Clip, subset: str, snr_db: int | None) -> dict[str, object]:
    identifier = f"{clip.sentence_id}-{subset}"
    return {
        "id": identifier,
        "audio": f"{identifier}.opus",
        "text": clip.text,
        "subset": subset,
        "speaker": clip.speaker,
        "voice": VOICES[clip.speaker].name,
        "snr_db": snr_db,
    }


def write_conditions(folder: Path, clip: Clip, noise: np.ndarray) -> list[dict[str, object]]:
    rows = []
    for subset, snr_db in CONDITIONS.items():
        row = manifest_row(clip, subset, snr_db)
        samples = clip.samples if snr_db is None else mix(clip.samples, noise, snr_db)
        write_opus(folder / str(row["audio"]), samples)
        rows.append(row)
    return rows


def make_set(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    clips = [make_clean_clip(number, *row) for number, row in enumerate(SENTENCES, start=1)]
    spectrum = average_spectrum(clips)
    rows = []
    for offset, clip in enumerate(clips):
        noise = speech_shaped_noise(len(clip.samples), spectrum, NOISE_SEED + offset)
        rows += write_conditions(folder, clip, noise)
    lines = [json.dumps(row, ensure_ascii=False) + "\n" for row in rows]
    (folder / "manifest.jsonl").write_text("".join(lines), encoding="utf-8")
    print(f"{len(rows)} clips in {folder}")


if __name__ == "__main__":
    make_set(Path(sys.argv[1]) if len(sys.argv) > 1 else DEFAULT_FOLDER)
