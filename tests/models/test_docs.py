"""The examples on the page about your own model run."""

import re
from pathlib import Path

import numpy as np
import pytest
import soundfile

import auricle
from auricle import Spec
from tests.support import paths

PAGE = (paths.DOCS / "add-a-model.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE, re.S)


@pytest.fixture
def clips(tmp_path: Path) -> Path:
    """Two recordings, the second one louder and longer."""
    for name, peak, seconds in (("a", 0.05, 1), ("b", 0.5, 2)):
        soundfile.write(tmp_path / f"{name}.wav", np.full(16_000 * seconds, peak, np.float32), 16_000)
    rows = ('{"audio": "a.wav", "answer": "quiet", "speaker": "anna"}', '{"audio": "b.wav", "answer": "loud"}')
    (tmp_path / "clips.jsonl").write_text("\n".join(rows))
    return tmp_path / "clips.jsonl"


def test_the_batch_class_gets_its_waveforms(clips: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(clips.parent)
    (clips.parent / "loudness.py").write_text(next(block for block in BLOCKS if "class Loudness" in block))
    spec = Spec(task="qa", task_args={"data": str(clips)}, model="loudness.py:Loudness")
    assert auricle.evaluate(spec, clips.parent / "run")["exact_match"].value == 1.0


def test_the_functions_get_what_their_parameters_name(clips: Path) -> None:
    scope: dict[str, object] = {}
    exec(compile(next(block for block in BLOCKS if "def transcribe" in block), "page", "exec"), scope)
    with auricle.load_model(scope["transcribe"]) as model:
        answers = [model.ask(clips.parent / name) for name in ("a.wav", "b.wav")]
    assert answers == [auricle.Generation(text="hi"), auricle.Generation(text="hello world")]
    with auricle.load_model(scope["greet"], speaker="anna") as model:
        assert model.ask(clips.parent / "a.wav") == auricle.Generation(text="hello anna")
