from __future__ import annotations

import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from auricle.core.registry import import_object
from auricle.frameworks.lmms import resolve_model_class
from auricle.frameworks.lmms.stubs import THIRD_PARTY_STUBS, Collator, chunks, is_installed, lmms, stubs_importable
from tests.support.extras import require_extra

CLASSES = Path(__file__).with_name("lmms_classes.py")


def test_argument_strings_are_parsed_as_in_lmms_eval() -> None:
    with stubs_importable():
        model_class = import_object(f"{CLASSES}:CodeChat")
        complete: Any = type("Complete", (model_class,), {"generate_until_multi_round": None})
        model = complete.create_from_arg_string(
            "pretrained=a/b,flag=true,scale=0.5,more={'x': 1, 'y': 2}", {"batch_size": 3, "n": None}
        )
    assert model.batch_size == 3
    assert model.given == {"flag": True, "scale": 0.5, "more": "{'x': 1, 'y': 2}"}


def test_a_collator_restores_the_order_of_the_requests() -> None:
    collator = Collator(["ccc", "a", "bb"], sort_fn=len)
    batches = list(collator.get_batched(n=2))
    assert batches == [["a", "bb"], ["ccc"]]
    assert collator.get_original(text.upper() for batch in batches for text in batch) == ["CCC", "A", "BB"]


def test_chunks_have_at_most_n_items() -> None:
    assert list(chunks(range(5), 2)) == [[0, 1], [2, 3], [4]]


def test_a_system_prompt_replaces_an_earlier_one() -> None:
    messages = [{"role": "system", "content": "old"}, {"role": "user", "content": "hello"}]
    with_prompt = lmms._apply_system_prompt(None, messages, "new")  # type: ignore[arg-type]
    assert with_prompt[0] == {"role": "system", "content": "new"}
    assert len(with_prompt) == 2


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


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout in the working folder whose dependencies are not installed."""
    package = tmp_path / "lmms_eval"
    (package / "models").mkdir(parents=True)
    (package / "__init__.py").write_text("import a_missing_dependency")
    (package / "helper.py").write_text("NAME = 'helper of the checkout'")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    return package


def test_a_checkout_in_the_working_folder_needs_no_dependencies(checkout: Path) -> None:
    assert not is_installed()
    with stubs_importable(str(checkout)):
        assert import_module("lmms_eval.api.model").lmms is lmms
        assert import_module("lmms_eval.helper").NAME == "helper of the checkout"


def test_an_installed_torch_is_not_replaced(checkout: Path) -> None:
    require_extra("transformers")
    with stubs_importable(str(checkout)):
        assert import_module("torch.nn").__file__


def test_a_checkout_on_the_python_path_is_used_as_it_is(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(checkout.parent))
    assert is_installed()
    with stubs_importable(str(checkout)), pytest.raises(ModuleNotFoundError, match="a_missing_dependency"):
        import_module("lmms_eval.api.model")


def test_a_package_that_pip_installed_is_used_as_it_is(checkout: Path) -> None:
    info = checkout.parent / "lmms_eval-0.6.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: lmms_eval\nVersion: 0.6\n")
    assert is_installed()
