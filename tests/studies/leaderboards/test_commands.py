"""`auricle leaderboard`: formats and options."""

import json
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from tests.support.cli_types import RunAuricle


@pytest.mark.parametrize(
    ("words", "part"), [((), "| "), (("--format", "csv"), "exact_match,"), (("--format", "latex"), "\\begin{tabular}")]
)
def test_leaderboard_is_printed_in_each_format(
    auricle: RunAuricle, finished: CompletedProcess[str], words: tuple[str, ...], part: str
) -> None:
    done = auricle("leaderboard", "run", *words)
    assert done.returncode == 0, done.stderr
    assert part in done.stdout


def test_results_are_printed_as_json(auricle: RunAuricle, finished: CompletedProcess[str]) -> None:
    (result,) = json.loads(auricle("leaderboard", "run", "--json").stdout)
    assert (result["model"], result["metric"], result["value"], result["run"]) == ("echo", "exact_match", 1.0, "run")


def test_a_folder_stands_for_the_runs_in_it(auricle: RunAuricle, finished: CompletedProcess[str]) -> None:
    """As after `auricle demo`, when `runs/*` contains a folder of runs."""
    folder = Path(finished.stdout.rpartition("Report: ")[2].strip()).parent.parent
    (result,) = json.loads(auricle("leaderboard", folder, "--json").stdout)
    assert (result["model"], Path(result["run"]).name) == ("echo", "run")
    (folder / "notes").mkdir()
    assert "Not a run directory: notes" in auricle("leaderboard", "notes").stderr


def test_prompts_share_a_column_only_if_asked(auricle: RunAuricle, quiz: Path, finished: CompletedProcess[str]) -> None:
    words = ("run", quiz, "--as", "qa", "-m", "echo", "-T", "prompt=Answer: {question}", "-o", "other")
    assert auricle(*words).returncode == 0
    separate, shared = (
        auricle("leaderboard", "run", "other", *option).stdout.splitlines()[0].count("|")
        for option in ((), ("--ignore-prompt",))
    )
    assert separate == shared + 1


def test_a_website_is_written_instead_of_a_table(auricle: RunAuricle, finished: CompletedProcess[str]) -> None:
    done = auricle("leaderboard", "run", "--site", "site", "--title", "Quiz masters")
    assert done.returncode == 0, done.stderr
    folder = Path(done.stdout.removeprefix("Website: ").partition("/index.html")[0])
    assert "<title>Quiz masters</title>" in (folder / "index.html").read_text(encoding="utf-8")
    assert len(list((folder / "runs").glob("echo-*.html"))) == 1
    printed = auricle("leaderboard", "run", "--site", "site", "--json").stdout
    results = json.loads((folder / "leaderboard.json").read_text(encoding="utf-8"))["results"]
    assert json.loads(printed) == [{name: result[name] for name in result if name != "column"} for result in results]
    assert len(list((folder / "samples").rglob("*.html"))) == 5
    auricle("leaderboard", "run", "--site", "site", "--samples", "0")
    assert not list((folder / "samples").rglob("*.html"))
    assert (
        auricle("leaderboard", "run", "--site", "site", "--format", "csv").stdout.splitlines()[0].startswith("model,")
    )


def test_options_of_a_website_need_one(auricle: RunAuricle, finished: CompletedProcess[str]) -> None:
    done = auricle("leaderboard", "run", "--audio")
    assert done.returncode == 2
    assert "add --site DIR" in done.stderr


def test_a_folder_with_other_files_is_not_overwritten(auricle: RunAuricle, finished: CompletedProcess[str]) -> None:
    done = auricle("leaderboard", "run", "--site", "run")
    assert done.returncode == 2
    assert "already contains other files" in done.stderr
