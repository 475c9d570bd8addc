"""Check the judges of a run: choose samples, request verdicts on probes, and describe what they show."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path

from markupsafe import Markup

from auricle.core.errors import SpecError, Unreadable
from auricle.core.judge_roles import JudgeRole
from auricle.core.serialization import digest
from auricle.core.types import Record
from auricle.engine.factory import build_task
from auricle.engine.judge import JudgePass, execute_pass, read_judges
from auricle.engine.observer import Observer
from auricle.engine.settings import Settings
from auricle.engine.spec import JudgeSpec, Spec
from auricle.metrics.base import Metric
from auricle.metrics.capabilities import Judged
from auricle.metrics.judge import find_gold_label
from auricle.report.run_html import Page, render_if
from auricle.report.text_format import format_number
from auricle.report.text_table import format_table
from auricle.runs.labels import HumanLabels
from auricle.runs.metrics import format_money
from auricle.runs.response_cache import served_model_name
from auricle.runs.run_directory import Run, lock_run
from auricle.runs.usage import Price
from auricle.runs.verdicts import VerdictIndex
from auricle.studies.judges.document import CheckResult, JudgeChecks
from auricle.studies.judges.metrics import (
    ProbeResult,
    check_self_preference,
    compute_checks,
    make_probe,
    make_result,
    read_probe,
)

FAMILIES = {
    "GPT": r"gpt|chatgpt|(?<![a-z])o[134](?![a-z0-9])",
    "Claude": "claude",
    "Gemini": "gemini|gemma",
    "Qwen": "qwen|qwq",
    "Llama": "llama",
    "Mistral": "mistral|mixtral|ministral|magistral|voxtral",
    "DeepSeek": "deepseek",
    "Kimi": "kimi|moonshot",
    "GLM": r"(?<![a-z])glm",
    "Phi": r"(?<![a-z])phi-?\d",
    "Grok": "grok",
    "MiniCPM": "minicpm",
    "Step": r"(?<![a-z])step-",
    "Baichuan": "baichuan",
}
"""Families of language models, with patterns of their names."""
HEADER = ("judge", "check", "measure", "value", "95 % interval", "n", "finding", "notes")


@dataclass(frozen=True, slots=True)
class CheckSettings:
    """How much is asked, and what it costs."""

    samples: int = 50
    settings: Settings = field(default_factory=Settings)
    prices: Mapping[str, Price] = field(default_factory=dict)
    """Prices of judges by their names."""
    announce: Callable[[str], None] = lambda line: None
    """Called with the estimate of each judge before anything is sent."""


def check_judges(
    runs: Sequence[Path],
    judges: Sequence[JudgeSpec] = (),
    metric: str | None = None,
    *,
    options: CheckSettings | None = None,
    observer: Observer | None = None,
) -> tuple[JudgeChecks, str]:
    """Check judges for position, verbosity and self-preference, consistency and agreement with people.

    Args:
        runs: Run directory; with a second one, of another model on the same data, self-preference is checked. The
            checks are stored in the first.
        judges: The judges. Default: those of the run.
        metric: Name of the judged metric. Default: the first.
        options: How much is asked.
        observer: Follows the progress of the judge.

    Returns:
        The checks, and why judging was stopped, if it was; they are then computed from the verdicts there are.
    """
    options, observer = options or CheckSettings(), observer or Observer()
    loaded = [Run.load(run) for run in runs]
    judges = judges or find_judges(loaded[0])
    spec = Spec.as_scored(loaded[0]).with_judges(judge.to_judge() for judge in judges)
    chosen = choose_metric(build_task(spec).metrics, metric)
    results: list[CheckResult] = []
    stop_reason = ""
    with ExitStack() as locks:
        for run in loaded:
            locks.enter_context(lock_run(run.path))
        for judge in judges:
            check = JudgeCheck(loaded, chosen, judge, options)
            stop_reason = stop_reason or check.request_verdicts(observer)
            results += check.compute()
        checks = JudgeChecks(chosen.name, tuple(results))
        checks.save(loaded[0].path)
    return checks, stop_reason


def find_judges(run: Run) -> list[JudgeSpec]:
    """Return the judges of a run.

    Raises:
        SpecError: if it was not judged.
    """
    if judges := [judge for judge in read_judges(run) if judge.role is JudgeRole.JUDGE]:
        return [JudgeSpec.from_judge(judge) for judge in judges]
    raise SpecError(f"{run.path} was not judged yet. Add --judge MODEL.")


class JudgeCheck:
    """The check of one judge.

    Args:
        runs: The run whose answers are judged, and a second one for self-preference, if there is one.
        metric: The judged metric.
        judge: The judge.
        options: How much is asked.
    """

    def __init__(self, runs: Sequence[Run], metric: Metric, judge: JudgeSpec, options: CheckSettings) -> None:
        self._judge, self._options, self._metric = judge, options, metric
        self._runs = list(runs)
        first = select_records(runs[0], options.samples)
        ids = {record.sample.id for record in first}
        self._records = [first, *([r for r in _labelled_records(run) if r.sample.id in ids] for run in runs[1:])]
        self._metrics = [make_probe(metric), *(metric for _ in runs[1:])]

    def request_verdicts(self, observer: Observer) -> str:
        """Announce an estimate, request what is missing, and return why that was stopped, if it was."""
        judge = self._judge.to_judge()
        passes = [
            JudgePass(records, run.verdicts_path, [metric], judge)
            for run, records, metric in zip(self._runs, self._records, self._metrics, strict=True)
        ]
        self._options.announce(self._format_estimate(passes))
        stop_reason = ""
        for run, judge_pass in zip(self._runs, passes, strict=True):
            stop_reason = stop_reason or execute_pass(run, judge_pass, self._judge, self._options.settings, observer)
        return stop_reason

    def _format_estimate(self, passes: Sequence[JudgePass]) -> str:
        name = self._judge.to_judge().name
        count = sum(judge_pass.count_pending() for judge_pass in passes)
        line = f"{name}: {count:,} verdicts to request on {len(self._records[0])} samples"
        if price := self._options.prices.get(name):
            cost = sum(judge_pass.estimate_cost(price) for judge_pass in passes)
            line += f", up to {format_money(cost, price.currency)}"
        return f"{line}."

    def compute(self) -> list[CheckResult]:
        """Compute all checks from the verdicts there are."""
        probes = [
            list(self._read(run, records, metric))
            for run, records, metric in zip(self._runs, self._records, self._metrics, strict=True)
        ]
        name = self._judge.to_judge().name
        results = [*compute_checks(self._metric, probes[0]), self._check_self_preference(probes)]
        return [replace(result, judge=name) for result in results]

    def _read(self, run: Run, records: Sequence[Record], metric: Metric) -> Iterator[ProbeResult]:
        with VerdictIndex(run.verdicts_path, self._judge.to_judge()) as verdicts:
            for record in records:
                try:
                    replies = verdicts.read_replies(metric, record)
                except Unreadable:
                    continue  # a judge that failed, or was stopped before
                yield read_probe(self._metric, record, list(map(str, replies)))

    def _check_self_preference(self, probes: Sequence[Sequence[ProbeResult]]) -> CheckResult:
        result = make_result("self-preference", "preference for models of its own family")
        if len(self._runs) < 2:
            return replace(result, note="cannot be checked: give a second run of another model on the same data")
        family = find_family(served_model_name(self._judge.model, self._judge.args))
        models = [find_family(_model_name(run)) for run in self._runs]
        if not family or not all(models):
            unknown = "the judge" if not family else "a model"
            return replace(result, note=f"cannot be checked: the family of {unknown} is not known from its name")
        is_own = [model == family for model in models]
        if sum(is_own) != 1:
            return replace(
                result, note=f"cannot be checked: exactly one of the models should be of the family {family}"
            )
        own, other = probes if is_own[0] else probes[::-1]
        return check_self_preference(own, other, self._metric.unit)


def select_records(run: Run, count: int) -> list[Record]:
    """Return answered samples at random, the same in every run of the data; those with human labels come first."""
    answered = [record for record in _labelled_records(run) if not record.error]
    answered.sort(key=lambda record: (find_gold_label(record.sample) is None, digest(record.sample.id)))
    return answered[:count]


def _labelled_records(run: Run) -> Iterator[Record]:
    return HumanLabels.load(run.path).attach(run.records())


def find_family(model: str) -> str:
    """Return the family of a language model by its name; empty if it is unknown.

    >>> find_family("gpt-4o-mini"), find_family("Qwen/Qwen2-Audio-7B"), find_family("mine.py:Model")
    ('GPT', 'Qwen', '')
    """
    return next((family for family, pattern in FAMILIES.items() if re.search(pattern, model.casefold())), "")


def _model_name(run: Run) -> str:
    spec = Spec.from_run(run)
    return served_model_name(spec.model, spec.model_args)


def choose_metric(metrics: Sequence[Metric], name: str | None) -> Metric:
    """Return the judged metric of a task with a name, or the first one."""
    judged = [metric for metric in metrics if isinstance(metric, Judged) and metric.judge_role is JudgeRole.JUDGE]
    if not judged:
        raise SpecError("The run has no metric that uses a judge. Score it with one: auricle score RUN --judge MODEL.")
    for metric in judged:
        if name in (None, metric.name):
            return metric
    raise SpecError(f"The run has no judged metric {name!r}. Judged metrics: {', '.join(m.name for m in judged)}.")


def format_checks(checks: JudgeChecks) -> list[str]:
    """Format the checks as a table."""
    several = len({result.judge for result in checks.results}) > 1
    rows = [
        (
            result.judge if several else "",
            result.check,
            result.measure,
            *format_result(result),
            result.finding,
            result.note,
        )
        for result in checks.results
    ]
    return format_table(HEADER, rows)


def format_result(result: CheckResult) -> tuple[str, str, str]:
    """Format value, interval and number of samples."""
    if result.value is None:
        return "–", "–", str(result.n) if result.n else ""
    low, high = (format_number(end, result.unit) for end in (result.low, result.high))
    return format_number(result.value, result.unit), f"{low} … {high}", str(result.n)


def render_judge_checks(page: Page) -> Markup | None:
    """Render what was measured about the judges."""
    checks = page.metrics.extras["judge_checks"]
    has_judges = len({check.judge for check in checks}) > 1
    return render_if(checks, "studies/judges/judge_checks.html", checks=checks, has_judges=has_judges)
