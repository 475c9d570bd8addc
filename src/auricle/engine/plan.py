"""What a config asks for: the evaluations of each model, with those of a suite together."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from pathlib import Path

from auricle.core.errors import SpecError
from auricle.core.redaction import redact
from auricle.engine.factory import Evaluation, model_label, sanitise_name
from auricle.engine.settings import Settings
from auricle.engine.suites import CONDITIONS, Suite
from auricle.engine.task import Task
from auricle.metrics.base import Metric
from auricle.metrics.capabilities import list_members
from auricle.runs.metrics import ModelFacts
from auricle.runs.suites import PartRun, SuiteRun


@dataclass(frozen=True)
class EvaluationGroup:
    """The evaluations of one model on the parts of a suite, or on a single task."""

    evaluations: list[Evaluation]
    suite: Suite | None = None

    @classmethod
    def name_after_task(cls, evaluations: list[Evaluation], suite: Suite | None) -> EvaluationGroup:
        """Return a group in which a suite of conditions has the name of its task, which may depend on its data."""
        if suite and suite.average == CONDITIONS:
            suite = replace(suite, name=f"{evaluations[0].task.name}-conditions")
        return cls(evaluations, suite)

    def with_purpose(self, purpose: str) -> EvaluationGroup:
        """Return the same conditions of a task for a purpose, such as `listening`, which their folder is named after.

        Raises:
            SpecError: if these are not conditions of one task.
        """
        if not self.suite or self.suite.average != "conditions":
            raise SpecError(f"{self.evaluations[0].task.name} is not run under conditions.")
        name = f"{self.evaluations[0].task.name}-{purpose}"
        return replace(self, suite=replace(self.suite, name=name, purpose=purpose))

    @property
    def folder_name(self) -> str:
        """Default name of the folder: task or suite, and model."""
        first = self.evaluations[0]
        return first.name_folder(self.suite.name) if self.suite else first.folder_name

    def list_folders(self, folder: Path) -> list[tuple[Evaluation, Path]]:
        """Return each evaluation with its run directory: the folder itself, or one folder in it for each part."""
        if not self.suite:
            return [(self.evaluations[0], folder)]
        names = (sanitise_name(part.name) for part in self.suite.parts)
        return [(evaluation, folder / name) for evaluation, name in zip(self.evaluations, names, strict=True)]

    def describe_run(self, folder: Path) -> SuiteRun | None:
        """Return what `suite.json` states about a run of the suite; None if there is no suite."""
        if not self.suite:
            return None
        suite, first = self.suite, self.evaluations[0]
        runs = zip(suite.parts, self.list_folders(folder), strict=True)
        return SuiteRun(
            name=suite.name,
            metric=suite.metric,
            average=suite.average,
            purpose=suite.purpose,
            provenance=asdict(suite.provenance),
            model=ModelFacts(model_label(first.spec), dict(redact(first.spec.model_args))),
            parts=tuple(
                PartRun(part.name, path.name, part.weight, part.metric, _language_of(evaluation.task), part.condition)
                for part, (evaluation, path) in runs
            ),
        )

    def check(self) -> None:
        """Raise `SpecError` if the numbers of the parts cannot be combined."""
        if not self.suite:
            return
        tasks = {
            part.name: evaluation.task for part, evaluation in zip(self.suite.parts, self.evaluations, strict=True)
        }
        self.suite.shares({name: _language_of(task) for name, task in tasks.items()})
        self.suite.choose_metrics({name: _list_metrics(task) for name, task in tasks.items()})


def _language_of(task: Task) -> str:
    return task.language or ", ".join(task.languages)


def _list_metrics(task: Task) -> dict[str, Metric]:
    metrics = [*task.metrics, *task.judged_metrics]
    return {member.name: member for metric in metrics for member in list_members(metric)}


@dataclass(frozen=True)
class ModelPlan:
    """The evaluations of one model, and how to execute them."""

    settings: Settings
    groups: list[EvaluationGroup]

    @property
    def evaluations(self) -> list[Evaluation]:
        return [evaluation for group in self.groups for evaluation in group.evaluations]
