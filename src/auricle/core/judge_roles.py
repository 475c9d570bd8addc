"""What a second model does for the metrics of a run: its role. Features declare the roles that their metrics need."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from auricle.core.registry import Registry

if TYPE_CHECKING:
    from auricle.core.types import Ability


@dataclass(frozen=True)
class JudgeRole:
    """What a model does for metrics, besides the model that is evaluated. There is one object for each role.

    >>> JudgeRole.of("judge").option
    '--judge'
    """

    name: str
    """How the role is stored."""
    noun: str
    """What a model of this role is called."""
    option: str
    """The option of the command line that names a model of this role."""
    ability: Ability = "generate"
    """The ability that a model of this role needs."""
    is_judge: bool = False
    """Whether models of this role are judges, which write verdicts about texts."""
    metrics: tuple[str, ...] = ()
    """Metrics that any task gets if there is a model of this role and the task has none for it."""
    has_own_metrics: bool = False
    """Whether metrics are named after a model of this role, so that it replaces no other one."""
    unused: str = ""
    """What to do if no metric uses `{model}`."""

    JUDGE: ClassVar[JudgeRole]
    """Scores answers with a rubric."""
    UNREAD: ClassVar[JudgeRole]
    """Reads the replies that rules cannot read."""

    @property
    def field(self) -> str:
        """The option as a field of a config."""
        return self.option.removeprefix("--").replace("-", "_")

    @classmethod
    def of(cls, name: str | JudgeRole) -> JudgeRole:
        """Return the role of a name.

        Raises:
            ValueError: if there is none.
        """
        if isinstance(name, JudgeRole):
            return name
        if name not in JUDGE_ROLES:
            raise ValueError(f"{name!r} is not a valid JudgeRole")
        return JUDGE_ROLES.get(name)

    @classmethod
    def all(cls) -> list[JudgeRole]:
        """Return all roles: those of the engine, then those that features declare."""
        return [JUDGE_ROLES.get(name) for name in dict.fromkeys([*JUDGE_ROLES.builtin, *JUDGE_ROLES])]

    def __str__(self) -> str:
        return self.name

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return JudgeRole.of, (self.name,)  # copies and other processes have the same object


JudgeRole.JUDGE = JudgeRole("judge", "judge", "--judge", is_judge=True)
JudgeRole.UNREAD = JudgeRole("unread", "judge", "--judge-unread", is_judge=True)
JUDGE_ROLES: Registry[JudgeRole] = Registry(
    "judge role", {role.name: role for role in (JudgeRole.JUDGE, JudgeRole.UNREAD)}, expects=(JudgeRole, "a JudgeRole")
)
