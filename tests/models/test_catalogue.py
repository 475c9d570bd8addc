"""The built-in models."""

import importlib.util
from pathlib import Path

import pytest

from auricle.models.catalogue import MODELS, models_with_ability


@pytest.mark.parametrize("name", MODELS.builtin)
def test_every_model_has_a_module_and_a_description(name: str) -> None:
    builtin = MODELS.builtin[name]
    module, _, attribute = builtin.path.partition(":")
    spec = importlib.util.find_spec(module)
    assert spec
    assert spec.origin
    assert f"class {attribute}(" in Path(spec.origin).read_text(encoding="utf-8")
    assert builtin.summary, f"write a line about {name} in src/auricle/models/catalogue.py"
    assert not builtin.summary.endswith("."), f"remove the full stop of {name} in src/auricle/models/catalogue.py"


def test_models_are_found_by_what_they_can_do() -> None:
    assert models_with_ability("loglikelihood") == [
        "vllm",
        "vllm-chat",
        "completions",
        "audio-chat",
        "vision-chat",
        "causal",
    ]
    assert "openai" in models_with_ability("first_tokens")
    assert "clap" in models_with_ability("predict")
