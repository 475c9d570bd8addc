"""Cards of samples, with texts and players, and tables of failures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from markupsafe import Markup

from auricle.metrics.catalogue import metric_title
from auricle.report.sample_view import SampleView
from auricle.report.templating import render
from auricle.runs.metrics import FailureKind


def render_worst_samples(samples: Sequence[SampleView], title: str, language: str) -> Markup | None:
    """Render one card per sample, in the given order; `title` is that of the metric."""
    if not samples:
        return None
    return render(
        "report/templates/worst_samples.html",
        samples=samples,
        metric_title=title,
        language=language,
        common_question=_common_question(samples),
    )


def render_changed_samples(samples: Sequence[tuple[SampleView, SampleView, str]], intro: str, language: str) -> Markup:
    """Render one card per sample that both runs answered, with both answers."""
    return render(
        "report/templates/changed_samples.html",
        samples=samples,
        intro=intro,
        language=language,
        common_question=_common_question(a for a, _, _ in samples),
    )


def _common_question(samples: Iterable[SampleView]) -> str:
    """Return the question of all samples; empty if they have different ones."""
    questions = {sample.question for sample in samples}
    return questions.pop() if len(questions) == 1 else ""


def render_failures(failures: Sequence[FailureKind]) -> Markup | None:
    """Render failures by kind, with examples."""
    return render("report/templates/failures.html", failures=failures) if failures else None


def render_unreadable(reasons_by_metric: Mapping[str, Mapping[str, int]]) -> Markup | None:
    """Render the reasons for unreadable answers; metrics with the same reason share a row."""
    metrics_by_reason: dict[tuple[str, int], list[str]] = {}
    for metric, reasons in reasons_by_metric.items():
        for reason_and_count in reasons.items():
            metrics_by_reason.setdefault(reason_and_count, []).append(metric_title(metric))
    if not metrics_by_reason:
        return None
    return render("report/templates/unreadable.html", metrics_by_reason=metrics_by_reason)
