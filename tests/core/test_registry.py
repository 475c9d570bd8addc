"""Looking up names: built-in, registered, by path, and unknown ones."""

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from auricle.core.errors import SpecError, UnknownName
from auricle.core.features import Builtin
from auricle.core.registry import Registry, import_object, split_prefix
from auricle.data.prompts.catalogue import ENCODERS, RETRIEVERS
from auricle.engine.catalogue import TASKS
from auricle.metrics.catalogue import METRICS
from auricle.models.catalogue import MODELS


@pytest.fixture
def registry() -> Registry[Any]:
    return Registry("gadget", {"json-dumps": Builtin("json:dumps", "writes JSON")})


def test_builtin_is_imported_when_requested(registry: Registry[Any]) -> None:
    assert registry.get("json-dumps")({"a": 1}) == '{"a": 1}'
    assert registry.summary("json-dumps") == "writes JSON"


def test_decorator_registers_a_name(registry: Registry[Any]) -> None:
    @registry("mine")
    def mine() -> None:
        """Summary of mine."""

    assert registry.get("mine") is mine
    assert registry.summary("mine") == "Summary of mine."
    assert list(registry) == ["json-dumps", "mine"]


def test_name_cannot_be_registered_twice(registry: Registry[Any]) -> None:
    with pytest.raises(SpecError, match="already registered"):
        registry("json-dumps")(object())


def test_module_path_needs_no_registration(registry: Registry[Any]) -> None:
    assert registry.get("auricle.testing.models:Echo").__name__ == "Echo"


def test_file_path_needs_no_package(registry: Registry[Any], tmp_path: Path) -> None:
    (tmp_path / "neighbour.py").write_text("VALUE = 7\n")
    file = tmp_path / "mine.py"
    file.write_text("import neighbour\ndef answer():\n    return neighbour.VALUE\n")
    assert registry.get(f"{file}:answer")() == 7


def test_adapter_gets_the_name_after_its_prefix(install: Any, registry: Registry[Any]) -> None:
    install("auricle-other", {"gadget_adapters": {"textwrap": "textwrap:dedent"}})
    assert registry.get("textwrap:file.py:Class") == "file.py:Class"
    listing = registry.listings()[-1]
    assert (listing.name, listing.package) == ("textwrap:file.py:Class", "auricle-other 1.0")
    assert "common leading whitespace" in listing.summary
    assert list(registry) == ["json-dumps"]


def test_group_of_another_framework_expands_to_its_members(install: Any, registry: Registry[Any]) -> None:
    install("auricle-other", {"gadget_adapters": {"other": f"{__name__}:load_group"}})
    assert registry.expand("other:all", {"of": "ab"}) == ["other:all-a", "other:all-b"]
    assert registry.expand("other:one", {"of": "ab"}) == ["other:one"]
    assert registry.expand("json:dumps", {}) == ["json:dumps"]
    assert registry.listings()[-1].summary == "A benchmark of another framework."


def test_a_name_that_an_adapter_searches_for_becomes_a_class_path(install: Any) -> None:
    install("auricle-other", {"model_adapters": {"other": f"{__name__}:load_class"}})
    registry: Registry[Any] = Registry("model", {})
    assert registry.resolve_name("other:Named") == "other:/somewhere/named.py:Named"
    assert registry.resolve_name("other:plain") == "other:plain"
    assert registry.resolve_name("other:file.py:Class") == "other:file.py:Class"
    assert registry.resolve_name("echo") == "echo"


def load_class(name: str) -> Any:
    return SimpleNamespace(class_path="" if name.islower() else f"/somewhere/{name.lower()}.py:{name}")


def test_name_of_a_package_is_listed_with_its_summary_and_package(install: Any, registry: Registry[Any]) -> None:
    install("auricle-tiny", {"gadgets": {"tiny": "auricle_tiny:Tiny"}}, "class Tiny:\n    'Do little.'")
    assert registry.get("tiny").__name__ == "Tiny"
    assert registry.listings() == [("json-dumps", "writes JSON", ""), ("tiny", "Do little.", "auricle-tiny 1.0")]
    assert registry.package_names() == ["tiny"]
    assert "tiny" in registry


