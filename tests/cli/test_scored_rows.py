"""Which rows a number is about: those that its run was asked for, however their answers came into its journal."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from auricle import api
from auricle.frameworks.exchange.result_export import export_run
from auricle.runs.integrity import verify_run
from auricle.runs.journal_follower import JournalFollower
from auricle.runs.run_spec import OUTPUTS_FILE
from tests.support.extras import is_installed

ROWS = [{"id": f"s{number}", "audio": f"{number}.wav", "text": f"word {number}"} for number in range(6)]
WITHOUT_IDS = [{"audio": row["audio"], "text": row["text"]} for row in ROWS]
RUN = "run mine.jsonl --as asr -m echo"

HISTORIES = {
    # The steps to the run `runs/it`, each with its data, and how many samples the run has timed; None if none.
    "a larger limit": (3, [(ROWS, f"{RUN} --limit 1 -o runs/it"), (ROWS, f"{RUN} --limit 3 -o runs/it")]),
    "a smaller limit": (None, [(ROWS, f"{RUN} -o runs/it"), (ROWS, f"{RUN} --limit 3 -o runs/it")]),
    "changed data": (None, [(ROWS, f"{RUN} --limit 5 -o runs/it"), (ROWS[:1:-1], f"{RUN} --limit 3 -o runs/it")]),
    "moved ids": (None, [(WITHOUT_IDS, f"{RUN} -o runs/it"), (WITHOUT_IDS[1:], f"{RUN} --limit 3 -o runs/it")]),
    "another run": (None, [(ROWS, f"{RUN} --perturb noise:snr=0"), (ROWS, f"{RUN} --limit 3 -o runs/it")]),
    "all of another run": (None, [(ROWS[:3], f"{RUN} --perturb noise:snr=0"), (ROWS[:3], f"{RUN} -o runs/it")]),
    "the cache": (None, [(ROWS, f"{RUN} --cache -o runs/a"), (ROWS, f"{RUN} --cache --limit 3 -o runs/it")]),
    "shards": (3, [(ROWS[:3], f"{RUN} --shards 2 -o runs/it")]),
    "an import": (
        3,
        [
            (ROWS, f"{RUN} --limit 3 -o runs/a"),
            (ROWS, "export runs/a --as open-asr -o exported"),
            (ROWS, "import exported --from open-asr -o runs/it"),
        ],
    ),
}
READERS: dict[str, Callable[[Path], int]] = {
    "score": lambda run: api.score(run)["wer"].total,
    "show": lambda run: api.load_metrics(run).outcomes.total,
    "compare": lambda run: api.compare(run, run, ["wer"]).rows[0].n,
    "export": lambda run: sum(
        len(path.read_text().splitlines()) for path in export_run(run, "open-asr", run.parent / "out")
    ),
    "verify": lambda run: verify_run(run).records,
    "status": lambda run: count_followed(run),
}
if is_installed("pandas"):
    READERS["samples"] = lambda run: len(api.samples(run))


def count_followed(run: Path) -> int:
    follower = JournalFollower(run / OUTPUTS_FILE)
    follower.update()
    return follower.done


@pytest.fixture
def perform(auricle: Any, manifest: Any, tone: Any) -> Callable[[list[tuple[Any, str]]], Any]:
    """Return a function that performs steps, and returns the result of the last of them."""
    for number in range(len(ROWS)):
        tone(f"{number}.wav", seconds=0.05 + number / 100)

    def perform_steps(steps: list[tuple[Any, str]]) -> Any:
        for rows, command in steps:
            manifest(rows)
            result = auricle(*command.split())
            assert result.returncode == 0, result.stderr
        return result

    return perform_steps


@pytest.mark.parametrize("history", HISTORIES)
def test_all_commands_are_about_the_rows_that_the_run_was_asked_for(history: str, perform: Any, tmp_path: Path) -> None:
    timed, steps = HISTORIES[history]
    output = perform(steps).stdout
    run = tmp_path / "runs/it"
    metrics = api.load_metrics(run)
    assert {name: read(run) for name, read in READERS.items()} == dict.fromkeys(READERS, 3)
    assert (metrics.speed and metrics.speed.samples) == timed
    assert ("speed of one request" in output) == (timed is not None)
    assert (metrics.usage.requests, metrics.limit) == (3, 3 if "--limit" in steps[-1][1] else None)
    if metrics.usage.cached:
        return  # nothing was used
    audio = [row["audio"] for row in steps[-1][0][:3]]
    assert metrics.usage.audio_seconds == pytest.approx(sum(0.05 + int(name[0]) / 100 for name in audio), abs=0.001)


@pytest.mark.parametrize("command", ["audiogram", "listen"])
def test_conditions_are_about_the_same_rows_as_the_run_whose_answers_they_use(
    command: str, perform: Any, tmp_path: Path
) -> None:
    result = perform([(ROWS, RUN), (ROWS, f"{command} {RUN[4:]} --quick --limit 3 -o runs/suite")])
    assert "are used again" in result.stderr
    parts = [path.parent for path in sorted((tmp_path / "runs/suite").glob("*/metrics.json"))]
    assert {api.load_metrics(part).outcomes.total for part in parts} == {3}


def test_numbers_of_other_rows_are_not_shown_although_the_journal_is_the_same(perform: Any, tmp_path: Path) -> None:
    perform([(ROWS, f"{RUN} -o runs/it"), (ROWS, f"{RUN} --limit 3 --infer-only -o runs/it")])
    run = tmp_path / "runs/it"
    assert [problem.message for problem in verify_run(run).outdated] == [
        "is about other rows of the data than the run."
    ]
    assert api.load_metrics(run).outcomes.total == 3
