"""What is loaded of a run."""

from pathlib import Path
from typing import Any

import pytest

from auricle import SpecError, compare
from auricle.core.serialization import digest
from auricle.report.shown_comparison import ShownComparison
from auricle.runs import journal
from auricle.runs.journal import LatestRecords, encode_removal
from auricle.runs.metrics import read_metrics
from auricle.scoring.compare import compare_runs, loading
from tests.support.journal_lines import change_line


def test_missing_scores_name_the_command_that_writes_them(run: Any, quiz: Any) -> None:
    a = run("a", quiz())
    (a / "scores.jsonl").unlink()
    with pytest.raises(SpecError, match=f"auricle score {a}"):
        compare(a, a)


def test_samples_that_were_sent_again_or_removed_are_compared_by_their_last_record(run: Any, quiz: Any) -> None:
    a, b = run("a", quiz()), run("b", quiz(), wrong=0.2)
    before = compare(a, b)
    journal = a / "outputs.jsonl"
    lines = journal.read_bytes().splitlines(keepends=True)
    failed = [
        change_line(line, outputs=[], error={"kind": "Timeout", "message": "slow"}, target="other") for line in lines
    ]
    removed = change_line(lines[0], id="removed", key="other") + encode_removal(digest("removed"))
    journal.write_bytes(b"".join(failed) + removed + b"".join(lines))
    after = ShownComparison.of(compare_runs((a, b), (read_metrics(a), read_metrics(b))))
    assert (after.pairs, after.rows, after.flips) == (before.pairs, before.rows, before.flips)


def test_each_journal_is_read_once(run: Any, quiz: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    passes: list[Path] = []

    def read_latest(path: Path, *arguments: Any) -> LatestRecords:
        passes.append(path)
        return journal.read_latest(path, *arguments)

    def refuse(path: Path) -> Any:
        raise AssertionError(f"{path} is read again")

    runs = run("a", quiz()), run("b", quiz(), wrong=0.2)
    monkeypatch.setattr(loading, "read_latest", read_latest)
    monkeypatch.setattr(journal, "read_lines", refuse)
    assert compare(*runs).flips["exact_match"]
    assert passes == [path / "outputs.jsonl" for path in runs]