def test_broken_package_does_not_break_the_listing(install: Any, registry: Registry[Any]) -> None:
    install("auricle-broken", {"gadgets": {"broken": "no_such_module:Gadget"}})
    assert list(registry) == ["broken", "json-dumps"]
    assert "cannot be loaded: the module 'no_such_module' is not installed" in registry.summary("broken")
    assert registry.get("json-dumps")


def test_name_of_a_built_in_is_refused_with_the_package(install: Any, registry: Registry[Any]) -> None:
    install("auricle-clash", {"gadgets": {"json-dumps": "json:loads"}})
    message = r"The gadget 'json-dumps' is defined by auricle and by auricle-clash 1\.0, so it cannot be used"
    with pytest.raises(SpecError, match=message):
        registry.get("json-dumps")
    assert "auricle-clash" in registry.summary("json-dumps")


def test_name_of_a_package_and_of_a_decorator_is_refused_unless_both_are_the_same(
    install: Any, registry: Registry[Any]
) -> None:
    install("auricle-tiny", {"gadgets": {"tiny": "auricle_tiny:Tiny"}}, "class Tiny: ...")
    registry("tiny")(registry.get("tiny"))
    assert registry.get("tiny").__name__ == "Tiny"
    other: Registry[Any] = Registry("gadget", {})
    other("tiny")(json.dumps)
    with pytest.raises(SpecError, match=r"defined by code of this process and by auricle-tiny 1\.0"):
        other.get("tiny")


def test_object_of_another_type_is_refused_with_the_package(install: Any) -> None:
    install("auricle-odd", {"gadgets": {"odd": "auricle_odd:ODD"}}, "ODD = 3")
    registry: Registry[Any] = Registry("gadget", {}, expects=(str, "a text"))
    with pytest.raises(
        SpecError, match=r"of the package auricle-odd 1\.0 .*: auricle_odd:ODD is of type int, expected a"
    ):
        registry.get("odd")


def test_task_of_a_package_resolves_its_arguments_as_a_built_in_one(install: Any, registry: Registry[Any]) -> None:
    code = """
        class Benchmark:
            def resolve_arguments(self, arguments):
                return {**arguments, "root": "/data"}

        benchmark = Benchmark()
    """
    install("auricle-quiz", {"gadgets": {"quiz": "auricle_quiz:benchmark"}}, code)
    assert registry.resolve_arguments("quiz", {"split": "test"}) == {"split": "test", "root": "/data"}
    assert registry.resolve_arguments("json:dumps", {"split": "test"}) == {"split": "test"}


def test_kind_of_two_words_has_one_group(install: Any) -> None:
    install("auricle-tiny", {"small_gadgets": {"tiny": "auricle_tiny:Tiny"}}, "class Tiny:\n    summary = 'Do little.'")
    registry: Registry[Any] = Registry("small gadget", {})
    assert registry.summary("tiny") == "Do little."
    with pytest.raises(UnknownName, match="See `auricle list small-gadgets`"):
        registry.get("zzz")


def load_group(name: str) -> Any:
    """A benchmark of another framework."""
    if name != "all":
        return lambda: None
    return SimpleNamespace(members=lambda arguments: [f"{name}-{member}" for member in arguments["of"]])


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("cmi:mine.py:My", ("cmi:", "mine.py:My")),
        ("mine.py:My", ("", "mine.py:My")),
        ("cmi", ("", "cmi")),
        ("json:dumps", ("", "json:dumps")),
    ],
)
def test_prefix_is_distinguished_from_a_module(name: str, expected: tuple[str, str]) -> None:
    assert split_prefix(name) == expected


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("json-dump", "Did you mean json-dumps?"),
        ("zzz", "See `auricle list gadgets`"),
        ("json:dmps", "json has no 'dmps'; it has dumps"),
        ("no_such_package:x", "There is no module 'no_such_package'"),
        ("nowhere.py:x", r"There is no file nowhere\.py"),
    ],
)
def test_unknown_name_gives_a_hint(registry: Registry[Any], name: str, message: str) -> None:
    with pytest.raises(UnknownName, match=message):
        registry.get(name)


