"""Ways to ask: inferencers, and what finds and encodes examples for prompts."""

from __future__ import annotations

from collections.abc import Mapping

from auricle.catalogue.builtin import Builtin

INFERENCERS: Mapping[str, Builtin] = {
    "respond": Builtin("auricle.tasks.inferencers:Respond", "one prompt, one answer, or several"),
    "converse": Builtin("auricle.tasks.inferencers:Converse", "a conversation, turn by turn"),
    "rounds": Builtin("auricle.tasks.inferencers:Rounds", "rounds that a function makes up"),
    "choose": Builtin("auricle.tasks.inferencers:Choose", "how likely each option is"),
    "first-token": Builtin(
        "auricle.tasks.inferencers:FirstToken", "how likely each letter is, first"
    ),
    "labels": Builtin(
        "auricle.interop.aisbench.label_prompts:Labels", "how likely each label's own prompt is"
    ),
    "continue": Builtin("auricle.tasks.inferencers:Continue", "how likely a text is: perplexity"),
    "appraise": Builtin("auricle.tasks.inferencers:Appraise", "numbers for one sound, or for two"),
    "rate": Builtin("auricle.tasks.inferencers:Rate", "a number in words"),
    "prefer": Builtin(
        "auricle.tasks.inferencers:Prefer", "the better of two in words, in both orders"
    ),
    "measure": Builtin("auricle.tasks.inferencers:Measure", "named inputs in, named numbers out"),
    "compare": Builtin("auricle.tasks.inferencers:Compare", "two candidates, measured one by one"),
}

RETRIEVERS: Mapping[str, Builtin] = {
    "zero": Builtin("auricle.prompts.retrievers.basic:Zero", "no examples"),
    "first": Builtin("auricle.prompts.retrievers.basic:First", "the first rows of the pool"),
    "random": Builtin(
        "auricle.prompts.retrievers.basic:Random", "drawn from the seed and the sample's id"
    ),
    "fixed": Builtin("auricle.prompts.retrievers.basic:Fixed", "the same for all, by ids"),
    "balanced": Builtin(
        "auricle.prompts.retrievers.basic:Balanced", "as many of each label as of any other"
    ),
    "sliding": Builtin("auricle.prompts.retrievers.basic:Sliding", "the rows just before"),
    "bm25": Builtin("auricle.prompts.retrievers.bm25:Bm25", "those sharing most words"),
    "dense": Builtin(
        "auricle.prompts.retrievers.dense:Dense", "the nearest by an encoder of sound or text"
    ),
    "diverse": Builtin(
        "auricle.prompts.retrievers.dense:Diverse", "near to the sample, unlike each other"
    ),
}

ENCODERS: Mapping[str, Builtin] = {
    "logmel": Builtin(
        "auricle.prompts.retrievers.encoders:logmel", "how a recording sounds; no model"
    ),
    "text": Builtin(
        "auricle.prompts.retrievers.encoders:Text",
        "text:MODEL, mean over tokens; local weights",
    ),
    "audio": Builtin(
        "auricle.prompts.retrievers.encoders:Sound",
        "audio:MODEL, mean over time; local weights",
    ),
}
