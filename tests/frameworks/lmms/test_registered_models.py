"""Model classes are found by registered names, in files, in checkouts and through entry points."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from auricle.core.errors import SpecError, UnknownName
from auricle.frameworks.lmms import resolve_model_class
from auricle.frameworks.lmms.registered_models import read_model_classes, resolve_class_path

MODEL = """
from lmms_eval.api.model import lmms
from lmms_eval.api.registry import register_model

@register_model({names})
class {name}(lmms):
    is_simple = {is_simple}

    def generate_until(self, requests):
        return [type(self).__name__ for _ in requests]
"""


def write_model(file: Path, name: str, *names: str, is_simple: bool = True) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("a") as source:
        source.write(MODEL.format(name=name, names=", ".join(map(repr, names)), is_simple=is_simple))


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_registered_name_is_found_in_the_working_folder(folder: Path) -> None:
    write_model(folder / "audio.py", "MyAudio", "my_audio", "my-audio")
    (folder / "broken.py").write_text("register_model(")
    (folder / "binary.py").write_bytes(b"register_model\xff")
    for name in ("my_audio", "my-audio"):
        assert resolve_class_path(name) == f"{folder}/audio.py:MyAudio"
    model = resolve_model_class("my_audio")()
    assert type(model._model).__mro__[1].__name__ == "MyAudio"


def test_a_file_with_one_model_class_needs_no_class_name(folder: Path) -> None:
    (folder / "plain.py").write_text(
        "class Helper:\n    pass\n\nclass Mine:\n    def generate_until(self, requests):\n        return []\n"
    )
    assert resolve_class_path("plain.py") == "plain.py:Mine"
    write_model(folder / "plain.py", "Registered", "registered")
    assert resolve_class_path("plain.py") == "plain.py:Registered"
    write_model(folder / "plain.py", "Other", "other")
    with pytest.raises(
        SpecError, match=r"2 model classes\. Choose one: lmms:plain\.py:Registered, lmms:plain\.py:Other"
    ):
        resolve_class_path("plain.py")


@pytest.mark.parametrize(
    ("source", "message"),
    [("x = 1", "has no model class"), ("def generate_until(", "cannot be parsed"), (None, "There is no file")],
)
def test_a_file_without_a_model_class_is_refused(folder: Path, source: str | None, message: str) -> None:
    if source is not None:
        (folder / "a.py").write_text(source)
    with pytest.raises(SpecError, match=message):
        resolve_class_path("a.py")


def test_a_class_is_a_model_by_its_base_a_method_or_its_name(folder: Path) -> None:
    (folder / "a.py").write_text(
        "from lmms_eval.api import model, registry\n"
        "class ByBase(model.lmms):\n    pass\n"
        "class ByMethod:\n    def generate_until_multi_round(self, requests): ...\n"
        "@registry.register_model('by_name')\nclass ByName(ByBase):\n    is_simple = False\n"
        "class Not:\n    pass\n"
    )
    classes = read_model_classes(folder / "a.py")
    assert [model.path.rpartition(":")[2] for model in classes] == ["ByBase", "ByMethod", "ByName"]
    assert [model.is_chat for model in classes] == [False, False, True]


def test_a_checkout_lists_its_models_and_aliases(folder: Path) -> None:
    models = folder / "lmms_eval" / "models"
    for name, is_simple in (("chat", False), ("simple", True)):
        write_model(models / name / "openai.py", "OpenAI", is_simple=is_simple)
    (models / "__init__.py").write_text(
        "AVAILABLE_SIMPLE_MODELS = {'openai': 'OpenAI', 'gone': 'Gone'}\n"
        "AVAILABLE_CHAT_TEMPLATE_MODELS = {'openai': 'OpenAI'}\n"
        "MODEL_ALIASES: dict[str, tuple[str, ...]] = {'openai': ('openai_compatible',)}\n"
        "print('not executed')\n"
    )
    write_model(models / "chat" / "mine.py", "Mine", "mine", is_simple=False)
    for name in ("openai", "openai_compatible"):
        assert resolve_class_path(name) == f"{models}/chat/openai.py:OpenAI"
    assert resolve_class_path("mine") == f"{models}/chat/mine.py:Mine"
    assert resolve_model_class("mine")()._checkout == str(folder / "lmms_eval")
    with pytest.raises(UnknownName):
        resolve_class_path("gone")


def test_a_module_of_a_checkout_that_is_not_installed_is_found_as_a_file(folder: Path) -> None:
    write_model(folder / "lmms_eval" / "models" / "simple" / "mine.py", "Mine")
    path = f"{folder}/lmms_eval/models/simple/mine.py:Mine"
    assert resolve_class_path("lmms_eval.models.simple.mine:Mine") == path
    for other in ("lmms_eval.models:Mine", "lmms_eval.models.simple.other:Mine", "package.mine:Mine"):
        assert resolve_class_path(other) == other


def test_an_installed_package_lists_its_models(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = folder / "site" / "lmms_eval"
    (package / "models").mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "models" / "__init__.py").write_text("AVAILABLE_SIMPLE_MODELS = {'dummy': 'Dummy'}")
    monkeypatch.syspath_prepend(folder / "site")
    assert resolve_class_path("dummy") == "lmms_eval.models.simple.dummy:Dummy"


def test_the_working_folder_comes_first_and_chat_models_precede_simple_ones(folder: Path) -> None:
    write_model(folder / "lmms_eval" / "models" / "simple" / "a.py", "Theirs", "a")
    write_model(folder / "mine.py", "Simple", "a")
    assert resolve_class_path("a") == f"{folder}/mine.py:Simple"
    write_model(folder / "other.py", "Chat", "a", is_simple=False)
    assert resolve_class_path("a") == f"{folder}/other.py:Chat"
    write_model(folder / "third.py", "Third", "a", is_simple=False)
    with pytest.raises(SpecError, match=r"2 classes are registered as 'a'\. Choose one: lmms:"):
        resolve_class_path("a")


@pytest.fixture
def plugin(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package with an entry point, as pip installs it."""
    info = folder / "site" / "plugin-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: plugin\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[lmms_eval.models]\nplugin = lmms_plugin:manifests\n")
    monkeypatch.syspath_prepend(folder / "site")
    return folder / "site" / "lmms_plugin.py"


