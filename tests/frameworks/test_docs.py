"""The commands and links on the pages about other frameworks work."""

import json
import re
import shlex
from pathlib import Path

import numpy as np
import pytest
import soundfile
from click.testing import CliRunner

from auricle.cli import cli
from tests.frameworks.tau_voice.simulations import make_simulation
from tests.support import paths
from tests.support.framework_results import (
    cmi_rows,
    write_cmi,
    write_jsonl,
    write_kimi,
    write_lmms_eval,
    write_open_asr,
    write_ultraeval,
)

DOCS = paths.DOCS
PAGES = (
    "importing-results",
    "coming-from/cmi-rewardbench",
    "coming-from/open-asr-leaderboard",
    "coming-from/ser-suites",
    "coming-from/ultraeval-audio",
)
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.S | re.M)


def read_page(page: str) -> str:
    return (DOCS / f"{page}.md").read_text(encoding="utf-8")


def with_parents(path: Path) -> Path:
    """Create the folder of a path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def write_audio(path: Path, peak: float) -> None:
    soundfile.write(with_parents(path), np.full(1600, peak, np.float32), 16_000)


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the files that the pages mention."""
    write_kimi(tmp_path / "eval_result")
    write_lmms_eval(tmp_path / "logs")
    write_ultraeval(tmp_path / "res", failed=[1])
    write_open_asr(tmp_path / "results")
    write_cmi(tmp_path / "cmi_results")
    calls = {"info": {"agent_info": {"llm": "voice-1"}}, "simulations": [make_simulation("xx......", "...xxxx.")]}
    with_parents(tmp_path / "experiment" / "results.json").write_text(json.dumps(calls), encoding="utf-8")
    rows = [{name: value for name, value in row.items() if "predict" not in name} for row in cmi_rows()]
    write_jsonl(tmp_path / "data" / "all_test.jsonl", rows)
    for row in rows:
        for name in filter(None, (row["audio-path"], row["audio2"])):
            write_audio(tmp_path / "data" / name, 0.0)
    for name, peak in {"angry/0": 0.75, "angry/1": 0.625, "neutral/2": 0.125}.items():
        write_audio(tmp_path / "emotions" / f"{name}.wav", peak)
    for name in ("meetings", "system"):
        (tmp_path / f"{name}.rttm").write_text("SPEAKER standup 1 0.5 2.7 <NA> <NA> anna <NA> <NA>\n", encoding="utf-8")
    (tmp_path / "trials.txt").write_text("1 a/1.wav a/2.wav\n0 a/1.wav b/1.wav\n", encoding="utf-8")
    (tmp_path / "scores.txt").write_text("a/1.wav a/2.wav 0.75\na/1.wav b/1.wav -0.25\n", encoding="utf-8")
    write_audio(tmp_path / "clip.wav", 0.25)
    write_jsonl(tmp_path / "clips.jsonl", [{"id": "1", "audio": "clip.wav", "text": "hello"}])
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("page", PAGES)
def test_every_command_of_a_page_runs(page: str, workspace: Path) -> None:
    blocks = BLOCK.findall(read_page(page))
    for language, body in blocks:
        if language == "python":
            file_name = re.match(r"# (\S+\.py)", body)
            assert file_name
            with_parents(workspace / file_name[1]).write_text(body, encoding="utf-8")
    lines = [line for language, body in blocks if language == "sh" for line in body.splitlines()]
    commands = [line for line in lines if line.startswith("auricle ")]
    assert commands
    for command in commands:
        result = CliRunner().invoke(cli, shlex.split(command, comments=True)[1:])
        assert result.exit_code == 0, f"{command}\n{result.output}\n{result.exception!r}"


def test_runs_of_the_page_about_cmi_rewardbench_are_paired(workspace: Path) -> None:
    """Imported results name no folder of recordings, so file names decide."""
    rows = [{name: value for name, value in row.items() if "predict" not in name} for row in cmi_rows()]
    write_jsonl(workspace / "data" / "all_test.jsonl", rows[::-1])
    for command in (
        "import cmi_results --from cmi -o runs/theirs",
        "run cmi-rewardbench -T dataset_jsonl=data/all_test.jsonl -T dataset_root=data -m fake-reward -o runs/own",
    ):
        assert CliRunner().invoke(cli, command.split()).exit_code == 0
    output = CliRunner().invoke(cli, ["compare", "runs/theirs", "runs/own", "--metric", "accuracy.preference"]).output
    assert "5 pairs answered in both" in output


@pytest.mark.parametrize("page", PAGES)
def test_links_of_a_page_lead_to_files(page: str) -> None:
    folder = (DOCS / page).parent
    for target in re.findall(r"\]\(([\w./-]+\.md)", read_page(page)):
        assert (folder / target).is_file(), target


def test_the_example_wrapper_returns_the_peak_as_score(workspace: Path) -> None:
    blocks = BLOCK.findall(read_page("coming-from/ser-suites"))
    body = next(body for _, body in blocks if "LoudnessW" in body)
    with_parents(workspace / "models" / "loudness_wrapper.py").write_text(body)
    arguments = ["ask", "-m", "ser:models/loudness_wrapper.py:LoudnessWrapper", "emotions/angry/0.wav"]
    output = json.loads(CliRunner().invoke(cli, arguments).stdout)
    assert output["values"] == {"angry": 0.75, "neutral": 0.25}
