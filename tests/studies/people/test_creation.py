"""Creating listening tests: sounds, levels, blindness, and what is refused."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from auricle.core.errors import SpecError
from auricle.media import Audio
from auricle.media.perturbations.levels import measure_active_level
from auricle.studies.people.creation import CreationOptions, create_test
from auricle.studies.people.description import TRAP, read_test
from tests.support.listening_tests import RATE, SYSTEMS, make_sound, make_test, write_manifest, write_spoken_run


def test_all_sounds_have_one_level_and_one_rate(tmp_path: Path) -> None:
    test = make_test(tmp_path, "mos")
    for sound in test.sounds:
        audio = Audio(str(tmp_path / "mos" / "sounds" / sound.file))
        assert audio.info().rate == test.rate == RATE
        if sound.system != TRAP:
            assert measure_active_level(audio.decode(), RATE).level == pytest.approx(-26, abs=0.3)


def test_a_level_at_which_a_sound_would_clip_is_lowered_for_all(tmp_path: Path) -> None:
    test = make_test(tmp_path, "mos", level=0.0)
    assert test.loudness.level_dbfs < -1
    peaks = [np.abs(soundfile.read(tmp_path / "mos" / "sounds" / sound.file)[0]).max() for sound in test.sounds]
    assert 0.9 < max(peaks) < 1.0


def test_no_file_name_and_no_sound_contains_the_name_of_a_system(tmp_path: Path) -> None:
    make_test(tmp_path, "mos")
    for path in (tmp_path / "mos" / "sounds").iterdir():
        content = path.read_bytes().lower()
        assert not any(system in path.name or system.encode() in content for system in (*SYSTEMS, TRAP))


def test_the_description_can_be_read_again(tmp_path: Path) -> None:
    test = make_test(tmp_path, "cmos")
    assert read_test(tmp_path / "cmos") == test


def test_anchors_have_no_high_frequencies(tmp_path: Path) -> None:
    folder = tmp_path / "sources"
    folder.mkdir()
    noise = 0.1 * np.random.default_rng(0).standard_normal(RATE // 2)
    rows = []
    for system in ("a", "b"):
        soundfile.write(folder / f"{system}.wav", noise, RATE)
        rows.append({"system": system, "item": "x", "audio": f"{system}.wav"})
    (folder / "m.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    options = CreationOptions(kind="mushra", reference="a", listeners=2)
    test = create_test(tmp_path / "test", [str(folder / "m.jsonl")], options)
    powers = {}
    for sound in test.sounds:
        samples, _ = soundfile.read(tmp_path / "test" / "sounds" / sound.file)
        spectrum = np.abs(np.fft.rfft(samples)) ** 2
        frequencies = np.fft.rfftfreq(len(samples), 1 / RATE)
        powers[sound.system] = spectrum[frequencies > 4500].sum() / spectrum.sum()
    assert [system.role for system in test.systems] == ["reference", "system", "anchor-3500", "anchor-7000"]
    assert powers["anchor-3500"] < 0.001
    assert 0.2 < powers["anchor-7000"] < powers["a"]


def test_runs_are_compared_with_the_recordings_that_they_received(tmp_path: Path) -> None:
    runs = [str(write_spoken_run(tmp_path / name, f"voice-{name}", place, 2)) for place, name in enumerate("ab")]
    options = CreationOptions(kind="mushra", reference="input", listeners=2)
    test = create_test(tmp_path / "test", [f"first={runs[0]}", runs[1]], options)
    assert [system.name for system in test.systems] == ["first", "voice-b", "input", "anchor-3500", "anchor-7000"]
    assert test.system_of(test.listeners[0].trials[0].reference) == "input"


def test_items_are_those_of_all_systems_and_a_multiple_of_their_number(tmp_path: Path) -> None:
    manifest = write_manifest(tmp_path / "sources", 8)
    lines = manifest.read_text().splitlines()
    manifest.write_text("\n".join(line for line in lines if "quito-7" not in line))
    test = create_test(tmp_path / "test", [str(manifest)], CreationOptions(kind="mos", listeners=3))
    assert test.items == tuple(f"text {index}" for index in range(6))
    assert "6 of 7 items are used" in " ".join(test.notes)


def test_items_with_silent_sounds_are_left_out_and_counted(tmp_path: Path) -> None:
    manifest = write_manifest(tmp_path / "sources", 6)
    soundfile.write(tmp_path / "sources" / "quito-2.wav", np.zeros(RATE // 4), RATE)
    options = CreationOptions(kind="mos", listeners=3, design="all")
    test = create_test(tmp_path / "test", [str(manifest)], options)
    assert "text 2" not in test.items
    assert "1 of 6 items were left out: 'text 2' of quito" in test.notes[0]


def test_a_missing_file_costs_its_item_and_without_items_there_is_no_test(tmp_path: Path) -> None:
    manifest = write_manifest(tmp_path / "sources", 4)
    (tmp_path / "sources" / "oslo-1.wav").unlink()
    options = CreationOptions(kind="mos", listeners=3)
    assert create_test(tmp_path / "test", [str(manifest)], options).items == ("text 0", "text 2", "text 3")
    for path in (tmp_path / "sources").glob("*.wav"):
        path.unlink()
    with pytest.raises(SpecError, match="The first reason: 'text 0' of oslo"):
        create_test(tmp_path / "other", [str(manifest)], options)


def test_some_items_are_drawn_with_the_seed(tmp_path: Path) -> None:
    manifest = write_manifest(tmp_path / "sources", 12)
    items = [
        create_test(tmp_path / str(seed), [str(manifest)], CreationOptions(kind="mos", items=3, seed=seed)).items
        for seed in (1, 2)
    ]
    assert len(items[0]) == 3
    assert items[0] != items[1]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"kind": "mushra"}, "A MUSHRA test needs a reference"),
        ({"kind": "mos", "reference": "lima"}, "'lima' is not among the systems: oslo, quito, cairo"),
        ({"kind": "mos", "anchors": (3500.0,)}, "Anchors are made from a reference"),
        ({"kind": "mos", "design": "random"}, "Unknown design 'random'"),
        ({"kind": "mos", "reference": "input"}, "needs runs"),
    ],
)
def test_options_that_cannot_be_met_are_refused(tmp_path: Path, options: Any, message: str) -> None:
    manifest = write_manifest(tmp_path / "sources", 3)
    with pytest.raises(SpecError, match=message):
        create_test(tmp_path / "test", [str(manifest)], CreationOptions(**options))


def test_a_single_system_cannot_be_compared(tmp_path: Path) -> None:
    manifest = write_manifest(tmp_path / "sources", 3, ("oslo",))
    with pytest.raises(SpecError, match="there is only oslo"):
        create_test(tmp_path / "test", [str(manifest)], CreationOptions(kind="ab"))


def test_too_few_items_for_a_latin_square_are_refused(tmp_path: Path) -> None:
    manifest = write_manifest(tmp_path / "sources", 2)
    with pytest.raises(SpecError, match="needs at least 3 items; there are 2"):
        create_test(tmp_path / "test", [str(manifest)], CreationOptions(kind="mos"))


def test_a_folder_with_a_test_is_not_overwritten(tmp_path: Path) -> None:
    make_test(tmp_path, "mos")
    with pytest.raises(SpecError, match="already contains a listening test"):
        make_test(tmp_path, "mos")


def test_sounds_of_the_test_are_louder_or_softer_copies(tmp_path: Path) -> None:
    test = make_test(tmp_path, "mos")
    sound = next(sound for sound in test.sounds if sound.system == "quito" and sound.item == "text 1")
    samples, _ = soundfile.read(tmp_path / "mos" / "sounds" / sound.file)
    expected = make_sound(1, 1) * 10 ** (sound.gain_db / 20)
    assert samples == pytest.approx(expected, abs=1e-3)
