import sys
from types import ModuleType

import pytest

from auricle.frameworks.isolated_modules import (
    IsolatedModules,
    create_stub_module,
    loaded_modules,
    pythonpath_folders,
    swap_modules,
)


class Isolated(IsolatedModules):
    """Provides one package, and counts how often it is created."""

    created = 0

    def _create_modules(self) -> dict[str, ModuleType]:
        self.created += 1
        assert "isolated_package" not in sys.modules
        return {"isolated_package": create_stub_module("isolated_package", {"NUMBER": self.created})}


def test_modules_are_importable_only_within_the_block() -> None:
    modules = Isolated(None, "isolated_package")
    with modules.activate():
        assert sys.modules["isolated_package"].NUMBER == 1
    assert "isolated_package" not in sys.modules


def test_modules_keep_their_state_between_blocks() -> None:
    modules = Isolated(None, "isolated_package")
    with modules.activate():
        sys.modules["isolated_package.added"] = create_stub_module("isolated_package.added", {})
    with modules.activate():
        assert set(loaded_modules("isolated_package")) == {"isolated_package", "isolated_package.added"}
    assert modules.created == 1


def test_blocks_can_be_nested_and_modules_loaded_before_are_restored() -> None:
    outer, inner = Isolated(None, "isolated_package"), Isolated(None, "isolated_package")
    with outer.activate():
        outer_module = sys.modules["isolated_package"]
        with inner.activate():
            assert sys.modules["isolated_package"] is not outer_module
        assert sys.modules["isolated_package"] is outer_module


def test_swap_replaces_modules() -> None:
    swap_modules((), {"swapped_module": create_stub_module("swapped_module", {})})
    assert "swapped_module" in sys.modules
    swap_modules(["swapped_module", "never_loaded"], {})
    assert "swapped_module" not in sys.modules


def test_empty_entries_of_pythonpath_are_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", "/a::/b")
    assert pythonpath_folders() == ["/a", "/b"]