def test_file_with_a_missing_import_gives_the_reason(registry: Registry[Any], tmp_path: Path) -> None:
    file = tmp_path / "broken.py"
    file.write_text("import no_such_thing\n")
    with pytest.raises(SpecError, match=r"broken\.py cannot be loaded: ModuleNotFoundError"):
        registry.get(f"{file}:x")


def test_module_with_a_missing_import_names_the_package(
    registry: Registry[Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "needy_module.py").write_text("import not_installed_here\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(SpecError, match="needs the package 'not_installed_here'"):
        registry.get("needy_module:x")


@pytest.mark.parametrize("builtins", [TASKS, MODELS, METRICS, RETRIEVERS, ENCODERS], ids=lambda table: table.kind)
def test_every_builtin_exists_and_has_a_summary(builtins: Registry[Any]) -> None:
    for name in builtins:
        value = builtins.get(name)
        assert callable(value) or isinstance(value, tuple) or value.name == name  # a tuple is a set of metrics
        assert builtins.summary(name)


@pytest.mark.parametrize("body", ["1 / 0\n", "undefined_name\n", "import sys\nsys.exit(0)\n"])
def test_file_that_raises_is_a_spec_error(registry: Registry[Any], tmp_path: Path, body: str) -> None:
    file = tmp_path / "raises.py"
    file.write_text(body)
    with pytest.raises(SpecError, match=r"raises\.py cannot be loaded"):
        registry.get(f"{file}:x")


def test_incomplete_path_names_the_expected_form(registry: Registry[Any]) -> None:
    with pytest.raises(UnknownName, match=r"should be package\.module:name"):
        registry.get(":x")


def test_names_of_a_file_are_suggested_without_its_imports(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(
        "from collections import Counter, OrderedDict\nfrom typing import Any\nimport json\nclass Careful: ...\n"
    )
    with pytest.raises(UnknownName, match=r"has no 'Count'; it has Careful\."):
        import_object(f"{file}:Count")
    file.write_text("from collections import Counter\n")
    with pytest.raises(UnknownName, match=r"has no 'Other'; it has Counter\."):
        import_object(f"{file}:Other")


def test_file_that_registers_a_name_may_be_imported_twice(tmp_path: Path) -> None:
    path = tmp_path / "named.py"
    path.write_text(
        "from auricle import model\n@model('named-twice')\nclass Named:\n    def generate(self, batch): ...\n"
    )
    first = MODELS.get(f"{path}:Named")
    assert MODELS.get(f"{path}:Named").__qualname__ == first.__qualname__
    with pytest.raises(SpecError, match="already registered"):
        MODELS("named-twice")(cast("Any", object()))


def test_suggestions_include_names_that_contain_the_word() -> None:
    with pytest.raises(UnknownName, match="Did you mean voicebench-mmsu, mmau"):
        TASKS.get("mmsu")


def test_syntax_error_names_the_line_once(tmp_path: Path) -> None:
    (tmp_path / "wrong.py").write_text("class Wrong(:\n")
    with pytest.raises(SpecError, match=r"SyntaxError: .* \(wrong\.py, line 1\)$"):
        MODELS.get(f"{tmp_path / 'wrong.py'}:Wrong")


def test_prefix_of_another_kind_names_its_kind() -> None:
    with pytest.raises(UnknownName, match="The prefix cmi: is for models, not tasks"):
        TASKS.get("cmi:mine.py:Mine")
