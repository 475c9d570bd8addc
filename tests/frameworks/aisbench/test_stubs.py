import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

from auricle.frameworks.aisbench import resolve_inferencer_factory
from auricle.frameworks.aisbench.stubs import is_npu_available

CLASSES = Path(__file__).with_name("aisbench_classes.py")


def test_stubs_exist_only_while_a_class_is_imported() -> None:
    resolve_inferencer_factory(f"{CLASSES}:Api")
    assert not [name for name in sys.modules if name.partition(".")[0] == "ais_bench"]


def test_stub_classes_exist_once() -> None:
    bases = []
    for _ in range(2):
        resolve_inferencer_factory(f"{CLASSES}:Api")
        bases.append(sys.modules["auricle_file_aisbench_classes"].BaseApiInferencer)
    assert bases[0] is bases[1]


def test_an_npu_is_available_if_torch_reports_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", ModuleType("torch"))
    assert not is_npu_available()
    monkeypatch.setattr(sys.modules["torch"], "npu", SimpleNamespace(is_available=lambda: True), raising=False)
    assert is_npu_available()
