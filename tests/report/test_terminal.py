"""Results as text for the terminal."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from auricle import Spec, evaluate
from auricle.api import load_metrics
from auricle.core.signature import MetricSignature, Signature
from auricle.report.terminal import format_failures, format_metrics, format_readings, to_one_line
from auricle.report.text_table import format_table
from auricle.runs.metrics import FailureExample, FailureKind, Metrics, ModelFacts, Number, PartFacts, TaskFacts


def test_columns_are_aligned_and_empty_ones_omitted() -> None:
    lines = list(format_table(["name", "note", "n"], [["a", "", "1"], ["long", "", "22"]]))
    assert not any("note" in line for line in lines)
    assert len({len(line.rstrip()) for line in lines[1:2]}) == 1
    assert lines[-1].split() == ["long", "22"]


def test_a_message_with_control_characters_stays_on_one_line() -> None:
    assert to_one_line("first\nsecond\x1b[2J\tthird") == "first second [2J third"


@pytest.fixture
def runs(manifest: Any, tmp_path: Path) -> list[Metrics]:
    """Two runs of one model on two tasks."""
    data = str(manifest([{"question": "x", "answer": "x"}]))
    for name in ("first", "second"):
        task_args = {"data": data, "name": name, "metrics": "exact_match"}
        evaluate(Spec(task="qa", task_args=task_args, model="echo"), tmp_path / name)
    return [load_metrics(tmp_path / name) for name in ("first", "second")]


def test_a_table_of_several_tasks_has_a_task_column(runs: list[Metrics]) -> None:
    header, _, *rows, _ = format_metrics(runs)
    assert header.split()[:3] == ["task", "model", "metric"]
    assert [row.split()[0] for row in rows] == ["first", "second"]


def test_a_table_of_one_task_has_no_task_column(runs: list[Metrics]) -> None:
    header, *_ = format_metrics([runs[0], runs[0]])
    assert header.split()[0] == "model"


@pytest.fixture
def signed_runs(manifest: Any, tmp_path: Path) -> Any:
    """Evaluate `echo` on one question, with these arguments of the task, and return its metrics."""

    def run(name: str, rows: int = 1, profile: str | None = None, **task_args: str) -> Metrics:
        data = manifest([{"question": "x", "answer": "x"}] * rows, f"quiz{rows}.jsonl")
        spec = Spec(
            task="qa",
            task_args={"data": str(data), "name": "quiz", "metrics": "wer,empty", **task_args},
            model="echo",
            label=name,
            profile=profile,
        )
        evaluate(spec, tmp_path / name)
        return load_metrics(tmp_path / name)

    return run


def test_the_table_names_the_profile_of_each_number(signed_runs: Any) -> None:
    header, _, *rows, _ = format_metrics([signed_runs("a", profile="whisper-en")])
    assert header.split()[:3] == ["model", "metric", "profile"]
    assert [row.split()[3] for row in rows] == ["whisper-en", "all"]  # `empty` normalises nothing


def test_comparable_runs_are_not_marked(signed_runs: Any) -> None:
    assert "[" not in "\n".join(format_metrics([signed_runs("a"), signed_runs("b")]))


def test_numbers_under_different_profiles_are_marked_with_the_reason(signed_runs: Any) -> None:
    lines = format_metrics([signed_runs("a"), signed_runs("b", profile="none"), signed_runs("c")])
    assert [line.split()[:4] for line in lines if "wer ↓" in line] == [
        ["a", "wer", "↓", "[1]"],
        ["b", "wer", "↓", "[2]"],
        ["c", "wer", "↓", "[1]"],
    ]
    assert lines[-1] == (
        "Not comparable: wer [1] and [2]: different metrics: wer:1.pooled.basic:2 and wer:1.pooled.none:1"
    )


@pytest.mark.parametrize(
    ("other", "reason"),
    [({"prompt": "Answer: {question}"}, "different prompts: Respond#"), ({"rows": 2}, "different data: quiz1.jsonl@")],
)
def test_numbers_from_different_prompts_or_data_are_marked_once_for_all_metrics(
    signed_runs: Any, other: Any, reason: str
) -> None:
    lines = format_metrics([signed_runs("a"), signed_runs("b", **other)])
    assert [line for line in lines if line.startswith("Not comparable")] == lines[-1:]
    assert lines[-1].startswith(f"Not comparable: wer, empty [1] and [2]: {reason}")


@pytest.mark.parametrize(
    ("counts", "note"),
    [
        ({"failed": 2, "worst": 0.2, "best": 0.6}, "2 failed (bounds 20.00 % … 60.00 %)"),
        (
            {"failed": 2, "unbounded": 1, "worst": 0.2, "best": 0.6},
            "2 failed (bounds 20.00 % … 60.00 %, 1 not bounded)",
        ),
        ({"failed": 2, "unbounded": 2, "worst": 0.5, "best": 0.5}, "2 failed (not bounded)"),
        ({"not_applicable": 3}, "3 not applicable"),
    ],
)
def test_notes_state_which_failures_are_bounded_and_what_does_not_apply(
    runs: list[Metrics], counts: dict[str, Any], note: str
) -> None:
    number = replace(runs[0].numbers[0], scored=8, total=8 + counts.get("failed", 0), **counts)
    *_, row, _ = format_metrics([replace(runs[0], numbers=(number,))])
    assert row.endswith(f"  {note}")


def test_a_number_with_few_units_is_marked_and_the_method_names_the_units(runs: list[Metrics]) -> None:
    number = replace(runs[0].numbers[0], value=0.5, low=0.2, high=0.8, interval="cluster-gamma", cluster="spk", units=6)
    header, _, row, reason = format_metrics([replace(runs[0], numbers=(number,))])
    assert "value  95 % interval      method             n" in header
    assert "50.00 %†  20.00 % … 80.00 %  gamma, 6 speakers  1" in row
    assert reason == "† only 6 speakers: the interval is approximate"
    assert len(format_metrics([replace(runs[0], numbers=(replace(number, units=10),))])) == 3


def test_an_interval_of_fewer_than_five_units_is_not_shown(runs: list[Metrics]) -> None:
    number = replace(
        runs[0].numbers[0], value=0.2, low=0.01, high=0.8, interval="cluster-wilson", cluster="spk", units=4
    )
    _, _, row, reason = format_metrics([replace(runs[0], numbers=(number,))])
    assert "20.00 %†  too few to say  Wilson, 4 speakers" in row
    assert reason == "† only 4 speakers: too few to say how far off the value may be"
    assert (number.low, number.high) == (0.01, 0.8)


def test_a_sample_that_decides_a_rate_is_noted(runs: list[Metrics]) -> None:
    dominant = {"share": 0.7326, "samples": 200, "without": 0.021}
    number = replace(runs[0].numbers[0], plot="errors", unit="share", details={"dominant": dominant})
    *_, row, _ = format_metrics([replace(runs[0], numbers=(number,))])
    assert row.endswith("1 of 200 samples holds 73 % of the errors; without it 2.10 %")


def make_read_number(**fields: Any) -> Number:
    read = {"marker": 5, "whole_reply": 2, "statement": 1, "unread": 2, "refused": 0}
    counts = {"scored": 10, "total": 10, "unreadable": 2, "counted_wrong": 2, "readings": read}
    bounds = {"value": 0.5, "unread_wrong": 0.5, "unread_right": 0.7}
    facts = {"metric": "accuracy", "unit": "share", "details": {}}
    signature = Signature(MetricSignature("accuracy", 2, unreadable_wrong=True))
    return Number(**{"signature": signature, **facts, **counts, **bounds, **fields})


def test_unread_answers_lower_the_coverage_and_have_bounds() -> None:
    metrics = Metrics(task=TaskFacts("quiz"), model=ModelFacts("echo"), numbers=(make_read_number(refused=1),))
    row = format_metrics([metrics])[-1]
    assert "80.0 %" in row
    assert row.endswith("2 unreadable (bounds 50.00 % … 70.00 %), 1 refused")


def test_bounds_of_unread_answers_that_are_unknown_are_left_out() -> None:
    number = make_read_number(unread_wrong=None, unread_right=None)
    metrics = Metrics(task=TaskFacts("quiz"), model=ModelFacts("echo"), numbers=(number,))
    assert format_metrics([metrics])[-1].endswith("2 unreadable")


def test_metrics_that_read_alike_share_a_line_of_shares() -> None:
    numbers = (make_read_number(), make_read_number(metric="uar"), make_read_number(metric="wer", readings={}))
    metrics = Metrics(task=TaskFacts("quiz"), model=ModelFacts("echo"), numbers=numbers)
    assert format_readings(metrics, Path("run")) == [
        "How answers were read (accuracy, uar): marker 50.00 %, whole reply 20.00 %, statement 10.00 %, unread 20.00 %",
        "Look at unread replies: auricle audit run; let a judge read them: auricle score run --judge-unread MODEL",
    ]


def test_many_metrics_are_folded_into_the_headline_ones(runs: list[Metrics]) -> None:
    number = runs[0].overall[0]
    names = ["accuracy", "uar", "macro_f1", "weighted_f1", "weighted_recall", "top2", "ece", "mine"]
    numbers = [replace(number, metric=name, field=field) for field in ("", "speaker") for name in names]
    metrics = replace(runs[0], numbers=tuple(numbers))
    for by in ((), ("speaker",)):
        lines = format_metrics([metrics], by, show_all=False)
        shown = [line.split()[1] for line in lines if line.startswith("echo")]
        assert shown == ["accuracy", "uar", "macro_f1", "mine"] * (1 + len(by))
        assert "4 more metrics: auricle show RUN --all" in lines
        assert sum(line.startswith("echo") for line in format_metrics([metrics], by)) == 8 * (1 + len(by))


def test_rows_that_fail_in_every_part_of_a_suite_are_listed_once(runs: list[Metrics]) -> None:
    names = ("clean", "noise:snr=20", "noise:snr=10")
    missing = FailureExample("a", "data.jsonl:3", "a.wav does not exist.")
    damaged = FailureExample("c", "data.jsonl:5", "c.wav is damaged.")
    other = FailureExample("b", "data.jsonl:4", "Silence cannot be mixed with noise.")
    metrics = replace(
        runs[0],
        parts=tuple(PartFacts(name, name) for name in names),
        failures=(
            FailureKind("clean: AudioError", 2, (missing, damaged)),
            *(FailureKind(f"{name}: AudioError", 2, (damaged, missing)) for name in names[1:]),
            FailureKind("noise:snr=10: AudioError", 1, (other,)),
        ),
    )
    lines = format_failures(metrics)
    assert [sum(example.message in line for line in lines) for example in (missing, damaged, other)] == [1, 1, 1]
    assert [line for line in lines if line[0].isdigit()] == [
        "2 × AudioError in each of the 3 parts",
        "1 × AudioError in noise:snr=10",
    ]


@pytest.mark.parametrize(("unread", "judge", "offers"), [(2, {}, 0), (3, {}, 1), (3, {"judge": 1}, 1)])
def test_commands_for_unread_replies_are_offered_if_there_are_many(
    unread: int, judge: dict[str, int], offers: int
) -> None:
    number = make_read_number(readings={"marker": 100 - unread - len(judge), "unread": unread, **judge})
    metrics = Metrics(task=TaskFacts("quiz"), model=ModelFacts("echo"), numbers=(number,))
    _, *offered = format_readings(metrics, Path("run"))
    assert len(offered) == offers
    assert not any("--judge-unread" in line for line in offered if judge)
