"""The built-in few-shot retrievers and encoders, with one-line descriptions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from auricle.core.registry import Builtin, Registry

_RETRIEVERS: Mapping[str, Builtin] = {
    "zero": Builtin("auricle.prompts.retrievers.rule_based:ZeroRetriever", "no examples"),
    "first": Builtin("auricle.prompts.retrievers.rule_based:FirstRetriever", "the first rows of the pool"),
    "random": Builtin(
        "auricle.prompts.retrievers.rule_based:RandomRetriever", "random rows, from the seed and the sample's id"
    ),
    "fixed": Builtin("auricle.prompts.retrievers.rule_based:FixedRetriever", "the same rows for every sample, by id"),
    "balanced": Builtin(
        "auricle.prompts.retrievers.rule_based:BalancedRetriever", "random rows, equally many per label"
    ),
    "sliding": Builtin(
        "auricle.prompts.retrievers.rule_based:SlidingRetriever", "the rows just before the sample's own"
    ),
    "bm25": Builtin("auricle.prompts.retrievers.bm25:Bm25Retriever", "the rows with the most words in common (BM25)"),
    "dense": Builtin("auricle.prompts.retrievers.dense:DenseRetriever", "the nearest rows by an audio or text encoder"),
    "diverse": Builtin(
        "auricle.prompts.retrievers.dense:DiverseRetriever", "rows near to the sample but different from each other"
    ),
}

_ENCODERS: Mapping[str, Builtin] = {
    "logmel": Builtin("auricle.prompts.retrievers.encoders:logmel", "log-mel statistics of the audio; no model"),
    "text": Builtin(
        "auricle.prompts.retrievers.encoders:TextEncoder", "text:MODEL, mean over the tokens; local weights"
    ),
    "audio": Builtin("auricle.prompts.retrievers.encoders:AudioEncoder", "audio:MODEL, mean over time; local weights"),
}

RETRIEVERS: Registry[Any] = Registry("retriever", _RETRIEVERS)
ENCODERS: Registry[Any] = Registry("encoder", _ENCODERS)
