"""Journals that grow while they are followed."""

from pathlib import Path

from auricle.core.serialization import digest
from auricle.core.types import Failure, Generation, Record, Sample
from auricle.runs.journal import encode_record_line, encode_removal
from auricle.runs.journal_follower import JournalFollower
from tests.support.calls import make_recording


def line(sample_id: str, *, failed: bool = False) -> bytes:
    sample = Sample(id=sample_id, inputs={"question": "x"}, meta={"error": None})
    outputs = () if failed else (Generation(text="y"),)
    return encode_record_line(
        Record(sample=sample, row=0, outputs=outputs, error=Failure("Refused", "no") if failed else None)
    )


def append(path: Path, *lines: bytes) -> None:
    with path.open("ab") as journal:
        journal.writelines(lines)


def test_samples_are_counted_once_as_they_arrive(tmp_path: Path) -> None:
    path = tmp_path / "outputs.jsonl"
    follower = JournalFollower(path)
    follower.update()
    assert (follower.done, follower.failed) == (0, 0)
    append(path, line("a"), line("b", failed=True), line("c", failed=True))
    follower.update()
    assert (follower.done, follower.failed) == (3, 2)
    append(path, line("b"), encode_removal(digest("c")))
    follower.update()
    assert (follower.done, follower.failed) == (2, 0)


def test_calls_that_the_agent_dropped_are_counted_until_they_are_called_again(tmp_path: Path) -> None:
    follower = JournalFollower(tmp_path / "outputs.jsonl")
    sample, calls = Sample(id="a", inputs={}), [make_recording(audio=None, finish=f) for f in ("dropped", "completed")]
    counts = []
    for call in calls:
        append(tmp_path / "outputs.jsonl", encode_record_line(Record(sample=sample, row=0, outputs=(call,))))
        follower.update()
        counts.append((follower.done, follower.dropped))
    assert counts == [(1, 1), (1, 0)]


def test_incomplete_line_is_counted_when_it_is_complete(tmp_path: Path) -> None:
    path = tmp_path / "outputs.jsonl"
    follower = JournalFollower(path)
    content = line("a")
    append(path, content[:20])
    follower.update()
    assert follower.done == 0
    append(path, content[20:])
    follower.update()
    assert follower.done == 1


def test_journal_that_was_replaced_is_counted_from_its_start(tmp_path: Path) -> None:
    path = tmp_path / "outputs.jsonl"
    append(path, line("a"), line("b"))
    follower = JournalFollower(path)
    follower.update()
    path.write_bytes(line("c"))
    follower.update()
    assert (follower.done, [record.sample.id for record in follower.latest_records(5)]) == (1, ["c"])


def test_time_left_follows_the_recent_rate(tmp_path: Path) -> None:
    path, now = tmp_path / "outputs.jsonl", [0.0]
    follower = JournalFollower(path, clock=lambda: now[0])
    follower.update()
    assert follower.seconds_left(100) is None  # nothing has been added, such as while a model loads
    for now[0], count in ((100.0, 10), (110.0, 20), (175.0, 40)):
        append(path, *(line(f"{now[0]} {number}") for number in range(count)))
        follower.update()
    assert follower.rate == 40 / 65  # since the last update that is at least a minute ago
    assert follower.seconds_left(110) == 40 / (40 / 65)
    assert follower.seconds_left(None) is None


def test_latest_records_come_first_and_may_be_failures_alone(tmp_path: Path) -> None:
    path = tmp_path / "outputs.jsonl"
    append(path, line("a"), line("b", failed=True), line("c"))
    follower = JournalFollower(path)
    follower.update()
    assert [record.sample.id for record in follower.latest_records(2)] == ["c", "b"]
    assert [record.sample.id for record in follower.latest_records(2, failed_only=True)] == ["b"]
