"""`auricle log` and `auricle run --log`: names of trackers, notes and JSON."""

import json
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from subprocess import CompletedProcess

import pytest
from click.testing import CliRunner

from auricle.cli import cli
from auricle.engine.trackers.base import TRACKERS, FinalState, TrackedRun, Tracker
from tests.support.cli_types import RunAuricle


class FileTracker(Tracker):
    """Writes the names of runs, and their first number, to the file `tracked.txt`."""

    location = "tracked.txt"

    def start(self, run: TrackedRun) -> None:
        self._name = f"{run.project} {run.parameters['run']}"

    def log(self, *_: object) -> None: ...

    def finish(self, final: FinalState) -> None:
        sys.stdout.write("a line of the tracker\n")
        with Path(self.location).open("a", encoding="utf-8") as file:
            file.write(f"{self._name} {next(iter(final.numbers))}\n")


@pytest.fixture
def in_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[CliRunner]:
    """Run commands in this process and in an empty folder, with the tracker `file`."""
    monkeypatch.chdir(tmp_path)
    TRACKERS("file")(FileTracker)
    yield CliRunner()
    del TRACKERS._registered["file"]


def test_a_finished_run_is_logged(in_process: CliRunner, finished: CompletedProcess[str], tmp_path: Path) -> None:
    result = in_process.invoke(cli, ["log", "run", "--to", "file", "--project", "speech"])
    assert result.exit_code == 0, result.output
    assert result.stderr.splitlines()[-1] == "Logged run to file: tracked.txt"
    assert (tmp_path / "tracked.txt").read_text() == "speech run exact_match\n"


def test_json_is_not_mixed_with_what_trackers_print(in_process: CliRunner, finished: CompletedProcess[str]) -> None:
    result = in_process.invoke(cli, ["log", "run", "--to", "file", "--json"])
    (entry,) = json.loads(result.stdout)
    assert (entry["run"], entry["tracker"], entry["location"]) == ("run", "file", "tracked.txt")
    assert entry["numbers"]["exact_match"] == 1.0
    assert "a line of the tracker" in result.stderr


def test_a_run_is_logged_while_it_goes_on(in_process: CliRunner, quiz: Path, tmp_path: Path) -> None:
    config = tmp_path / "run.yaml"
    config.write_text(
        textwrap.dedent(f"""\
            task: {quiz}
            as: qa
            model: echo
            log: file
            log_project: speech
            out: run
        """)
    )
    result = in_process.invoke(cli, ["run", "--config", str(config)])
    assert result.exit_code == 0, result.output
    assert "Logged to file: tracked.txt" in result.stderr
    assert (tmp_path / "tracked.txt").read_text() == "speech run exact_match\n"


def test_an_unknown_tracker_ends_a_command_before_it_sends_anything(
    auricle: RunAuricle, quiz: Path, tmp_path: Path
) -> None:
    done = auricle("run", quiz, "--as", "qa", "-m", "echo", "-o", "run", "--log", "tracky")
    assert done.returncode == 2
    assert "'tracky' is not one of 'mlflow', 'trackio', 'wandb'" in done.stderr
    (tmp_path / "run.yaml").write_text(f"task: {quiz}\nas: qa\nmodel: echo\nlog: [trackyo]\nout: run\n")
    for words in ((), ("--dry-run",)):
        done = auricle("run", "--config", "run.yaml", *words)
        assert done.returncode == 2
        assert "Unknown tracker 'trackyo'. Did you mean trackio" in done.stderr
    assert not (tmp_path / "run").exists()
