"""Bundled speech and calls, for a first evaluation without data."""

from auricle.core.features import Feature

FEATURE = Feature(
    __name__,
    "bundled speech and calls, for a first evaluation without data",
    tasks={
        "demo": ("kinds:demo", "48 synthetic sentences, clean and in noise"),
        "demo-voice": ("kinds:demo_voice", "seven calls to a voice agent, with recorded speech"),
    },
    commands={
        "demo": ("commands:demo", "Evaluate two small speech recognisers on bundled synthetic speech.", "Evaluate"),
        "init": ("commands:init", "Write a folder with data, a config and a README, to evaluate a model.", "Evaluate"),
    },
)
