"""What a second model does for the metrics of a run: its role."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from auricle.core.types import Ability


class JudgeRole(StrEnum):
    """What a model does for metrics, besides the model that is evaluated.

    >>> JudgeRole.RECOGNISER.option
    '--recogniser'
    """

    JUDGE = "judge"
    """Scores answers with a rubric."""
    UNREAD = "unread"
    """Reads the replies that rules cannot read."""
    RECOGNISER = "recogniser"
    """Transcribes spoken answers."""
    SPEAKER = "speaker"
    """Rates how similar two voices are."""
    QUALITY = "quality"
    """Predicts how listeners would rate spoken answers."""

    @property
    def noun(self) -> str:
        """What a model of this role is called."""
        return _TRAITS[self].noun

    @property
    def option(self) -> str:
        """The option of the command line that names a model of this role."""
        return _TRAITS[self].option

    @property
    def ability(self) -> Ability:
        """The ability that a model of this role needs."""
        return _TRAITS[self].ability

    @property
    def is_judge(self) -> bool:
        """Whether models of this role are judges, which write verdicts about texts."""
        return self in (JudgeRole.JUDGE, JudgeRole.UNREAD)


@dataclass(frozen=True, slots=True)
class _Traits:
    noun: str
    option: str
    ability: Ability = "generate"


_TRAITS: Mapping[JudgeRole, _Traits] = {
    JudgeRole.JUDGE: _Traits("judge", "--judge"),
    JudgeRole.UNREAD: _Traits("judge", "--judge-unread"),
    JudgeRole.RECOGNISER: _Traits("recogniser", "--recogniser"),
    JudgeRole.SPEAKER: _Traits("speaker model", "--speaker-model", "predict"),
    JudgeRole.QUALITY: _Traits("quality model", "--quality-model", "predict"),
}
