"""`auricle verify`: what is damaged, and the exit code."""

import json
from pathlib import Path
from subprocess import CompletedProcess

from tests.support.cli_types import RunAuricle


def test_intact_run_exits_with_0(auricle: RunAuricle, finished: CompletedProcess[str]) -> None:
    done = auricle("verify", "run")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("run: intact, ")


def test_damaged_run_exits_with_3_and_names_lines_and_samples(
    auricle: RunAuricle, finished: CompletedProcess[str], tmp_path: Path
) -> None:
    journal = tmp_path / "run" / "outputs.jsonl"
    first, *others = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(first.replace(b'"attempts":1', b'"attempts":2') + b"".join(others))
    done = auricle("verify", "run")
    assert done.returncode == 3
    assert "Damaged: outputs.jsonl:1 does not match its checksum" in done.stdout
    assert "Outdated: metrics.json was made from another outputs.jsonl." in done.stdout
    assert "Running the same command again sends 1 sample (row 1)." in done.stdout
    (result,) = json.loads(auricle("verify", "run", "--json").stdout)
    assert (result["intact"], result["missing"], result["missing_rows"]) == (False, 1, [1])
    shown = auricle("show", "run")
    assert shown.returncode == 3
    assert "Note: 1 line (1) of outputs.jsonl is damaged and was not used." in shown.stdout
    assert auricle("score", "run").returncode == 3


def test_other_folder_is_refused(auricle: RunAuricle, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    done = auricle("verify", "empty")
    assert done.returncode == 2
    assert "Not a run directory: empty" in done.stderr
