"""`auricle fake-server`: options and the script they make."""

from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from auricle.cli import cli
from auricle.core.errors import SpecError
from auricle.core.types import Sample
from auricle.testing.commands import REALTIME_OPTIONS, build_script, fake_server
from auricle.testing.fake_server.realtime.script import DIALECTS, REFUSALS, SESSION_FAULTS, RealtimeScript, TurnScript
from auricle.testing.fake_server.script import Script


def parse_script(*words: str) -> Script:
    """Return the script of a command line."""
    options = fake_server.make_context("fake-server", list(words)).params
    return build_script(**{name: value for name, value in options.items() if name not in ("port", "certificate")})


def test_every_option_is_a_field_of_the_script() -> None:
    names = {parameter.name for parameter in fake_server.params}
    assert set(REALTIME_OPTIONS) < names
    names -= {"port", "certificate", "kind", "task_args", *REALTIME_OPTIONS}
    assert names | {"realtime"} == {field.name for field in fields(Script) if field.init}


def test_defaults_equal_those_of_the_script() -> None:
    assert parse_script() == Script()
    assert parse_script("--realtime").realtime == RealtimeScript()


def test_answers_are_the_samples_of_a_data_file(manifest: Any, tone: Any) -> None:
    rows = manifest([{"Recording": str(tone("a.wav")), "Spoken": "good morning"}])
    words = ["--answers", str(rows), "--as", "asr", "-T", "audio=Recording", "-T", "target=Spoken"]
    script = parse_script(*words)
    assert script.answers is not None
    assert [sample.target for sample in script.answers if isinstance(sample, Sample)] == ["good morning"]


def test_data_without_the_column_is_refused_before_the_server_starts(manifest: Any, tone: Any) -> None:
    rows = manifest([{"audio": str(tone("a.wav")), "spoken": "good morning"}])
    result = CliRunner().invoke(cli, ["fake-server", "--answers", str(rows), "--as", "asr"])
    assert isinstance(result.exception, SpecError)
    assert "Columns: audio, spoken." in str(result.exception)


def test_fault_without_fraction_is_refused() -> None:
    result = CliRunner().invoke(cli, ["fake-server", "--port", "0", "--fault", "429"])
    assert isinstance(result.exception, SpecError)
    assert str(result.exception) == "--fault: '429' is not of the form KIND=FRACTION, such as 429=0.1."


@pytest.mark.parametrize("words", [["--keep-alive", "0"], ["--slots", "0"], ["--stall-at", "-1"]])
def test_values_out_of_range_are_refused(words: list[str]) -> None:
    assert CliRunner().invoke(cli, ["fake-server", *words]).exit_code == 2


def test_options_of_realtime_sessions_apply_to_every_turn() -> None:
    words = ["--realtime", "--stop-after", "0.4", "--yield-after", "never", "--audio-pace", "0", "--audio-gap", "0.1"]
    turns = ["--answer", "Hello.", "--answer", "Bye.", "--transcript", "Hi."]
    faults = ["--session-fault", "close", "--session-fault", "huge", "--fault-sessions", "0", "--dialect", "vllm"]
    script = parse_script(*words, *turns, *faults).realtime
    assert script is not None
    assert (script.dialect, script.fault_sessions) == ("vllm", 0)
    shared = {"stop_after": 0.4, "yield_after": None, "audio_pace": 0.0, "audio_gaps": (0.1,)}
    expected = [{"answer": "Hello.", "transcript": "Hi."}, {"answer": "Bye."}]
    assert script.turns == tuple(
        TurnScript(**shared, **turn, faults=("close", "huge"))  # type: ignore[arg-type]
        for turn in expected
    )


def test_options_override_a_script_file_but_not_its_turns(tmp_path: Path) -> None:
    path = tmp_path / "calls.yaml"
    path.write_text("{stop_after: 1, answer_after: 1, turns: [{answer_after: 2}, {}]}")
    script = parse_script("--realtime-script", str(path), "--answer-after", "3").realtime
    assert script is not None
    assert [(turn.stop_after, turn.answer_after) for turn in script.turns] == [(1, 2), (1, 3)]


def test_the_help_has_all_faults_refusals_and_dialects() -> None:
    texts = {parameter.name: str(getattr(parameter, "help", "")) for parameter in fake_server.params}
    pairs = (("session_faults", SESSION_FAULTS), ("refuse", REFUSALS), ("dialect", DIALECTS))
    assert [name for option, names in pairs for name in names if name not in texts[option]] == []


def test_a_time_that_is_no_number_is_refused() -> None:
    result = CliRunner().invoke(cli, ["fake-server", "--realtime", "--yield-after", "soon"])
    assert result.exit_code == 2
    assert "expected a number of seconds or 'never'" in result.output
