"""Filters of runs."""

from pathlib import Path
from typing import Any

import pytest

from auricle.core.errors import SpecError
from auricle.core.signature import Signature
from auricle.runs.metrics import Number
from auricle.runs.run_filter import RunFilter
from auricle.runs.run_notes import RunNotes
from auricle.runs.run_summary import RunSummary


def number(metric: str, value: float, unit: str = "share") -> Number:
    return Number(
        metric=metric,
        details={},
        value=value,
        unit=unit,
        scored=90,
        total=100,
        signature=Signature.parse(f"{metric}:1"),
    )


def run(name: str, **fields: Any) -> RunSummary:
    return RunSummary(name=name, path=Path(name), **fields)


RUNS = [
    run("good", status="done", model="whisper · large", task="demo", created="2026-11-02T10:00:00+00:00", failed=0,
        numbers=(number("wer", 0.05), number("mos", 4.2, "")), seconds=30.0, cost=0.5),
    run("bad", status="failed", model="whisper · tiny", task="demo", created="2026-10-30T10:00:00+00:00", failed=10,
        numbers=(number("wer", 0.4),), seconds=7200.0, notes=RunNotes(title="Worst of all", tags=("paper",))),
    run("quiz", status="stopped", model="echo", task="quiz", notes=RunNotes(note="Check the prompt")),
]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("", ["good", "bad", "quiz"]),
        ("status:failed wer>20", ["bad"]),
        ("wer>20", ["bad"]),
        ("WER<=5%", ["good"]),
        ("mos>=4", ["good"]),
        ("mos>4.5", []),
        ("whisper", ["good", "bad"]),
        ("whisper -tiny", ["good"]),
        ("-status:done", ["bad", "quiz"]),
        ("model:WHISPER task=demo", ["good", "bad"]),
        ("status=done status=stopped", ["good", "quiz"]),
        ("status=don", []),
        ('"worst of"', ["bad"]),
        ('note:"the prompt"', ["quiz"]),
        ("tag:paper", ["bad"]),
        ("metric:wer", ["good", "bad"]),
        ("n>=90 failed=0", ["good"]),
        ("failed!=0", ["bad"]),
        ("coverage<95", ["good", "bad"]),
        ("duration>1h", ["bad"]),
        ("duration<2min", ["good"]),
        ("cost>0.1", ["good"]),
        ("date>=2026-11", ["good"]),
        ("date=2026-10-30", ["bad"]),
        ("date<2027", ["good", "bad"]),
    ],
)
def test_runs_that_match_all_terms_are_kept(text: str, names: list[str]) -> None:
    run_filter = RunFilter.parse(text)
    assert [run.name for run in RUNS if run_filter.matches(run)] == names


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("wer>much", "Not a number in the filter: wer is compared with 'much'. Write, for example, wer>20."),
        ("date>yesterday", "Not a date in the filter: 'yesterday'. Write 2026, 2026-11 or 2026-11-17."),
        ("colour:red", "Unknown field 'colour' in the filter. Fields of text: status, name"),
    ],
)
def test_filter_that_cannot_be_applied_is_explained(text: str, message: str) -> None:
    with pytest.raises(SpecError, match=message.replace("(", r"\(")):
        RunFilter.parse(text)
