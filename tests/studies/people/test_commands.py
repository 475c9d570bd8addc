"""`auricle listen-test`: create, score and correlate from the command line."""

import json
from pathlib import Path
from typing import Any

import pytest

from auricle.testing import SimulatedListeners
from tests.support.listening_tests import QUALITIES, write_manifest, write_spoken_run


@pytest.fixture
def sounds(tmp_path: Path) -> Path:
    return write_manifest(tmp_path / "sources", 6)


@pytest.mark.slow
def test_a_test_is_created_answered_and_scored(auricle: Any, sounds: Path, tmp_path: Path) -> None:
    created = auricle("listen-test", "create", sounds, "--kind", "mos", "-o", "test", "--listeners", "3")
    assert "MOS test of oslo, quito, cairo." in created.stdout
    assert "6 items, 3 listeners, 9 trials each, of which 3 are checks" in created.stdout
    assert "Next: auricle listen-test serve test" in created.stdout
    SimulatedListeners(qualities=QUALITIES).answer(sounds.parent.parent / "test")
    scored = auricle("listen-test", "score", "test")
    assert "oslo" in scored.stdout
    shown = auricle("show", "test/run")
    assert "two-way t, 3 listeners" in shown.stdout


def test_two_runs_are_compared(auricle: Any, tmp_path: Path) -> None:
    for place, name in enumerate(("a", "b")):
        write_spoken_run(tmp_path / name, f"voice-{name}", place)
    words = ("listen-test", "create", "a", "b", "--kind", "ab", "-o", "test", "--listeners", "4", "--json")
    document = json.loads(auricle(*words).stdout)
    assert [system["name"] for system in document["systems"]] == ["voice-a", "voice-b"]
    assert document["trials"] == 9


def test_a_scale_replaces_the_usual_one(auricle: Any, sounds: Path, tmp_path: Path) -> None:
    auricle("listen-test", "create", sounds, "--kind", "mos", "-o", "test", "--scale", "0:10:0.5")
    scale = json.loads((sounds.parent.parent / "test" / "test.json").read_text())["scale"]
    assert (scale["low"], scale["high"], scale["step"], scale["labels"]) == (0.0, 10.0, 0.5, [])


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--kind", "ab", "--scale", "1:5"), "--scale does not apply to --kind ab"),
        (("--kind", "mos", "--scale", "5:1"), "'5:1' is not a scale such as 1:5"),
        (("--kind", "mos", "--anchor", "low"), "'low' is not a frequency in Hz"),
        (("--kind", "mushra"), "A MUSHRA test needs a reference"),
    ],
)
def test_wrong_options_are_refused(auricle: Any, sounds: Path, words: tuple[str, ...], message: str) -> None:
    result = auricle("listen-test", "create", sounds, "-o", "test", *words)
    assert result.returncode == 2
    assert message in result.stderr


def test_a_folder_without_a_test_cannot_be_scored(auricle: Any, tmp_path: Path) -> None:
    result = auricle("listen-test", "score", tmp_path)
    assert result.returncode == 2
    assert "Not a listening test" in result.stderr
