import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from auricle import load_model
from auricle.core.errors import Skipped
from auricle.frameworks.kimi.stubs import MODEL_BASE_MODULE
from tests.support.framework_results import text_of

FILE = Path(__file__).with_name("kimi_classes.py")
pytestmark = pytest.mark.usefixtures("restore_modules")


def write_checkout(folder: Path, base: str) -> Path:
    """Write a checkout of the evalkit with this base module and return its models folder."""
    package = folder / "almeval" / "models"
    package.mkdir(parents=True)
    for parent in (package, package.parent):
        (parent / "__init__.py").write_text("")
    (package / "base.py").write_text(base)
    return package


def test_stubs_are_removed_after_a_class_has_run(tone: Any) -> None:
    with load_model(f"kimi:{FILE}:Odd") as model:
        model.ask(str(tone("a.wav", 0.3)), "well")
    assert not [name for name in sys.modules if name.partition(".")[0] == "almeval"]


def test_an_importable_evalkit_is_used_itself(tone: Any) -> None:
    base = "class BaseModel:\n    NAME = None\n    REAL = True\n"
    package = write_checkout(Path("kit"), base)
    (package / "mine.py").write_text(
        "from .base import BaseModel\nclass My(BaseModel):\n"
        "    def generate_inner(self, msg):\n        return '', str(self.REAL)\n"
    )
    with load_model("kimi:kit/almeval/models/mine.py:My") as model:
        assert text_of(model.ask(str(tone("a.wav", 0.3)), "well")) == "True"
    assert MODEL_BASE_MODULE in sys.modules


def test_a_broken_evalkit_is_replaced_by_stubs_except_other_files(tone: Any) -> None:
    package = write_checkout(Path("kit"), "import no_such_package\n")
    (package / "beside.py").write_text("WORD = 'beside'\n")
    (package / "mine.py").write_text(
        "from .base import BaseModel\nfrom .beside import WORD\nclass My(BaseModel):\n"
        "    def generate_inner(self, msg):\n        return '', WORD\n"
    )
    with load_model("kimi:kit/almeval/models/mine.py:My") as model:
        assert text_of(model.ask(str(tone("a.wav", 0.3)), "well")) == "beside"


@pytest.mark.parametrize(("seconds", "is_legal"), [(0.05, False), (0.2, True), (60.5, False)])
def test_the_default_limits_are_the_evalkits(seconds: float, is_legal: bool, tone: Any) -> None:
    path = str(tone("a.wav", seconds, rate=1000))
    with load_model(f"kimi:{FILE}:Odd") as model:
        if is_legal:
            assert text_of(model.ask(path, "well")) == "done, nothing left"
        else:
            with pytest.raises(Skipped, match="rejects the audio"):
                model.ask(path, "well")


def test_a_class_runs_without_gradients(tone: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    events = []

    @contextmanager
    def inference_mode() -> Iterator[Any]:
        events.append("in")
        yield
        events.append("out")

    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace(inference_mode=inference_mode))
    with load_model(f"kimi:{FILE}:Odd") as model:
        model.ask(str(tone("a.wav", 0.3)), "well")
    assert events == ["in", "out"]


def test_a_class_that_imports_torch_in_its_first_call_runs_without_gradients_from_the_first_row(
    tone: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "torch.py").write_text(
        "from contextlib import contextmanager\n"
        "is_enabled = True\n"
        "@contextmanager\n"
        "def inference_mode():\n"
        "    global is_enabled\n"
        "    is_enabled = False\n"
        "    yield\n"
        "    is_enabled = True\n"
    )
    (tmp_path / "lazy.py").write_text(
        "class Lazy:\n"
        "    def generate_inner(self, msg):\n"
        "        import torch\n"
        "        return '', f'gradients: {torch.is_enabled}'\n"
    )
    monkeypatch.delitem(sys.modules, "torch", raising=False)
    monkeypatch.syspath_prepend(str(tmp_path))
    try:
        with load_model(f"kimi:{tmp_path / 'lazy.py'}:Lazy") as model:
            path = str(tone("a.wav", 0.3))
            assert [text_of(model.ask(path, "?")) for _ in range(2)] == ["gradients: False"] * 2
    finally:
        sys.modules.pop("torch", None)
