"""Built-in few-shot retrievers and encoders."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from auricle.core.registry import Builtin, Registry

_RETRIEVERS: Mapping[str, Builtin] = {
    "zero": Builtin("auricle.prompts.retrievers.basic:Zero", "no examples"),
    "first": Builtin("auricle.prompts.retrievers.basic:First", "the first rows of the pool"),
    "random": Builtin("auricle.prompts.retrievers.basic:Random", "drawn from the seed and the sample's id"),
    "fixed": Builtin("auricle.prompts.retrievers.basic:Fixed", "the same for all, by ids"),
    "balanced": Builtin("auricle.prompts.retrievers.basic:Balanced", "as many of each label as of any other"),
    "sliding": Builtin("auricle.prompts.retrievers.basic:Sliding", "the rows just before"),
    "bm25": Builtin("auricle.prompts.retrievers.bm25:Bm25", "those sharing most words"),
    "dense": Builtin("auricle.prompts.retrievers.dense:Dense", "the nearest by an encoder of sound or text"),
    "diverse": Builtin("auricle.prompts.retrievers.dense:Diverse", "near to the sample, unlike each other"),
}

_ENCODERS: Mapping[str, Builtin] = {
    "logmel": Builtin("auricle.prompts.retrievers.encoders:logmel", "how a recording sounds; no model"),
    "text": Builtin("auricle.prompts.retrievers.encoders:Text", "text:MODEL, mean over tokens; local weights"),
    "audio": Builtin("auricle.prompts.retrievers.encoders:Sound", "audio:MODEL, mean over time; local weights"),
}

RETRIEVERS: Registry[Any] = Registry("retriever", _RETRIEVERS)
ENCODERS: Registry[Any] = Registry("encoder", _ENCODERS)
