"""The built-in few-shot retrievers and encoders, with one-line descriptions."""

from __future__ import annotations

from typing import Any

from auricle.core.registry import Builtin, Registry


def _builtin(target: str, description: str) -> Builtin:
    return Builtin(f"auricle.prompts.retrievers.{target}", description)


RETRIEVERS: Registry[Any] = Registry(
    "retriever",
    {
        "zero": _builtin("basic:ZeroRetriever", "no examples"),
        "first": _builtin("basic:FirstRetriever", "the first rows of the pool"),
        "random": _builtin("basic:RandomRetriever", "random rows, from the seed and the sample's id"),
        "fixed": _builtin("basic:FixedRetriever", "the same rows for every sample, by id"),
        "balanced": _builtin("basic:BalancedRetriever", "random rows, equally many per label"),
        "sliding": _builtin("basic:SlidingRetriever", "the rows just before the sample's own"),
        "bm25": _builtin("bm25:Bm25Retriever", "the rows with the most words in common (BM25)"),
        "dense": _builtin("dense:DenseRetriever", "the nearest rows by an audio or text encoder"),
        "diverse": _builtin("dense:DiverseRetriever", "rows near to the sample but different from each other"),
    },
)
ENCODERS: Registry[Any] = Registry(
    "encoder",
    {
        "logmel": _builtin("encoders:logmel", "log-mel statistics of the audio; no model"),
        "text": _builtin("encoders:TextEncoder", "text:MODEL, mean over the tokens; local weights"),
        "audio": _builtin("encoders:AudioEncoder", "audio:MODEL, mean over time; local weights"),
    },
)
