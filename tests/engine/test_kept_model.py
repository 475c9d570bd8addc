"""Models that stay loaded between runs."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest

from auricle import BatchModel, Generate, Generation, Settings, Spec, api
from auricle.engine.factory import Evaluation
from auricle.engine.kept_model import KeptModel

LOADED: list[str] = []


class Counted(BatchModel):
    """Answers with nothing, and counts how often it is loaded and closed."""

    def __init__(self) -> None:
        LOADED.append("loaded")

    def generate(self, batch: Sequence[Generate]) -> list[Generation]:
        return [Generation(text="") for _ in batch]

    def close(self) -> None:
        LOADED.append("closed")


@pytest.fixture
def evaluation() -> Evaluation:
    LOADED.clear()
    return Evaluation.prepare(Spec(task="demo", model=f"{__name__}:Counted", limit=1))


def test_runs_share_a_model_until_it_is_closed(evaluation: Evaluation, tmp_path: Path) -> None:
    with KeptModel() as kept_model:
        for name in ("first", "second"):
            api.evaluate(evaluation, tmp_path / name, kept_model=kept_model)
        assert LOADED == ["loaded"]
    assert LOADED == ["loaded", "closed"]


def test_model_of_a_single_run_is_closed_at_its_end(evaluation: Evaluation, tmp_path: Path) -> None:
    api.evaluate(evaluation, tmp_path / "run")
    assert LOADED == ["loaded", "closed"]


def test_model_is_not_loaded_if_everything_is_answered(evaluation: Evaluation, tmp_path: Path) -> None:
    api.evaluate(evaluation, tmp_path / "run")
    with KeptModel() as kept_model:
        api.evaluate(evaluation, tmp_path / "run", kept_model=kept_model)
    assert LOADED == ["loaded", "closed"]


def test_coroutines_run_also_within_an_event_loop() -> None:
    async def answer() -> int:
        return id(asyncio.get_running_loop())

    async def notebook() -> tuple[int, int]:
        with KeptModel() as kept_model:
            return kept_model.run(answer()), kept_model.run(answer())

    first, second = asyncio.run(notebook())
    assert first == second


def test_settings_reach_the_model(tmp_path: Path, evaluation: Evaluation) -> None:
    with KeptModel() as kept_model:
        model = kept_model.load(evaluation, Settings(), tmp_path)
        assert kept_model.load(evaluation, Settings(), tmp_path) is model
