"""Models as parts of others."""

import asyncio
from pathlib import Path

import pytest

from auricle import Generate, Turn
from auricle.core.errors import SpecError
from auricle.models.sessions.inner_models import InnerModel

MODELS = """
class Eager:
    async def generate(self, request):
        return "async"

class Batched:
    def generate(self, batch):
        return ["batch"] * len(batch)

class Scorer:
    def predict(self, batch):
        return []
"""
REQUEST = Generate(turns=(Turn("user", ("hello",)),))


@pytest.fixture
def models(tmp_path: Path) -> str:
    path = tmp_path / "models.py"
    path.write_text(MODELS)
    return str(path)


@pytest.mark.parametrize(("name", "text"), [("Eager", "async"), ("Batched", "batch")])
def test_any_model_that_generates_can_be_a_part(models: str, name: str, text: str) -> None:
    async def ask() -> str:
        model = InnerModel(f"{models}:{name}")
        answer = await model.generate(REQUEST)
        await model.close()
        return answer.text

    assert asyncio.run(ask()) == text


def test_other_models_are_refused(models: str) -> None:
    with pytest.raises(SpecError, match="cannot be part of a voice agent"):
        InnerModel(f"{models}:Scorer")
