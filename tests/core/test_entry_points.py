"""What packages define: where it comes from, and what is refused."""

from typing import Any

import pytest

from auricle.core.entry_points import find_entries
from auricle.core.errors import SpecError


def test_entry_names_its_package_and_loads_its_object(install: Any) -> None:
    install("auricle-tiny", {"models": {"tiny": "auricle_tiny:Tiny"}}, "class Tiny: ...")
    entry = find_entries("model", "models")["tiny"]
    assert entry.packages == ["auricle-tiny 1.0"]
    assert entry.load().__name__ == "Tiny"


def test_groups_are_searched_together(install: Any) -> None:
    install("auricle-two", {"tasks": {"a": "auricle_two:a"}, "task_kinds": {"b": "auricle_two:b"}})
    assert {"a", "b"} <= {*find_entries("task", "tasks", "task_kinds")}
    assert "b" not in find_entries("task", "tasks")


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("import not_installed_here.inner", "the module 'not_installed_here' is not installed"),
        ("1 / 0", r"ZeroDivisionError: division by zero \(auricle_broken\.py:1\)"),
        ("raise SystemExit(3)", "SystemExit: 3"),
        ("", "AttributeError: module 'auricle_broken' has no attribute 'Model'"),
        ("class Model(:", "SyntaxError: invalid syntax"),
        ("raise ImportError('no torch\\n\\n  install it')", "ImportError: no torch install it"),
    ],
)
def test_broken_package_is_described_in_one_line(install: Any, code: str, reason: str) -> None:
    install("auricle-broken", {"models": {"broken": "auricle_broken:Model"}}, code)
    with pytest.raises(
        SpecError, match=rf"The model 'broken' of the package auricle-broken 1\.0 cannot be loaded: {reason}"
    ) as caught:
        find_entries("model", "models")["broken"].load()
    assert "\n" not in str(caught.value)


def test_module_that_was_removed_is_described_in_one_line(install: Any) -> None:
    install("auricle-gone", {"models": {"gone": "no_such_module:Model"}})
    with pytest.raises(SpecError, match="the module 'no_such_module' is not installed"):
        find_entries("model", "models")["gone"].load()


def test_name_of_two_packages_is_refused_with_both(install: Any) -> None:
    install("auricle-first", {"models": {"tiny": "auricle_first:Tiny"}}, "class Tiny: ...")
    install("auricle-second", {"models": {"tiny": "auricle_second:Tiny"}}, "class Tiny: ...")
    with pytest.raises(
        SpecError, match=r"The model 'tiny' is defined by auricle-\w+ 1\.0 and by auricle-\w+ 1\.0"
    ) as e:
        find_entries("model", "models")["tiny"].load()
    assert "auricle-first" in str(e.value)
    assert "auricle-second" in str(e.value)
