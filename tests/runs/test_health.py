"""Counting what is damaged or missing, and noticing that a file changed."""

import os
import time
from pathlib import Path

import pytest

from auricle.runs.health import RECENT_NS, DamagedLine, Fingerprint, JournalHealth, describe_lines, take_fingerprints


def damage(*lines: int, file: str = "outputs.jsonl") -> list[DamagedLine]:
    return [DamagedLine(line, "is not valid JSON", file) for line in lines]


@pytest.mark.parametrize(
    ("records", "rows", "damaged", "total", "missing"),
    [
        (300, 300, [], 300, 0),
        (290, 300, damage(*range(10)), 300, 10),
        (290, 300, [], 300, 10),
        (300, 300, damage(4), 300, 0),
        (290, None, damage(*range(10)), 300, 10),
        (290, None, damage(1, file="verdicts.jsonl"), 290, 0),
        (300, 20, [], 300, 0),
    ],
)
def test_total_is_the_number_of_rows(
    records: int, rows: int | None, damaged: list[DamagedLine], total: int, missing: int
) -> None:
    health = JournalHealth.build(records, rows, damaged)
    assert (health.total, health.missing) == (total, missing)
    assert health.is_intact is not bool(damaged or missing)


def test_nothing_is_missing_from_a_run_that_has_not_begun() -> None:
    assert JournalHealth() == JournalHealth.build(0, None, [])
    assert (JournalHealth().total, JournalHealth().missing, JournalHealth().is_intact) == (0, 0, True)


def test_problems_are_described_with_line_numbers() -> None:
    health = JournalHealth.build(297, 300, [*damage(4, 9, 12), *damage(2, file="verdicts.jsonl")])
    assert health.describe() == (
        "3 lines (4, 9, 12) of outputs.jsonl are damaged and were not used.",
        "1 line (2) of verdicts.jsonl is damaged and was not used.",
        "3 of 300 samples have no record that can be read. "
        "Run the same `auricle run` command again to send what is missing.",
    )
    assert JournalHealth.build(300, 300, []).describe() == ()


@pytest.mark.parametrize(("records", "start"), [(299, "1 of 300 sample has no"), (298, "2 of 300 samples have no")])
def test_missing_samples_are_counted(records: int, start: str) -> None:
    (sentence,) = JournalHealth.build(records, 300, []).describe()
    assert sentence.startswith(start)


def test_many_lines_are_counted_and_some_are_named() -> None:
    health = JournalHealth.build(0, 500, damage(*range(1, 501)))
    assert (health.damaged_records, len(health.damaged)) == (500, 100)
    assert describe_lines(list(range(1, 501)), 500) == "500 lines (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, …)"


def test_fingerprint_notices_a_change_with_the_old_size_and_time(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"one")
    status = path.stat()
    fingerprint = Fingerprint.take(path)
    assert fingerprint.matches(path)
    path.write_bytes(b"two")
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert fingerprint.matches(path) is False
    path.write_bytes(b"on")
    assert fingerprint.matches(path) is False
    path.unlink()
    assert fingerprint.matches(path) is False


def test_unchanged_file_is_not_read_again(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"one")
    time.sleep(2 * RECENT_NS / 1e9)
    fingerprint = Fingerprint.take(path)
    assert fingerprint.changed_ns == path.stat().st_ctime_ns
    assert Fingerprint(fingerprint.size, "another digest", fingerprint.changed_ns).matches(path)


def test_copied_file_matches(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).write_bytes(b"one")
    fingerprints = take_fingerprints(tmp_path, ("a", "missing"))
    assert list(fingerprints) == ["a"]
    assert fingerprints["a"].matches(tmp_path / "b")


@pytest.mark.parametrize(("age", "is_trusted"), [(1, False), (20_000_000, False), (20_000_001, True)])
def test_the_time_of_a_file_is_trusted_if_it_is_not_recent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, age: int, is_trusted: bool
) -> None:
    path = tmp_path / "a"
    path.touch()
    changed_ns = path.stat().st_ctime_ns
    monkeypatch.setattr("auricle.runs.health.time.time_ns", lambda: changed_ns + age)
    assert Fingerprint.take(path).changed_ns == (changed_ns if is_trusted else 0)
