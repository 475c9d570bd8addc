"""A damaged or edited journal hides nothing: damage is counted, named, excluded and repaired."""

import json
import os
import random
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from auricle import Settings, Spec, api
from auricle.core.errors import DataError, ExitStatus
from auricle.core.types import Failure, Generation, Record, Sample
from auricle.runs.journal import JournalIndex, encode_record_line
from auricle.runs.metrics import read_current_metrics, read_metrics

SAMPLES = 30
SETTINGS = Settings(concurrency=4)


@pytest.fixture
def spec(tmp_path: Path) -> Spec:
    data = tmp_path / "data.jsonl"
    rows = ({"id": f"s{number}", "question": f"{number}?", "answer": f"{number}?"} for number in range(SAMPLES))
    data.write_text("".join(json.dumps(row) + "\n" for row in rows))
    (tmp_path / "counting.py").write_text(
        "from pathlib import Path\n"
        "from auricle import AsyncModel, Generation\n"
        "class Counting(AsyncModel):\n"
        "    async def generate(self, request):\n"
        "        with Path(__file__).with_name('asked').open('a') as log:\n"
        "            log.write(request.turns[-1].parts[0] + '\\n')\n"
        "        return Generation(text=request.turns[-1].parts[0])\n"
    )
    arguments = {"data": str(data), "metrics": ["exact_match"]}
    return Spec(task="qa", task_args=arguments, model=f"{tmp_path / 'counting.py'}:Counting")


@pytest.fixture
def run(spec: Spec, tmp_path: Path) -> Path:
    result = api.evaluate(spec, tmp_path / "run", settings=SETTINGS)
    assert result.exit_status is ExitStatus.OK
    (tmp_path / "asked").write_text("")
    return tmp_path / "run"


def read_asked(run: Path) -> list[str]:
    return (run.parent / "asked").read_text().split()


def change_lines(run: Path, change: Callable[[int, bytes], bytes]) -> None:
    """Change lines of the journal, and set its time back to where it was."""
    journal = run / "outputs.jsonl"
    status = journal.stat()
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join(change(number, line) for number, line in enumerate(lines, 1)))
    os.utime(journal, ns=(status.st_atime_ns, status.st_mtime_ns))


def overwrite_with_nul(line: bytes) -> bytes:
    return line[:20] + bytes(10) + line[30:]


def test_lines_rewritten_by_another_program_count(run: Path, spec: Spec) -> None:
    change_lines(run, lambda n, line: json.dumps(json.loads(line)).encode() + b"\n" if n % 2 else line)
    result = api.score(run)
    assert (result["exact_match"].scored, result["exact_match"].total, result.exit_status) == (
        SAMPLES,
        SAMPLES,
        ExitStatus.OK,
    )
    change_lines(run, lambda _, line: json.dumps(dict(reversed(json.loads(line).items()))).encode() + b"\n")
    assert api.evaluate(spec, run, settings=SETTINGS).exit_status is ExitStatus.OK
    assert read_asked(run) == []


def test_damaged_lines_are_counted_named_and_excluded(run: Path) -> None:
    change_lines(run, lambda n, line: overwrite_with_nul(line) if n in (3, 7) else line)
    result = api.score(run)
    number = result["exact_match"]
    assert (number.scored, number.total, result.exit_status) == (SAMPLES - 2, SAMPLES, ExitStatus.FAILURES)
    assert number.coverage == pytest.approx(28 / 30)
    stored = read_metrics(run)
    assert [(line.line, line.reason) for line in stored.journal.damaged] == [
        (3, "contains NUL bytes"),
        (7, "contains NUL bytes"),
    ]
    note = "2 lines (3, 7) of outputs.jsonl are damaged and were not used."
    assert note in stored.notes
    assert note in (run / "report.html").read_text("utf-8")


def test_edited_answer_is_not_counted(run: Path) -> None:
    change_lines(run, lambda n, line: line.replace(b'"text":"', b'"text":"x') if n == 5 else line)
    (damaged,) = api.score(run).metrics.journal.damaged  # type: ignore[union-attr]
    assert (damaged.line, damaged.reason) == (5, "does not match its checksum")


def test_resuming_sends_damaged_samples_again_and_nothing_else(run: Path, spec: Spec) -> None:
    lines = (run / "outputs.jsonl").read_bytes().splitlines()
    lost = sorted(json.loads(lines[number])["inputs"]["question"] for number in (2, 6))
    change_lines(run, lambda n, line: overwrite_with_nul(line) if n in (3, 7) else line)
    result = api.evaluate(spec, run, settings=SETTINGS)
    assert sorted(read_asked(run)) == lost
    assert (result["exact_match"].scored, result.exit_status) == (SAMPLES, ExitStatus.OK)
    assert [line.line for line in result.moved_lines] == [3, 7]
    assert len((run / "outputs.damaged.jsonl").read_bytes().splitlines()) == 2
    assert api.score(run).exit_status is ExitStatus.OK


