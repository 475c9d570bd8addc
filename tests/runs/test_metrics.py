"""`metrics.json`."""

import json
import math
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from auricle.core.errors import DataError, ExitStatus
from auricle.core.signature import Signature
from auricle.core.types import Failure, Record, Sample
from auricle.runs.documents import UnknownFormat
from auricle.runs.health import JournalHealth, take_fingerprints
from auricle.runs.metrics import (
    FailureExample,
    FailureKind,
    JudgeFacts,
    Metrics,
    ModelFacts,
    Number,
    TaskFacts,
    Throughput,
    Usage,
    format_money,
    read_current_metrics,
    read_metrics,
    write_metrics,
)
from auricle.runs.outcome_counts import OutcomeCounts
from auricle.runs.result import RunResult

SIGNATURE = "demo:1|data@ab12|Respond#bc9a|wer:1.pooled.whisper-en:1|echo|auricle 0.1.0"


def make_number(metric: str = "wer", field: str = "", value: float | None = 0.25) -> Number:
    return Number(
        metric=metric,
        details={"substitutions": 3},
        field=field,
        value=value,
        low=0.1,
        high=0.4,
        scored=3,
        total=4,
        failed=1,
        signature=Signature.parse(SIGNATURE),
    )


METRICS = Metrics(
    task=TaskFacts("demo"),
    model=ModelFacts("echo", {"size": 1}),
    complete=True,
    rows=4,
    notes=("careful",),
    judges=(JudgeFacts("openai", "openai", missing=2),),
    outcomes=OutcomeCounts(4, 3, 1),
    failures=(FailureKind("Rejected", 1, (FailureExample("a", "x.jsonl:1", "no"),)),),
    not_computed={"cer": "why"},
    unreadable={"wer": {"no text": 2}},
    numbers=(make_number(), make_number(field="subset"), make_number("cer", value=None)),
    usage=Usage(requests=4, cost=0.5, currency="USD"),
    speed=Throughput(1.5, 3),
)


def test_metrics_are_read_as_they_were_written(tmp_path: Path) -> None:
    write_metrics(tmp_path, METRICS)
    assert read_metrics(tmp_path) == METRICS


def test_signature_is_stored_as_text(tmp_path: Path) -> None:
    write_metrics(tmp_path, METRICS)
    assert f'"signature": "{SIGNATURE}"' in (tmp_path / "metrics.json").read_text()


def test_number_is_found_by_metric_over_all_samples() -> None:
    assert METRICS["wer"].value == 0.25
    assert [number.metric for number in METRICS.overall] == ["wer", "cer"]
    with pytest.raises(KeyError):
        METRICS["bleu"]


def test_coverage_is_the_share_of_scored_samples() -> None:
    assert make_number().coverage == 0.75


def test_coverage_of_no_samples_is_undefined() -> None:
    number = Number(metric="wer", details={}, value=None, signature=Signature.parse(SIGNATURE))
    assert math.isnan(number.coverage)


def test_fields_of_breakdowns_are_listed_once_and_in_order() -> None:
    numbers = tuple(make_number(field=name) for name in ("", "subset", "accent", "subset"))
    assert Metrics(task=TaskFacts("t"), model=ModelFacts("m"), numbers=numbers).fields == ("subset", "accent")


def test_a_document_without_counts_counts_nothing(tmp_path: Path) -> None:
    number: dict[str, object] = {"metric": "wer", "details": {}, "value": None, "signature": SIGNATURE}
    judge = {"name": "j", "model": "m"}
    speed = {"wall_seconds": 1.0, "samples": 2}
    document = {"task": {"name": "t"}, "model": {"name": "m"}, "numbers": [number], "judges": [judge], "speed": speed}
    (tmp_path / "metrics.json").write_text(json.dumps(document))
    metrics = read_metrics(tmp_path)
    counts = {"scored": 0, "total": 0, "failed": 0, "unreadable": 0, "refused": 0, "counted_wrong": 0}
    assert (metrics.numbers[0].readings, metrics.numbers[0].unread_wrong, metrics.extras["audit"]) == ({}, None, None)
    flags = {"higher_is_better": True, "right_or_wrong": False}
    assert {name: getattr(metrics.numbers[0], name) for name in (*counts, *flags)} == counts | flags
    assert set(asdict(metrics.outcomes).values()) == {0}
    (stored,) = metrics.judges
    assert (stored.verdicts, stored.failed, stored.missing) == (0, 0, 0)
    assert (stored.tokens, stored.input_tokens) == (0, 0)
    assert (metrics.missing_verdicts, metrics.failed_verdicts) == (0, 0)
    assert (metrics.usage.requests, metrics.usage.attempts, metrics.usage.cached) == (0, 0, 0)
    assert metrics.usage.samples_without_usage == 0
    assert metrics.speed
    assert metrics.speed.passes == 1
    assert (metrics.format, metrics.task.version, metrics.complete) == (1, 1, False)


