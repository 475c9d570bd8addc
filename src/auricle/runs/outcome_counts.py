"""How many samples of a run had which outcome, and what makes its numbers doubtful."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # `auricle show` starts faster without it
    from auricle.core.types import Outcome

MAX_EMPTY_SHARE = 0.05
"""Largest share of empty answers without a warning."""
FAILED_EMPTY_SHARE = 0.95
"""Share of empty answers from which a run has failed: its model answers hardly anything."""
MAX_REFUSED_SHARE = 0.05
"""Largest share of refused answers without a warning."""


@dataclass(frozen=True, slots=True)
class OutcomeCounts:
    """How many samples had which outcome."""

    total: int = 0
    answered: int = 0
    failed: int = 0
    empty: int = 0
    """Answered samples whose answer is empty."""
    skipped: int = 0
    """Failed samples that a rule of the model excluded."""
    audio_not_sent: int = 0
    """Samples with audio that none of their requests contained."""
    refused: int = 0
    """Answered samples whose reply declines to answer."""
    unreadable: int = 0
    """Answered samples in whose reply a metric finds no answer."""
    rightly_empty: int = 0
    """Empty answers where the reference is empty, too."""
    truncated: int = 0
    """Answered samples with a reply that was cut off, whether it was scored or not."""
    dropped: int = 0
    """Answered samples whose call the agent dropped."""
    finish_unknown: int = 0
    """Answered samples with a reply of which it is unknown whether it was cut off."""

    @classmethod
    def count(
        cls, outcomes: Mapping[Outcome, int], audio_not_sent: int = 0, rightly_empty: int = 0, finish_unknown: int = 0
    ) -> OutcomeCounts:
        """Add up the outcomes of records."""
        from auricle.core.types import Outcome

        counts = Counter(outcomes)
        total, failed = counts.total(), counts[Outcome.FAILED] + counts[Outcome.SKIPPED]
        return cls(
            total=total,
            answered=total - failed,
            failed=failed,
            empty=counts[Outcome.EMPTY],
            skipped=counts[Outcome.SKIPPED],
            audio_not_sent=audio_not_sent,
            refused=counts[Outcome.REFUSED],
            unreadable=counts[Outcome.UNREADABLE],
            rightly_empty=rightly_empty,
            truncated=counts[Outcome.TRUNCATED],
            dropped=counts[Outcome.DROPPED],
            finish_unknown=finish_unknown,
        )

    @property
    def wrongly_empty(self) -> tuple[int, int]:
        """The number of empty answers, and of answers, without those that are rightly empty."""
        return self.empty - self.rightly_empty, self.answered - self.rightly_empty

    @property
    def is_nearly_all_empty(self) -> bool:
        empty, answered = self.wrongly_empty
        return 0 < empty >= FAILED_EMPTY_SHARE * answered

    def warnings(self, max_tokens: int | None = None, *, needs_finish: bool = False) -> list[str]:
        """Return what makes numbers doubtful although no sample failed.

        Args:
            max_tokens: Most tokens of an answer, if that is known.
            needs_finish: Whether it matters if replies were cut off unnoticed.
        """
        warnings = []
        if self.dropped:
            warnings.append(
                f"{self.dropped:,} of {self.answered:,} calls were dropped by the agent and count as not successful. "
                "`auricle samples RUN --outcome dropped` lists them; --retry-dropped N calls again."
            )
        if self.truncated:
            limit = f"max_tokens={max_tokens}" if max_tokens else "their token limit"
            warnings.append(
                f"{self.truncated:,} of {self.answered:,} replies were cut off at {limit}: raise it. "
                "`auricle samples RUN --outcome truncated` lists them."
            )
        if self.finish_unknown and needs_finish:
            warnings.append(
                f"{self.finish_unknown:,} of {self.answered:,} replies came without a finish reason, so it is unknown "
                "whether they were cut off."
            )
        if self.audio_not_sent:
            warnings.append(
                f"{self.audio_not_sent:,} of {self.total:,} samples have audio that was not sent: their requests "
                "contained none, so the model answered without hearing it. `auricle preview` shows the requests."
            )
        empty, answered = self.wrongly_empty
        if empty > MAX_EMPTY_SHARE * answered:
            warnings.append(
                f"{empty:,} of {answered:,} answers are empty ({empty / answered:.0%}). A model "
                "that catches its own errors answers with nothing; logs/model.log of the run has what it logged."
            )
        if self.refused > MAX_REFUSED_SHARE * self.answered:
            warnings.append(
                f"{self.refused:,} of {self.answered:,} replies refuse to answer ({self.refused / self.answered:.0%}). "
                "Check that the model receives the audio; `auricle samples RUN --outcome refused` lists them."
            )
        return warnings
