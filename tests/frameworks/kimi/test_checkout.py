"""Names of a checkout: its models, and datasets that were added to it."""

from pathlib import Path

import pytest

from auricle.core.errors import UnknownName
from auricle.engine.spec import Spec
from auricle.frameworks.kimi.checkout import find_class, find_model_path, list_classes, read_name
from auricle.frameworks.kimi.stubs import DATASETS_PACKAGE, MODELS_PACKAGE
from auricle.models.catalogue import MODELS

MODEL = """
import package_of_weights
from .base import BaseModel

SAMPLING = {"temperature": 0.0}

class Tiny(BaseModel):
    NAME = "Tiny-Audio"

    def __init__(self, model_path="somewhere/tiny", **kwargs): ...

class Tinier(Tiny):
    pass

class Helper:
    pass
"""


@pytest.fixture
def checkout(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    models = tmp_path / "almeval" / "models"
    models.mkdir(parents=True)
    (models / "tiny.py").write_text(MODEL)
    (models / "broken.py").write_text("class Broken(:\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("name", ["Tiny-Audio", "tiny-audio", "Tiny"])
def test_a_model_is_found_by_its_name(checkout: Path, name: str) -> None:
    path = f"{checkout / 'almeval/models/tiny.py'}:Tiny"
    assert find_model_path(name) == path
    assert MODELS.get(f"kimi:{name}").class_path == path
    assert Spec(task="demo", model=f"kimi:{name}").resolved().model == f"kimi:{path}"


def test_a_checkout_is_searched_above_the_working_directory(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (checkout / "data" / "deep").mkdir(parents=True)
    monkeypatch.chdir(checkout / "data" / "deep")
    assert [source.name for source in list_classes(MODELS_PACKAGE)] == ["Tiny-Audio"]
    assert find_class(DATASETS_PACKAGE, "Tiny-Audio") is None


def test_a_checkout_is_searched_in_pythonpath(
    checkout: Path, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    monkeypatch.chdir(tmp_path_factory.mktemp("elsewhere"))
    monkeypatch.setenv("PYTHONPATH", str(checkout))
    assert find_model_path("Tiny-Audio").endswith("tiny.py:Tiny")


def test_an_unknown_model_is_answered_with_those_of_the_checkout(checkout: Path) -> None:
    with pytest.raises(UnknownName, match=r"The checkout has no model 'Tinny'\. Did you mean Tiny-Audio\?"):
        find_model_path("Tinny")


def test_a_name_needs_a_checkout(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UnknownName, match="Run the command in a checkout, or pass kimi:file"):
        MODELS.get("kimi:Tiny-Audio")


def test_the_name_of_a_class_is_read_without_importing_it(checkout: Path) -> None:
    file = checkout / "almeval" / "models" / "tiny.py"
    assert read_name(f"{file}:Tiny", MODELS_PACKAGE) == "Tiny-Audio"
    assert read_name(f"{file}:Tinier", MODELS_PACKAGE) == "Tiny-Audio"
    assert read_name(f"{file}:Helper", MODELS_PACKAGE) == ""
    assert read_name("package.module:Tiny", MODELS_PACKAGE) == ""
