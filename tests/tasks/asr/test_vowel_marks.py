"""Vowel marks that only one side has are noted once per run."""

import json
from pathlib import Path

import pytest

from auricle import Spec, evaluate

ARABIC, BARE_ARABIC = "ذَهَبَ الوَلَدُ", "ذهب الولد"
HEBREW, BARE_HEBREW = "שָׁלוֹם", "שלום"


def notes_of(folder: Path, pairs: list[tuple[str, str]], profile: str) -> tuple[str, ...]:
    data = folder / "rows.jsonl"
    rows = [{"question": answer, "answer": reference} for reference, answer in pairs]
    data.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    task_args = {"data": str(data), "prompt": "{question}", "metrics": "wer"}
    run = evaluate(Spec(task="qa", task_args=task_args, model="echo", profile=profile), folder / "run")
    assert run.metrics
    return run.metrics.notes


@pytest.mark.parametrize(
    ("pairs", "profile", "start", "end"),
    [
        ([(ARABIC, BARE_ARABIC)] * 2, "basic", "2 of 2 references have Arabic vowel marks", "--profile basic+harakat."),
        ([(BARE_ARABIC, ARABIC), ("yes", "yes")], "basic", "1 of 1 answers have Arabic", "--profile basic+harakat."),
        ([(HEBREW, BARE_HEBREW)], "basic+alef", "1 of 1 references have Hebrew", "--profile basic+alef+niqqud."),
    ],
)
def test_marks_of_one_side_are_noted_with_the_profile_that_removes_them(
    tmp_path: Path, pairs: list[tuple[str, str]], profile: str, start: str, end: str
) -> None:
    (note,) = notes_of(tmp_path, pairs, profile)
    assert note.startswith(start)
    assert note.endswith(end)


@pytest.mark.parametrize(
    ("pairs", "profile"),
    [
        ([(ARABIC, BARE_ARABIC)], "basic+harakat"),
        ([(ARABIC, ARABIC), (BARE_HEBREW, BARE_HEBREW), ("yes", "no")], "basic"),
        ([(ARABIC, BARE_ARABIC), *[(BARE_ARABIC, BARE_ARABIC)] * 10], "basic"),
    ],
)
def test_marks_of_both_sides_or_of_few_samples_are_not_noted(
    tmp_path: Path, pairs: list[tuple[str, str]], profile: str
) -> None:
    assert notes_of(tmp_path, pairs, profile) == ()
