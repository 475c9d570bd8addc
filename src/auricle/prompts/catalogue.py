"""Built-in few-shot retrievers and encoders."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from auricle.core.registry import Builtin, Registry

_RETRIEVERS: Mapping[str, Builtin] = {
    "zero": Builtin("auricle.prompts.retrievers.basic:ZeroRetriever", "no examples"),
    "first": Builtin("auricle.prompts.retrievers.basic:FirstRetriever", "the first rows of the pool"),
    "random": Builtin("auricle.prompts.retrievers.basic:RandomRetriever", "drawn from the seed and the sample's id"),
    "fixed": Builtin("auricle.prompts.retrievers.basic:FixedRetriever", "the same for all, by ids"),
    "balanced": Builtin("auricle.prompts.retrievers.basic:BalancedRetriever", "as many of each label as of any other"),
    "sliding": Builtin("auricle.prompts.retrievers.basic:SlidingRetriever", "the rows just before"),
    "bm25": Builtin("auricle.prompts.retrievers.bm25:Bm25Retriever", "those sharing most words"),
    "dense": Builtin("auricle.prompts.retrievers.dense:DenseRetriever", "the nearest by an encoder of sound or text"),
    "diverse": Builtin("auricle.prompts.retrievers.dense:DiverseRetriever", "near to the sample, unlike each other"),
}

_ENCODERS: Mapping[str, Builtin] = {
    "logmel": Builtin("auricle.prompts.retrievers.encoders:logmel", "how a recording sounds; no model"),
    "text": Builtin("auricle.prompts.retrievers.encoders:TextEncoder", "text:MODEL, mean over tokens; local weights"),
    "audio": Builtin("auricle.prompts.retrievers.encoders:AudioEncoder", "audio:MODEL, mean over time; local weights"),
}

RETRIEVERS: Registry[Any] = Registry("retriever", _RETRIEVERS)
ENCODERS: Registry[Any] = Registry("encoder", _ENCODERS)
