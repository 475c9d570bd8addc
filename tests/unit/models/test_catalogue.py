"""The built-in models."""

import importlib.util
from pathlib import Path

import pytest

from auricle.models.catalogue import _MODELS


@pytest.mark.parametrize("name", _MODELS)
def test_every_model_has_a_module_and_a_description(name: str) -> None:
    builtin = _MODELS[name]
    module, _, attribute = builtin.path.partition(":")
    spec = importlib.util.find_spec(module)
    assert spec
    assert spec.origin
    assert f"class {attribute}(" in Path(spec.origin).read_text(encoding="utf-8")
    assert builtin.summary
    assert not builtin.summary.endswith(".")
