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


def test_prompts_share_a_column_only_if_asked(auricle: RunAuricle, quiz: Path, finished: CompletedProcess[str]) -> None:
    words = ("run", quiz, "--as", "qa", "-m", "echo", "-T", "prompt=Answer: {question}", "-o", "other")
    assert auricle(*words).returncode == 0
    separate, shared = (
        auricle("leaderboard", "run", "other", *option).stdout.splitlines()[0].count("|")
        for option in ((), ("--ignore-prompt",))
    )
    assert separate == shared + 1