def test_truncated_journal_with_an_old_time_is_noticed(run: Path) -> None:
    change_lines(run, lambda n, line: line if n <= 20 else b"")
    assert read_current_metrics(run) is None
    metrics = api.load_metrics(run)
    assert (metrics["exact_match"].scored, metrics["exact_match"].total, metrics.journal.missing) == (20, SAMPLES, 10)
    assert any("10 of 30 samples have no record" in note for note in metrics.notes)


def test_coverage_without_progress_counts_damaged_lines(run: Path) -> None:
    (run / "progress.json").unlink()
    change_lines(run, lambda n, line: overwrite_with_nul(line) if n == 3 else line)
    number = api.score(run)["exact_match"]
    assert (number.scored, number.total) == (SAMPLES - 1, SAMPLES)


def test_metrics_of_an_unchanged_or_copied_journal_are_current(run: Path) -> None:
    assert read_current_metrics(run)
    content = (run / "outputs.jsonl").read_bytes()
    (run / "outputs.jsonl").unlink()
    (run / "outputs.jsonl").write_bytes(content)
    assert read_current_metrics(run)


WRONG_DOCUMENTS = {
    "truncated": b'{"format": 1, "comp',
    "empty": b"",
    "list": b"[1, 2]",
    "wrong types": b'{"format": 1, "complete": "yes", "passes": {"a": 1}, "identity": 3, "spec": [], "task": 4}',
    "newer format": b'{"format": 99}',
    "deep": b"[" * 100_000,
    "not UTF-8": b'{"format": 1, "x": "\xff"}',
}


@pytest.mark.parametrize("content", WRONG_DOCUMENTS.values(), ids=WRONG_DOCUMENTS.keys())
@pytest.mark.parametrize("name", ["spec.json", "progress.json"])
def test_damaged_document_is_one_clear_error(run: Path, name: str, content: bytes) -> None:
    (run / name).write_bytes(content)
    with pytest.raises(DataError, match=name) as caught:
        api.score(run)
    assert "\n" not in str(caught.value)
    if b"99" in content:
        assert "has format 99, which a newer version of Auricle wrote" in str(caught.value)


@pytest.mark.parametrize("content", WRONG_DOCUMENTS.values(), ids=WRONG_DOCUMENTS.keys())
def test_damaged_metrics_are_derived_again_unless_a_newer_version_wrote_them(run: Path, content: bytes) -> None:
    (run / "metrics.json").write_bytes(content)
    if b"99" in content:
        with pytest.raises(DataError, match=r"metrics\.json has format 99"):
            api.load_metrics(run)
    else:
        assert api.load_metrics(run)["exact_match"].scored == SAMPLES


# --- random damage ----------------------------------------------------------------------

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
RECORDS = st.builds(
    lambda sample_id, text, meta, row, failed: Record(
        sample=Sample(id=sample_id, inputs={"question": text}, meta=meta),
        row=row,
        outputs=() if failed else (Generation(text=text),),
        error=Failure("Rejected", text) if failed else None,
    ),
    TEXTS.filter(bool),
    TEXTS,
    st.dictionaries(TEXTS, st.one_of(TEXTS, st.integers(-5, 5), st.none())),
    st.integers(0, 1000),
    st.booleans(),
)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    records=st.lists(RECORDS, min_size=1, max_size=12, unique_by=lambda record: record.sample.id),
    seed=st.integers(0, 2**32),
    damages=st.integers(0, 6),
)
def test_random_damage_never_hides_a_record(
    tmp_path_factory: pytest.TempPathFactory, records: list[Record], seed: int, damages: int
) -> None:
    """Every undamaged record is read, every damaged line is named, and nothing raises."""
    random_source = random.Random(seed)
    lines = [encode_record_line(record) for record in records]
    damaged_numbers = set()
    for _ in range(damages):
        number = random_source.randrange(len(lines))
        line = bytearray(lines[number])
        position = random_source.randrange(len(line) - 1)  # not its line break
        replacement = random_source.choice([byte for byte in range(256) if byte not in (line[position], ord("\n"))])
        line[position] = replacement
        lines[number] = bytes(line)
        if _content(lines[number]) != _content(encode_record_line(records[number])):
            damaged_numbers.add(number + 1)
        else:
            damaged_numbers.discard(number + 1)
    path = tmp_path_factory.mktemp("random") / "outputs.jsonl"
    path.write_bytes(b"".join(lines))
    with JournalIndex(path) as index:
        read = {record.sample.id: record for record in index.records()}
        assert {line.line for line in index.damaged} == damaged_numbers
    assert read == {record.sample.id: record for n, record in enumerate(records, 1) if n not in damaged_numbers}


def _content(line: bytes) -> object:
    try:
        return json.loads(line)
    except ValueError:
        return line


def test_missing_journal_has_no_records(tmp_path: Path) -> None:
    assert len(JournalIndex(tmp_path / "outputs.jsonl")) == 0
