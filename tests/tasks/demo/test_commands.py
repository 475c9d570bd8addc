"""`auricle demo`: what it prints, with stand-ins for the recognisers."""

import json
from pathlib import Path

import pytest

from auricle.core.errors import SpecError
from auricle.engine.progress import ProgressEvent
from auricle.tasks.demo import kinds as demo_task
from auricle.tasks.demo.commands import copy_recordings, run_demo, run_voice_demo

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("_in_temporary_folder")]


@pytest.fixture
def _in_temporary_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_demo_describes_what_it_did_and_suggests_next_steps(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(demo_task, "DEMO_MODELS", {"echo": {}, "fake-api": {}})
    assert run_demo(Path("demo"), limit=3, fresh=False, as_json=False) == 0
    output = capsys.readouterr().out
    assert output.startswith("Transcribed synthetic English sentences (clean and noisy) with echo and fake-api, and")
    assert "auricle compare demo/fake-api demo/echo" in output
    noise = output[output.index("The first clean sentences again, in more and more noise:") :]
    assert [line.split()[0] for line in noise.splitlines() if line.startswith("        ")] == ["echo", "fake-api"] * 2
    assert "auricle compare demo/in-noise/demo-conditions-fake-api demo/in-noise/demo-conditions-echo" in noise


AGENT = """
from auricle import AsyncModel
from tests.support.calls import make_recording


class Agent(AsyncModel):
    async def call(self, request):
        return make_recording()
"""


def test_the_demo_of_voice_agents_prints_a_table_and_names_the_report(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "agent.py").write_text(AGENT)
    monkeypatch.setattr(demo_task, "VOICE_AGENT", f"{tmp_path / 'agent.py'}:Agent")
    monkeypatch.setattr(demo_task, "VOICE_AGENT_ARGUMENTS", {})
    assert run_voice_demo(Path("calls"), limit=3, fresh=False, as_json=False) == 0
    output = capsys.readouterr().out
    assert "voice_to_voice" in output
    assert "calls/report.html" in output
    assert len(list(Path("calls/calls").glob("*.flac"))) == 3
    assert run_voice_demo(Path("calls"), limit=3, fresh=False, as_json=True) == 0
    (document,) = json.loads(capsys.readouterr().out)
    assert document["outcomes"]["total"] == 3


def test_demo_prints_only_json_if_asked(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(demo_task, "DEMO_MODELS", {"echo": {}})
    run_demo(Path("demo"), limit=2, fresh=False, as_json=True)
    document, in_noise = json.loads(capsys.readouterr().out)
    assert document["outcomes"]["total"] == 2
    assert [part["name"] for part in in_noise["parts"]] == ["clean", "noise:snr=30", "noise:snr=20", "noise:snr=10"]


def test_demo_without_recognisers_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(demo_task, "DEMO_MODELS", {})
    with pytest.raises(SpecError, match=r"auricle\[demo\]"):
        run_demo(Path("demo"), limit=None, fresh=False, as_json=False)


def test_demo_writes_progress_events_for_programs(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(demo_task, "DEMO_MODELS", {"echo": {}, "fake-api": {}})
    run_demo(Path("demo"), limit=2, fresh=False, as_json=True, progress="json")
    events = [event for line in capsys.readouterr().err.splitlines() if (event := ProgressEvent.parse(line))]
    finished = [event for event in events if event.event == "finished"]
    assert [(event.run, event.done, event.exit_code) for event in finished][:2] == [
        ("demo/echo", 2, 0),
        ("demo/fake-api", 2, 0),
    ]
    assert {event.run for event in finished[2:]} == {
        f"demo/in-noise/demo-conditions-{model}/{part}"
        for model in ("echo", "fake-api")
        for part in ("clean", "noise-snr-30", "noise-snr-20", "noise-snr-10")
    }


def test_the_recordings_can_be_copied_as_data_of_ones_own(capsys: pytest.CaptureFixture[str]) -> None:
    copy_recordings(Path("mine"))
    assert capsys.readouterr().out.startswith("Copied 48 recordings and mine/manifest.jsonl.")
    rows = [json.loads(line) for line in Path("mine/manifest.jsonl").read_text().splitlines()]
    assert all(Path("mine", row["audio"]).exists() for row in rows)


def test_json_names_the_manifest_of_copied_recordings(capsys: pytest.CaptureFixture[str]) -> None:
    copy_recordings(Path("mine"), as_json=True)
    document = json.loads(capsys.readouterr().out)
    assert (document["path"], document["rows"]) == ("mine/manifest.jsonl", 48)


def test_recordings_are_never_copied_over_other_files() -> None:
    Path("mine").mkdir()
    Path("mine/notes.txt").touch()
    with pytest.raises(SpecError, match="mine exists and is not an empty folder"):
        copy_recordings(Path("mine"))