@pytest.mark.parametrize("form", ["MANIFEST", "[MANIFEST]", "lambda: [MANIFEST]"])
def test_a_package_registers_models_through_an_entry_point(
    plugin: Path, form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, "lmms_plugin", raising=False)
    plugin.write_text(
        "from lmms_eval.models.registry_v2 import ModelManifest\n"
        "MANIFEST = ModelManifest('plugged', chat_class_path='lmms_plugin.Chat', aliases=('plug',))\n"
        f"manifests = {form}\n"
    )
    write_model(plugin, "Chat", is_simple=False)
    for name in ("plugged", "plug"):
        assert resolve_class_path(name) == "lmms_plugin:Chat"
    assert resolve_model_class("plug")()._is_chat


@pytest.mark.parametrize(
    ("source", "message"),
    [("manifests = 'a'", "should be a ModelManifest"), ("raise KeyError('x')", "cannot be loaded")],
)
def test_an_invalid_entry_point_is_named(
    plugin: Path, source: str, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, "lmms_plugin", raising=False)
    plugin.write_text(source)
    with pytest.raises(SpecError, match=f"The entry point plugin = lmms_plugin:manifests {message}"):
        resolve_class_path("plugged")


def test_an_unknown_name_is_reported_with_similar_ones(folder: Path) -> None:
    write_model(folder / "audio.py", "MyAudio", "my_audio_model")
    with pytest.raises(UnknownName, match=r"Unknown model 'lmms:my_audio'\. Did you mean my_audio_model"):
        resolve_class_path("my_audio")
    with pytest.raises(UnknownName, match="Registered names: my_audio_model"):
        resolve_class_path("zzz")
