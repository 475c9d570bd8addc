import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

from auricle.interop.lmms import resolve_model_class
from auricle.interop.lmms.stub_importer import THIRD_PARTY_STUBS, stubs_importable

CLASSES = Path(__file__).with_name("lmms_classes.py")


def test_stubs_are_removed_after_the_block() -> None:
    resolve_model_class(f"{CLASSES}:Simple")()
    assert not [name for name in sys.modules if name.partition(".")[0] == "lmms_eval"]
    assert find_spec("lmms_eval") is None


def test_a_real_module_takes_precedence_over_a_stub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "loguru.py").write_text("logger = 'real'")
    monkeypatch.syspath_prepend(tmp_path)
    with stubs_importable():
        assert import_module("loguru").logger == "real"
    monkeypatch.delitem(sys.modules, "loguru")


def test_the_stub_of_torch_reports_missing_names() -> None:
    names = THIRD_PARTY_STUBS["torch"]()
    with names["no_grad"]():
        assert not names["cuda"].is_available()
    with pytest.raises(AttributeError, match="torch is not installed"):
        names["__getattr__"]("zeros")
