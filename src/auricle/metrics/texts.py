"""Base classes of metrics that compare normalised texts."""

from __future__ import annotations

from copy import copy
from typing import Any

from auricle.core.types import Generation, Sample, Stat
from auricle.metrics.base import Metric
from auricle.metrics.capabilities import Bounded, Profiled
from auricle.metrics.targets import reference_text
from auricle.text import get_profile, split_mixed


class TextMetric(Metric, Profiled):
    """A metric of normalised texts, whose variant ends with the signature of the normaliser."""

    convention = ""
    """What precedes the normaliser in the variant."""

    def __init__(self, name: str = "", profile_name: str = "basic", **parts: Any) -> None:
        super().__init__(name, **parts)
        self._set_profile(profile_name)

    def _set_profile(self, name: str) -> None:
        profile = get_profile(name)
        self.profile = profile.name
        self.normalise = profile.apply
        self.variant = ".".join(filter(None, (self.convention, profile.signature)))

    def with_profile(self, profile: str) -> Metric:
        other = copy(self)
        other._set_profile(profile)  # noqa: SLF001 - of the same class
        return other

    def split(self, text: str) -> list[str]:
        """Return the normalised words and characters of a text."""
        return split_mixed(self.normalise(text))


class CountedText(TextMetric, Bounded):
    """A metric whose statistic is counted in a text, with the reference as the best text and none as the worst."""

    def count(self, sample: Sample, text: str) -> Stat:
        """Return the statistic of a text."""
        raise NotImplementedError

    def score(self, sample: Sample, output: Generation) -> Stat:
        return self.count(sample, output.text)

    def bounds(self, sample: Sample) -> tuple[Stat, Stat]:
        return self.count(sample, ""), self.count(sample, reference_text(sample.target))
