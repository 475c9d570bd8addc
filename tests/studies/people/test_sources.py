"""Where the sounds of a listening test come from: answers and inputs of runs, and manifests."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from auricle.core.errors import DataError, SpecError
from auricle.core.types import Generation, Record, Sample
from auricle.media import Audio
from auricle.media.perturbations.base import PerturbationChain
from auricle.media.perturbations.catalogue import parse_chain
from auricle.runs.run_directory import Run
from auricle.runs.run_spec import RunSpec
from auricle.studies.people.sources import collect_systems, read_inputs, read_run, sanitise
from tests.support.listening_tests import RATE, make_sound, write_manifest, write_spoken_run


def test_spoken_answers_of_a_run_are_its_sounds(tmp_path: Path) -> None:
    system = read_run(write_spoken_run(tmp_path / "run", "voice-1", 1))
    assert system.name == "voice-1"
    assert list(system.sounds) == [f"text {index}" for index in range(6)]
    assert system.sounds["text 3"].decode() == pytest.approx(make_sound(3, 1), abs=1e-4)


def test_the_recordings_of_a_run_without_spoken_answers_are_heard_as_its_model_received_them(tmp_path: Path) -> None:
    soundfile.write(tmp_path / "x.wav", make_sound(0, 1), RATE)
    chain: PerturbationChain = replace(parse_chain("noise:snr=0"), seed="0|x")
    with Run.open(tmp_path / "run", RunSpec(spec={"model": "asr"}, identity={})) as run:
        audio = replace(Audio(str(tmp_path / "x.wav")), perturbation=chain)
        record = Record(sample=Sample(id="x", inputs={"audio": audio}), row=0, outputs=(Generation(text="hi"),))
        run.append(record)
    noisy = read_run(tmp_path / "run").sounds["x"].decode()
    clean = read_inputs(tmp_path / "run", "input").sounds["x"].decode()
    assert np.std(noisy) > 1.2 * np.std(clean)
    assert clean == pytest.approx(make_sound(0, 1), abs=1e-4)


def test_a_run_without_sounds_is_refused(tmp_path: Path) -> None:
    with Run.open(tmp_path / "run", RunSpec(spec={"model": "text"}, identity={})) as run:
        sample = Sample(id="x", inputs={"text": "hello"})
        run.append(Record(sample=sample, row=0, outputs=(Generation(text="hi"),)))
    with pytest.raises(SpecError, match="neither spoken answers nor recordings"):
        read_run(tmp_path / "run")


def test_systems_of_runs_of_one_model_are_named_after_their_folders(tmp_path: Path) -> None:
    paths = [str(write_spoken_run(tmp_path / name, "tts", place)) for place, name in enumerate(("slow", "fast"))]
    assert [system.name for system in collect_systems(paths)] == ["slow", "fast"]
    assert [system.name for system in collect_systems([f"a={paths[0]}", f"b={paths[1]}"])] == ["a", "b"]


def test_two_systems_with_one_name_are_refused(tmp_path: Path) -> None:
    path = write_spoken_run(tmp_path / "run", "tts", 0)
    with pytest.raises(SpecError, match="Two systems are named 'run'"):
        collect_systems([str(path), str(path)])


def test_a_path_that_is_neither_run_nor_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="neither a run nor a data file"):
        collect_systems([str(tmp_path)])


def test_a_manifest_lists_systems(tmp_path: Path) -> None:
    systems = collect_systems([str(write_manifest(tmp_path, 2))])
    assert [(system.name, len(system.sounds)) for system in systems] == [("oslo", 2), ("quito", 2), ("cairo", 2)]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([{"item": "1", "audio": "a.wav"}], "mine.jsonl:1: the column 'system' is missing"),
        ([{"system": "a", "item": "1"}], "the column 'audio' is missing"),
        (
            [{"system": "a", "item": "1", "audio": "a.wav"}] * 2,
            "mine.jsonl:2: the item '1' of the system 'a' occurs twice",
        ),
        (["no JSON"], "mine.jsonl:1"),
        ([], "has no rows"),
    ],
)
def test_rows_that_cannot_be_used_are_named(manifest: Any, rows: Any, message: str) -> None:
    with pytest.raises(DataError, match=message):
        collect_systems([str(manifest(rows))])


def test_names_of_systems_can_be_part_of_the_names_of_metrics() -> None:
    assert sanitise("my model @ 2 kHz") == "my-model-2-kHz"
    assert sanitise("??") == "system"
