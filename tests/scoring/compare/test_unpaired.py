"""Comparisons of two groups of different samples."""

import json
from pathlib import Path
from typing import Any

import pytest

from auricle import SpecError, compare
from auricle.report.comparison_text import describe_row, format_comparison
from auricle.scoring.compare import Split
from tests.support.comparisons import find_row

LABELS = ["angry", "happy", "neutral", "sad"]
LISTENER = """
import re
from auricle import AsyncModel, Generation, SampleError

class Listener(AsyncModel):
    \"\"\"Recognises the emotions of people, and hears only sadness in generated speech.\"\"\"

    def __init__(self, *, fail_every=0):
        self.fail_every = fail_every

    async def generate(self, request):
        source, number = re.search(r"(\\w+) clip (\\d+)", str(request.turns)).groups()
        if self.fail_every and int(number) % self.fail_every == 0:
            raise SampleError("cannot be heard")
        labels = ["angry", "happy", "neutral", "sad"]
        return Generation(text=labels[int(number) % 4] if source == "human" else "sad")
"""


@pytest.fixture
def speech(manifest: Any) -> Any:
    """Write clips of people and of a synthesiser, with ids and texts that differ."""

    def write(source: str, count: int = 48, **changes: Any) -> Any:
        rows = [
            {"id": f"{source}-{at}", "question": f"{source} clip {at}", "label": LABELS[at % 4], "choices": LABELS,
             "source": source, "sex": "fm"[at % 2], **changes}
            for at in range(count)
        ]  # fmt: skip
        return manifest(rows, f"{source}.jsonl")

    return write


@pytest.fixture
def listen(run: Any, tmp_path: Path) -> Any:
    """Run the listener on a file."""
    (tmp_path / "listener.py").write_text(LISTENER)

    def make(name: str, data: Any, **arguments: Any) -> Any:
        return run(name, data, kind="classify", model=f"{tmp_path / 'listener.py'}:Listener", **arguments)

    return make


@pytest.fixture
def human_and_generated(listen: Any, speech: Any) -> tuple[Path, Path]:
    return listen("human", speech("human")), listen("generated", speech("generated", 32))


def test_runs_without_common_samples_are_compared_as_independent_groups(human_and_generated: Any) -> None:
    comparison = compare(*human_and_generated)
    assert not comparison.is_paired
    row = find_row(comparison, "accuracy")
    assert (row.samples, row.n) == ((48, 32), 80)
    assert (row.value_a, row.value_b, row.method) == (1.0, 0.25, "agresti-caffo")
    assert row.p < 0.001
    assert row.low < row.difference < row.high
    assert "No sample is in both runs: they are compared as independent samples." in comparison.notes
    assert not comparison.flips


def test_runs_with_common_samples_are_paired_unless_requested(run: Any, quiz: Any) -> None:
    a, b = run("a", quiz()), run("b", quiz(), model="fake-api", reply="no")
    assert compare(a, b).is_paired
    comparison = compare(a, b, unpaired=True)
    assert (comparison.is_paired, find_row(comparison, "exact_match").samples) == (False, (40, 40))
    assert any("40 samples in both runs" in note for note in comparison.notes)


def test_two_groups_of_one_run_are_compared(listen: Any, manifest: Any, speech: Any) -> None:
    rows = [line for source in ("human", "generated") for line in speech(source, 20).read_text().splitlines()]
    both = listen("both", manifest(rows, "both.jsonl"))
    comparison = compare(both, both, unpaired="source=human,generated", by="sex")
    assert (comparison.a.group, comparison.b.group) == ("source=human", "source=generated")
    assert (comparison.a.samples, comparison.b.samples) == (20, 20)
    row = find_row(comparison, "accuracy")
    assert (row.value_a, row.value_b) == (1.0, 0.25)
    assert [part.group for part in comparison.breakdown if part.metric == "accuracy"] == ["f", "m"]
    assert find_row(comparison, "accuracy", "m").samples == (10, 10)
    assert [find_row(comparison, "accuracy", sex).value_b for sex in "fm"] == [0.0, 0.5]
    assert comparison.matrix
    assert (comparison.matrix.n_baseline, comparison.matrix.n_candidate) == ((5.0,) * 4, (5.0,) * 4)


