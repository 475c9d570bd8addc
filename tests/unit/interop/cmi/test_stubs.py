import sys
from importlib import import_module
from pathlib import Path

import pytest

from auricle.interop.cmi.stubs import BenchmarkModelABC, input_class, stub_core_package
from auricle.models.catalogue import MODELS
from tests.unit.interop.cmi.reward_classes import checkout, inheriting


def test_the_stub_is_importable_only_while_a_class_is_imported(tmp_path: Path) -> None:
    MODELS.get(f"cmi:{inheriting(tmp_path / 'my_model.py')}:MyBaseline")(device="cpu")
    assert not [name for name in sys.modules if name.partition(".")[0] == "core"]


def test_all_stub_modules_share_one_base_class() -> None:
    with stub_core_package([]):
        first = import_module("core.model_abc").BenchmarkModelABC
        second = import_module("core.model_interface").BenchmarkModelInterface
    assert first is second is BenchmarkModelABC


def test_another_core_package_is_restored(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    other = type(sys)("core")
    monkeypatch.setitem(sys.modules, "core", other)
    MODELS.get(f"cmi:{inheriting(tmp_path / 'my_model.py')}:MyBaseline")(device="cpu")
    assert sys.modules["core"] is other


def test_a_core_package_of_the_user_is_completed(tmp_path: Path) -> None:
    (tmp_path / "core").mkdir()
    (tmp_path / "core" / "__init__.py").write_text("MINE = 7\n")
    path = inheriting(tmp_path / "my_model.py")
    path.write_text("import core\nassert core.MINE == 7\n" + path.read_text())
    MODELS.get(f"cmi:{path}:MyBaseline")(device="cpu")


def test_checkouts_are_isolated_from_each_other(tmp_path: Path) -> None:
    for name in ("one", "two"):
        root = checkout(tmp_path / name)
        with stub_core_package([str(root)]):
            sys.path.insert(0, str(root))
            module = import_module("core.model_abc")
            assert input_class().__module__ == "core.model_abc"
            assert str(root) in str(module.__file__)
