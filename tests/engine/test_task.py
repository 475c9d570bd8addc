"""Tests of `Task` and `jsonl`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from auricle import Sample, Task
from auricle.core.errors import DataError
from auricle.core.judge_roles import JudgeRole
from auricle.engine.catalogue import TASKS
from auricle.engine.inferencers import Respond
from auricle.engine.task import jsonl
from auricle.metrics.capabilities import Judged
from auricle.metrics.catalogue import METRICS
from auricle.runs.verdicts import Judge
from auricle.tasks.speech.roles import QUALITY, RECOGNISER

JUDGE, MOONSHINE = Judge("judge", {}), Judge("moonshine", {}, RECOGNISER)


class NotedSamples(list[Sample]):
    """Samples with a revision and a note."""

    revision = "v1"

    def notes(self) -> list[str]:
        return ["One row is missing."]


def test_revision_and_notes_come_from_the_samples() -> None:
    task = Task(NotedSamples(), Respond("{q}"), [], find_contamination=lambda model, _: [f"{model} was trained on it."])
    assert task.revision == "v1"
    assert task.notes("m", {}) == ["One row is missing.", "m was trained on it."]


def test_a_list_of_samples_has_neither_revision_nor_notes() -> None:
    task = Task([], Respond("{q}"), [])
    assert task.revision == ""
    assert task.notes("m", {}) == []


def test_with_profile_changes_only_metrics_that_normalise_text(manifest: Any) -> None:
    task: Task = TASKS.get("qa")(data=str(manifest([])), metrics="exact_match,empty")
    assert [metric.signature for metric in task.with_profile("none").metrics] == ["exact_match:1.none:1", "empty:1"]


@pytest.mark.parametrize("profile", ["kimi", "kimi-zh"])
def test_a_task_may_have_its_own_metrics_under_a_profile(manifest: Any, profile: str) -> None:
    task: Task = TASKS.get("asr")(data=str(manifest([])), language="zh")
    task = replace(task, profile_metrics={"kimi": [METRICS.get("wer")]}, judged_metrics=[METRICS.get("judge-choice")])
    changed = task.with_profile(profile)
    assert [metric.signature for metric in changed.metrics] == ["wer:1.pooled.kimi-zh:1"]
    assert not changed.judged_metrics
    assert [metric.name for metric in task.with_profile("zh").metrics] == ["mer", "cer"]


def test_added_metrics_stand_beside_those_of_the_task_under_its_normaliser(manifest: Any) -> None:
    task: Task = TASKS.get("asr")(data=str(manifest([])), language="en")
    added = task.with_added_metrics(["wer", "hallucination"])
    assert [metric.name for metric in added.metrics[:3]] == ["wer", "cer", "nonspeech_output"]
    assert {metric.profile for metric in added.metrics if metric.name.startswith("nonspeech")} == {"whisper-en"}
    assert next(metric for metric in added.metrics if metric.name == "other_script").variant == "majority.latin"
    several = task.with_added_metrics(["repetition_loops"], "mean").metrics[-1]
    assert several.variant.endswith(".mean")


def test_a_set_of_metrics_can_replace_those_of_the_task(manifest: Any) -> None:
    task: Task = TASKS.get("asr")(data=str(manifest([])), language="en", metrics="hallucination")
    assert len(task.metrics) == 6
    assert [metric.signature for metric in task.with_metrics(["hallucination"]).metrics] == [
        metric.signature for metric in task.metrics
    ]


def test_a_judge_adds_metrics_once(manifest: Any) -> None:
    task: Task = TASKS.get("qa")(data=str(manifest([])), metrics="empty")
    judged = replace(task, judged_metrics=[METRICS.get("judge-reference")]).with_judges([JUDGE])
    assert [metric.name for metric in judged.metrics] == ["empty", "judge-reference"]
    assert judged.with_judges([JUDGE]) == judged
    added = [metric.name for metric in judged.with_judges([MOONSHINE]).metrics[2:]]
    assert added == list(RECOGNISER.metrics)


def test_models_of_a_role_add_the_usual_metrics_unless_others_were_chosen(manifest: Any) -> None:
    task: Task = TASKS.get("qa")(data=str(manifest([])), metrics="empty,round_trip_wer_mean")
    names = [metric.name for metric in task.with_judges([MOONSHINE]).metrics]
    assert names == ["empty", "round_trip_wer_mean", "round_trip_wer", "round_trip_cer", "round_trip_floor"]
    assert list(task.with_judges([MOONSHINE], is_chosen=True).metrics) == list(task.metrics)


def test_quality_models_add_the_metrics_named_after_them(manifest: Any) -> None:
    task: Task = TASKS.get("qa")(data=str(manifest([])), metrics="empty")
    judges = [Judge(name, {}, QUALITY) for name in ("plcmos", "dnsmos", "other")]
    names = [metric.name for metric in task.with_judges(judges).metrics]
    assert names == ["empty", "plcmos", "dnsmos_ovrl", "dnsmos_sig", "dnsmos_bak"]


@pytest.mark.parametrize(
    ("language", "profile", "expected"),
    [("", "", "basic"), ("en", "", "whisper-en"), ("zh", "", "zh"), ("en", "none", "none"), ("en", "kimi", "kimi-en")],
)
def test_added_metrics_have_the_profile_of_the_language_or_of_the_command(
    manifest: Any, language: str, profile: str, expected: str
) -> None:
    task: Task = replace(TASKS.get("qa")(data=str(manifest([])), metrics="empty"), language=language)
    added = {metric.name: metric.profile for metric in task.with_judges([MOONSHINE], profile).metrics}
    assert added["round_trip_wer"] == added["round_trip_floor"] == expected


def test_a_judge_of_unread_replies_changes_metrics_that_read_them(manifest: Any) -> None:
    task: Task = TASKS.get("qa")(data=str(manifest([])), metrics="option_accuracy,empty")
    first, second = task.with_judges([Judge("reader", {}, JudgeRole.UNREAD)]).metrics
    assert isinstance(first, Judged)
    assert not isinstance(second, Judged)
    assert task.with_judges([]) == task


def test_jsonl_yields_rows(manifest: Any) -> None:
    assert list(jsonl(manifest([{"a": 1}, {"a": 2}]))) == [{"a": 1}, {"a": 2}]


def test_jsonl_reports_the_line_that_is_not_json(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text('{"a": 1}\nnot json\n')
    with pytest.raises(DataError, match=r"rows\.jsonl:2"):
        list(jsonl(path))


def test_metrics_under_several_profiles_stand_side_by_side(manifest: Any) -> None:
    task: Task = TASKS.get("asr")(data=str(manifest([])), language="en", metrics="wer,empty")
    metrics = task.with_profiles(["basic", "whisper-en", "kimi"]).metrics
    assert [(metric.name, metric.title) for metric in metrics] == [
        ("wer", "WER"),
        ("empty", "Empty"),
        ("wer@whisper-en", "WER (whisper-en)"),
        ("wer@kimi-en", "WER (kimi-en)"),
    ]


def test_a_metric_under_a_further_profile_is_comparable_with_the_same_metric_alone(manifest: Any) -> None:
    task: Task = TASKS.get("asr")(data=str(manifest([])), metrics="wer")
    *_, further = task.with_profiles(["basic", "whisper-en"]).metrics
    assert further.signature == task.with_profile("whisper-en").metrics[0].signature


def test_a_mark_in_the_name_of_a_metric_is_not_a_profile(manifest: Any) -> None:
    task: Task = TASKS.get("qa")(data=str(manifest([])), metrics="exact_match", answers="pass@2")
    first, second = task.with_profiles(["basic", "none"]).metrics
    assert (first.name, second.name) == ("exact_match.pass@2", "exact_match.pass@2@none")
    assert second.signature == task.with_profile("none").metrics[0].signature


def test_without_profiles_a_task_keeps_its_own(manifest: Any) -> None:
    task: Task = TASKS.get("asr")(data=str(manifest([])))
    assert task.with_profiles([]) is task


def test_other_metrics_are_computed_under_the_profile_of_the_task(manifest: Any) -> None:
    task: Task = TASKS.get("asr")(data=str(manifest([])), metrics="wer", profile="none")
    assert [metric.signature for metric in task.with_metrics(["cer", "empty"]).metrics] == [
        "cer:2.pooled.none:1",
        "empty:1",
    ]
