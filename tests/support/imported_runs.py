"""Fixtures of tests of imported results."""

from pathlib import Path
from typing import Any

import pytest

from auricle import api
from auricle.engine.spec import Spec
from tests.support.framework_results import import_single, write_cmi


@pytest.fixture
def asr_run(tmp_path: Path, manifest: Any, tone: Any) -> Path:
    """A run of a model that repeats the question and fails once."""
    rows = [
        {"id": f"s{index}", "audio": str(tone(f"{index}.wav")), "question": text, "text": "one two three"}
        for index, text in enumerate(("one two", "three 4 five", "", "six"))
    ]
    code = tmp_path / "parrot.py"
    code.write_text(
        "from auricle import AsyncModel, Generation\n"
        "class Parrot(AsyncModel):\n"
        "    async def generate(self, request):\n"
        "        text = request.turns[-1].parts[-1]\n"
        "        if text == 'six':\n"
        "            raise ValueError('out of words')\n"
        "        return Generation(text=text, tokens=len(text))\n"
    )
    spec = Spec(task="asr", task_args={"data": str(manifest(rows)), "language": "en"}, model=f"{code}:Parrot")
    api.evaluate(spec, tmp_path / "asr-run")
    return tmp_path / "asr-run"


@pytest.fixture(scope="module")
def reward_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of a reward model, imported from CMI-RewardBench."""
    folder = tmp_path_factory.mktemp("rewards")
    return import_single(write_cmi(folder), "cmi", folder / "run")[0].path
