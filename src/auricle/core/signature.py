"""What exactly a number measures: the task, its data, the prompt, the metric and the model.

A signature is stored as text, such as
`demo:1|manifest.jsonl@65db9992|Respond#bc9a|wer:1.pooled.whisper-en:1|whisper#a1b2|auricle 0.1.0`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

NAME_AND_VERSION = re.compile(r"(?P<name>.+?):(?P<version>\d+)(?:\.(?P<options>.*))?", re.DOTALL)
PROFILE = re.compile(r"[\w+-]+:\d+")
"""The option that names a text normaliser such as `basic` or `basic+yo`, with its version."""
JUDGE_MARK = ".by-"
VERSION_MARK = "@"
"""Separates the name of a model from the version of its package."""
UNREADABLE_WRONG = ".unreadable-wrong"
NO_SYNONYMS = "no-synonyms"
DECISIVE_PARTS = ("task", "revision", "inferencer", "metric")
"""Parts of a signature that two comparable numbers share."""
PARTS = 6
"""Parts of a complete signature; the revision of the data may itself contain the separator."""


@dataclass(frozen=True, slots=True)
class MetricSignature:
    """How a number was computed: the metric, its version and its options.

    >>> MetricSignature.parse("wer:1.pooled.whisper-en:1").profile
    'whisper-en'
    """

    name: str
    version: int = 1
    options: tuple[str, ...] = ()
    judge: str = ""
    unreadable_wrong: bool = False
    """Whether unreadable answers count as wrong."""

    @classmethod
    def parse(cls, text: str) -> MetricSignature:
        """Parse the metric's part of a signature. Text of another form becomes the name."""
        core = text.removesuffix(UNREADABLE_WRONG)
        unreadable_wrong = core != text
        core, _, judge = core.rpartition(JUDGE_MARK) if JUDGE_MARK in core else (core, "", "")
        match = NAME_AND_VERSION.fullmatch(core)
        if match is None:
            return cls(core, 0, (), judge, unreadable_wrong)
        options = tuple((match["options"] or "").split(".")) if match["options"] else ()
        return cls(match["name"], int(match["version"]), options, judge, unreadable_wrong)

    def __str__(self) -> str:
        head = f"{self.name}:{self.version}" if self.version else self.name
        judge = f"{JUDGE_MARK}{self.judge}" if self.judge else ""
        return ".".join((head, *self.options)) + judge + (UNREADABLE_WRONG if self.unreadable_wrong else "")

    @property
    def profile(self) -> str:
        """The name of the text normaliser; empty if the metric uses none."""
        return next((option.partition(":")[0] for option in self.options if PROFILE.fullmatch(option)), "")

    @property
    def uses_synonyms(self) -> bool:
        """Whether synonyms of a label count as that label."""
        return NO_SYNONYMS not in self.options


@dataclass(frozen=True, slots=True)
class Signature:
    """What a number measures. Two numbers are comparable if task, data, prompt and metric are the same.

    >>> a = Signature.parse("demo:1|local|Respond#bc9a|wer:1.pooled.basic:1|echo|auricle 0.1.0")
    >>> b = Signature.parse("demo:1|local|Respond#bc9a|wer:1.pooled.none:1|echo|auricle 0.1.0")
    >>> a.differences(b)
    ('metric',)
    """

    metric: MetricSignature
    task: str = ""
    revision: str = ""
    """Identifier of the data."""
    inferencer: str = ""
    """Name of the inferencer and a digest of its configuration, prompt included."""
    model: str = ""
    auricle: str = ""
    """The version of Auricle that computed the number."""

    @classmethod
    def parse(cls, text: str) -> Signature:
        """Parse a signature. Text with fewer parts is the signature of a metric alone."""
        parts = text.split("|")
        if len(parts) < PARTS:
            return cls(MetricSignature.parse(text))
        return cls(
            metric=MetricSignature.parse(parts[-3]),
            task=parts[0],
            revision="|".join(parts[1:-4]),
            inferencer=parts[-4],
            model=parts[-2],
            auricle=parts[-1],
        )

    def __str__(self) -> str:
        if not self.is_complete:
            return str(self.metric)
        return "|".join((self.task, self.revision, self.inferencer, str(self.metric), self.model, self.auricle))

    @property
    def is_complete(self) -> bool:
        """Whether the signature names a task; otherwise its number is comparable with nothing."""
        return bool(self.task)

    def differences(self, other: Signature) -> tuple[str, ...]:
        """Return the names of the parts that decide a number and differ; the model is what is compared."""
        return tuple(name for name in DECISIVE_PARTS if getattr(self, name) != getattr(other, name))

    def explain_difference(self, other: Signature) -> str:
        """Return why two numbers are not comparable; empty if they are."""
        if not (self.is_complete and other.is_complete):
            return "the signature is incomplete"
        titles = {"task": "tasks", "revision": "data", "inferencer": "prompts", "metric": "metrics"}
        reasons = (
            f"different {titles[name]}: {getattr(self, name)} and {getattr(other, name)}"
            for name in self.differences(other)
        )
        return "; ".join(reasons)