@pytest.mark.parametrize(
    ("amount", "text"),
    [(1234.5, "1,234.50 EUR"), (1.0, "1.00 EUR"), (0.99999, "1 EUR"), (0.5, "0.5 EUR"), (0.0, "0.00 EUR")],
)
def test_money_has_two_decimals_or_four_digits(amount: float, text: str) -> None:
    assert format_money(amount, "EUR") == text


def test_run_without_metrics_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"metrics\.json not found: the run has not been scored yet"):
        read_metrics(tmp_path)


def test_damaged_metrics_name_the_command_that_writes_them_again(tmp_path: Path) -> None:
    (tmp_path / "metrics.json").write_text('{"task": {"name": 5}}')
    with pytest.raises(DataError, match=r"task\.name: .* Run `auricle score .*` to write it again\."):
        read_metrics(tmp_path)


def test_failure_example_names_the_row() -> None:
    record = Record(sample=Sample(id="a", inputs={}, origin="x.jsonl:3"), row=2, error=Failure("Rejected", "no"))
    assert FailureExample.from_record(record) == FailureExample("a", "x.jsonl:3", "no")


def test_damaged_metrics_are_not_current_and_newer_ones_are_refused(tmp_path: Path) -> None:
    assert read_current_metrics(tmp_path) is None
    write_metrics(tmp_path, METRICS)
    assert read_current_metrics(tmp_path) == METRICS
    text = (tmp_path / "metrics.json").read_text()
    (tmp_path / "metrics.json").write_text(text[:100])
    assert read_current_metrics(tmp_path) is None
    (tmp_path / "metrics.json").write_text(text.replace('"format": 1', '"format": 99'))
    with pytest.raises(UnknownFormat, match="format 99"):
        read_current_metrics(tmp_path)


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        (OutcomeCounts(total=24, answered=24, empty=24), ExitStatus.FAILURES),
        (OutcomeCounts(total=100, answered=100, empty=95), ExitStatus.FAILURES),
        (OutcomeCounts(total=100, answered=100, empty=94), ExitStatus.OK),
        (OutcomeCounts(total=100, answered=100, empty=100, rightly_empty=100), ExitStatus.OK),
        (OutcomeCounts(total=100, answered=100, empty=99, rightly_empty=98), ExitStatus.OK),
        (OutcomeCounts(), ExitStatus.OK),
    ],
)
def test_a_run_that_answers_hardly_anything_has_failed(counts: OutcomeCounts, expected: ExitStatus) -> None:
    assert RunResult(path=Path("run"), outcomes=counts).exit_status == expected
    scored = replace(METRICS, outcomes=counts, judges=(), journal=JournalHealth())
    assert RunResult(path=Path("run"), outcomes=OutcomeCounts(), metrics=scored).exit_status == expected


def test_coverage_is_the_share_of_answers_that_were_read() -> None:
    number = replace(make_number(), scored=8, total=10, unreadable=2, refused=1, counted_wrong=3)
    assert (number.read, number.coverage) == (5, 0.5)
    assert replace(number, counted_wrong=0).coverage == 0.8


def test_numbers_are_written_without_waiting_for_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[int] = []
    monkeypatch.setattr("os.fsync", synced.append)
    write_metrics(tmp_path, METRICS)
    assert synced == [], "they can be derived again"


def test_numbers_are_current_only_if_all_their_sources_are(tmp_path: Path) -> None:
    for name in ("outputs.jsonl", "verdicts.jsonl"):
        (tmp_path / name).write_text("x")
    sources = take_fingerprints(tmp_path, ["outputs.jsonl", "verdicts.jsonl"])
    metrics = replace(METRICS, sources=sources)
    write_metrics(tmp_path, metrics)
    assert read_current_metrics(tmp_path) == metrics
    (tmp_path / "verdicts.jsonl").write_text("y")
    assert read_current_metrics(tmp_path) is None
