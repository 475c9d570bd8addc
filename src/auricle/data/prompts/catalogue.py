"""The built-in few-shot retrievers and encoders, with one-line descriptions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from auricle.core.features import Builtin
from auricle.core.registry import Registry

_RETRIEVERS: Mapping[str, Builtin] = {
    name: Builtin(f"auricle.data.prompts.retrievers:{target}", description)
    for name, target, description in (
        ("zero", "ZeroRetriever", "no examples"),
        ("first", "FirstRetriever", "the first rows of the pool"),
        ("random", "RandomRetriever", "random rows, from the seed and the sample's id"),
        ("fixed", "FixedRetriever", "the same rows for every sample, by id"),
        ("balanced", "BalancedRetriever", "random rows, equally many per label"),
        ("sliding", "SlidingRetriever", "the rows just before the sample's own"),
        ("bm25", "Bm25Retriever", "the rows with the most words in common (BM25)"),
        ("dense", "DenseRetriever", "the nearest rows by an audio or text encoder"),
        ("diverse", "DiverseRetriever", "rows near to the sample but different from each other"),
    )
}

_ENCODERS: Mapping[str, Builtin] = {
    name: Builtin(f"auricle.data.prompts.retrievers:{target}", description)
    for name, target, description in (
        ("logmel", "logmel", "log-mel statistics of the audio; no model"),
        ("text", "TextEncoder", "text:MODEL, mean over the tokens; local weights"),
        ("audio", "AudioEncoder", "audio:MODEL, mean over time; local weights"),
    )
}

RETRIEVERS: Registry[Any] = Registry("retriever", _RETRIEVERS)
ENCODERS: Registry[Any] = Registry("encoder", _ENCODERS)
