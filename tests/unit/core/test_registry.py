"""Names to things: built in, decorated, by path, and helpful when wrong."""

from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest

from auricle.core import registry as registries
from auricle.core.errors import SpecError, UnknownName
from auricle.core.registry import Builtin, Registry, split_prefix
from auricle.metrics.catalogue import METRICS
from auricle.models.catalogue import MODELS
from auricle.prompts.catalogue import ENCODERS, RETRIEVERS
from auricle.tasks.catalogue import TASKS


@pytest.fixture
def adapters(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Entry points of one group, in place of the installed ones."""

    def install(group: Any, **points: Any) -> None:
        installed = {name: EntryPoint(name, path, group) for name, path in points.items()}
        monkeypatch.setattr(registries, "_entry_points", lambda named: installed if named == group else {})

    return install


@pytest.fixture
def registry(adapters: Any) -> Any:
    adapters("no group")
    return Registry("model", {"json-dumps": Builtin("json:dumps", "writes JSON")})


def test_a_built_in_is_imported_when_asked_for(registry: Any) -> None:
    assert registry.get("json-dumps")({"a": 1}) == '{"a": 1}'
    assert registry.summary("json-dumps") == "writes JSON"


def test_a_decorated_thing_is_found_by_name(registry: Any) -> None:
    @registry("mine")
    def mine() -> None:
        """Does what I want."""

    assert registry.get("mine") is mine
    assert registry.summary("mine") == "Does what I want."
    assert list(registry) == ["json-dumps", "mine"]


def test_a_name_is_taken_once(registry: Any) -> None:
    with pytest.raises(SpecError, match="already registered"):
        registry("json-dumps")(object())


def test_a_path_needs_no_registration(registry: Any) -> None:
    assert registry.get("auricle.testing.models:Echo").__name__ == "Echo"


def test_a_file_needs_no_package(registry: Any, tmp_path: Path) -> None:
    (tmp_path / "beside.py").write_text("VALUE = 7\n")
    file = tmp_path / "mine.py"
    file.write_text("import beside\ndef answer():\n    return beside.VALUE\n")
    assert registry.get(f"{file}:answer")() == 7


def test_an_adapter_gets_the_rest_of_a_name(adapters: Any) -> None:
    adapters("auricle.model_adapters", textwrap="textwrap:dedent")
    registry = Registry("model", {})
    assert registry.get("textwrap:file.py:Class") == "file.py:Class"
    assert list(registry.adapters()) == ["textwrap:file.py:Class"]
    assert "common leading whitespace" in registry.adapters()["textwrap:file.py:Class"]
    assert list(registry) == []


def test_a_group_of_another_framework_expands_to_its_members(adapters: Any) -> None:
    adapters("auricle.task_adapters", theirs=f"{__name__}:load_group")
    registry = Registry("task", {})
    assert registry.expand("theirs:all", {"of": "ab"}) == ["theirs:all-a", "theirs:all-b"]
    assert registry.expand("theirs:one", {"of": "ab"}) == ["theirs:one"]
    assert registry.expand("json:dumps", {}) == ["json:dumps"]
    assert registry.adapters() == {"theirs:NAME": "A benchmark of theirs."}


def test_a_plugin_that_cannot_be_loaded_does_not_break_a_listing(adapters: Any) -> None:
    adapters("auricle.models", broken="no_such_package:Model")
    registry = Registry("model", {})
    assert list(registry) == ["broken"]
    assert "no_such_package:Model; cannot be loaded" in registry.summary("broken")


def load_group(name: Any) -> Any:
    """A benchmark of theirs."""

    def make() -> None: ...

    if name == "all":
        make.members = lambda arguments: [f"{name}-{each}" for each in arguments["of"]]
    return make


@pytest.mark.parametrize(
    ("name", "whole"),
    [
        ("cmi:mine.py:My", ("cmi:", "mine.py:My")),
        ("mine.py:My", ("", "mine.py:My")),
        ("cmi", ("", "cmi")),
        ("json:dumps", ("", "json:dumps")),
    ],
)
def test_a_prefix_is_told_from_a_module(name: str, whole: Any) -> None:
    assert split_prefix(name) == whole


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("json-dump", "Did you mean json-dumps?"),
        ("zzz", "See `auricle list models`"),
        ("json:dmps", "json has no 'dmps'; it has dumps"),
        ("no_such_package:x", "There is no module 'no_such_package'"),
        ("nowhere.py:x", r"There is no file nowhere\.py"),
    ],
)
def test_a_wrong_name_is_met_with_a_hint(registry: Any, name: str, words: str) -> None:
    with pytest.raises(UnknownName, match=words):
        registry.get(name)


def test_a_file_that_does_not_load_says_why(registry: Any, tmp_path: Path) -> None:
    file = tmp_path / "broken.py"
    file.write_text("import no_such_thing\n")
    with pytest.raises(SpecError, match=r"broken\.py cannot be loaded: ModuleNotFoundError"):
        registry.get(f"{file}:x")


def test_a_module_whose_own_import_is_missing_names_that(
    registry: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "needy_module.py").write_text("import not_installed_here\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(SpecError, match="needs the package 'not_installed_here'"):
        registry.get("needy_module:x")


@pytest.mark.parametrize("each", [TASKS, MODELS, METRICS, RETRIEVERS, ENCODERS], ids=lambda each: each.kind)
def test_every_built_in_exists_and_has_a_line_about_it(each: Any) -> None:
    for name in each:
        assert callable(each.get(name)) or each.get(name).name == name
        assert each.summary(name)


@pytest.mark.parametrize("body", ["1 / 0\n", "undefined_name\n", "import sys\nsys.exit(0)\n"])
def test_a_file_that_raises_while_it_loads_is_the_users_move(registry: Any, tmp_path: Path, body: str) -> None:
    file = tmp_path / "raises.py"
    file.write_text(body)
    with pytest.raises(SpecError, match=r"raises\.py cannot be loaded"):
        registry.get(f"{file}:x")


def test_half_a_path_is_told_what_is_missing(registry: Any) -> None:
    with pytest.raises(UnknownName, match=r"should be package\.module:name"):
        registry.get(":x")


def test_a_file_that_registers_a_name_may_be_read_twice(tmp_path: Path) -> None:
    path = tmp_path / "named.py"
    path.write_text(
        "from auricle import model\n@model('named-twice')\nclass Named:\n    def generate(self, batch): ...\n"
    )
    first = MODELS.get(f"{path}:Named")
    assert MODELS.get(f"{path}:Named").__qualname__ == first.__qualname__
    with pytest.raises(SpecError, match="already registered"):
        MODELS("named-twice")(object())


def test_a_part_of_a_name_is_as_good_as_a_slip_of_the_finger() -> None:
    with pytest.raises(UnknownName, match="Did you mean voicebench-mmsu, mmau"):
        TASKS.get("mmsu")


def test_a_file_that_is_no_python_is_told_with_its_own_line_alone(tmp_path: Path) -> None:
    (tmp_path / "torn.py").write_text("class Torn(:\n")
    with pytest.raises(SpecError, match=r"SyntaxError: .* \(torn\.py, line 1\)$"):
        MODELS.get(f"{tmp_path / 'torn.py'}:Torn")


def test_what_is_named_where_it_cannot_be_is_told_what_it_is() -> None:
    words = "The prefix aisbench: is for inferencers, not models"
    with pytest.raises(UnknownName, match=words):
        MODELS.get("aisbench:mine.py:Mine")