def test_shifts_of_dimensions_are_those_of_group_means(run: Any, speech: Any, models: Any) -> None:
    arguments = {"kind": "classify", "model": models("Dimensions")}
    human = run("human", speech("human"), **arguments)
    generated = run("generated", speech("generated", 32), shift=0.5, **arguments)
    comparison = compare(human, generated)
    overall = next(shift for shift in comparison.shifts if (shift.dimension, shift.label) == ("arousal", ""))
    assert overall.samples == (48, 32)
    assert overall.difference == pytest.approx(0.5, abs=0.2)
    assert overall.low > 0
    assert overall.cohens_d > 1
    assert {shift.label for shift in comparison.shifts} == {"", *LABELS}


def test_failed_samples_are_left_out_and_give_bounds(listen: Any, speech: Any) -> None:
    comparison = compare(
        listen("human", speech("human", 20)), listen("generated", speech("generated", 20), fail_every=5)
    )
    row = find_row(comparison, "accuracy")
    assert row.samples == (20, 16)
    assert (row.worst, row.best, row.unbounded) == (4 / 20 - 1, 8 / 20 - 1, 0)
    assert any("4 samples failed (0 in A, 4 in B)" in note for note in comparison.notes)


def test_a_group_that_one_side_did_not_answer_is_left_out(listen: Any, speech: Any) -> None:
    """Every second sample fails, which are all of one sex."""
    generated = listen("generated", speech("generated", 20), fail_every=2)
    comparison = compare(listen("human", speech("human", 20)), generated, by="sex")
    assert {row.group for row in comparison.breakdown} == {"m"}


def test_a_label_of_one_side_has_no_shift(run: Any, speech: Any, models: Any) -> None:
    runs = [
        run(name, speech(name, count), kind="classify", model=models("Dimensions"))
        for name, count in (("human", 8), ("generated", 3))
    ]
    assert {shift.label for shift in compare(*runs).shifts} == {"", "angry", "happy", "neutral"}


def test_the_text_names_groups_tasks_and_sizes(human_and_generated: Any) -> None:
    comparison = compare(*human_and_generated)
    lines = list(format_comparison(comparison))
    assert "48 samples in A and 32 in B, compared as independent groups" in lines
    header = next(line for line in lines if line.startswith("task"))
    assert "better" not in header
    row = next(line for line in lines if " accuracy ↑" in line)
    assert row.startswith("classify-human / classify-generated  accuracy")
    assert "48 / 32" in row
    assert "all pairs" not in describe_row(find_row(comparison, "accuracy"))


def test_the_page_shows_the_sizes_of_both_groups(human_and_generated: Any, tmp_path: Path) -> None:
    compare(*human_and_generated).write_html(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert "48 / 32" in page
    assert "classify-human" in page
    assert "classify-generated" in page
    assert "Samples in A" in page
    assert "Agresti and Caffo" in page


def test_groups_are_compared_on_the_command_line(auricle: Any, human_and_generated: Any) -> None:
    human, generated = human_and_generated
    result = auricle("compare", human, "--between", "sex=f,m", "--json")
    document = json.loads(result.stdout)
    assert (document["a"]["group"], document["b"]["group"], document["pairing"]) == ("sex=f", "sex=m", "none")
    assert auricle("compare", human, generated, "--unpaired").returncode == 0
    missing = auricle("compare", human)
    assert missing.returncode == 2
    assert "--between FIELD=X,Y" in missing.stderr


@pytest.mark.parametrize("text", ["source", "source=human", "source=a,a", "=a,b", "source=a,b,c"])
def test_invalid_groups_are_rejected(text: str) -> None:
    with pytest.raises(SpecError, match="expected FIELD=VALUE_A,VALUE_B"):
        Split.parse(text)


def test_a_value_that_no_sample_has_is_rejected_with_those_that_exist(human_and_generated: Any) -> None:
    human, generated = human_and_generated
    with pytest.raises(SpecError, match=r"has sex=x\. Values of sex: f, m\."):
        compare(human, human, unpaired="sex=f,x")
    with pytest.raises(SpecError, match="no value of the metadata field 'source' in common"):
        compare(human, generated, by="source")
