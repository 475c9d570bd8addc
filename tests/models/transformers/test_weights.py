"""Loading weights, and errors when that fails."""

import builtins
import json
from pathlib import Path
from typing import Any, cast

import pytest

from tests.support.extras import require_extra

require_extra("transformers")

import torch

from auricle import load_model
from auricle.core.errors import MissingExtra, SpecError
from auricle.core.types import Generation
from auricle.models import abilities, adapt
from auricle.models.catalogue import MODELS
from auricle.models.transformers.causal import Causal
from auricle.models.transformers.weights import Weights
from tests.support import tiny_weights

pytestmark = pytest.mark.slow

NAMES = {
    "whisper": ["generate"],
    "ctc": ["generate"],
    "audio-chat": ["generate", "loglikelihood", "first_tokens"],
    "vision-chat": ["generate", "loglikelihood", "first_tokens"],
    "causal": ["generate", "loglikelihood", "first_tokens"],
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return tiny_weights.llama(tmp_path_factory.mktemp("llama"))


@pytest.mark.parametrize(("name", "can"), NAMES.items())
def test_models_have_the_expected_abilities(name: Any, can: Any) -> None:
    assert abilities(adapt(MODELS.get(name))) == can


def test_model_is_loaded_by_name(folder: Any) -> None:
    with load_model("causal", model=str(folder)) as model:
        assert cast(Generation, model.ask(text="the cat", max_tokens=3)).tokens == 3


def test_missing_model_option_is_refused() -> None:
    with pytest.raises(SpecError, match=r"causal: missing model. Set -M model=DIRECTORY"):
        Causal()


def test_unknown_option_error_lists_accepted_options(folder: Any) -> None:
    with pytest.raises(SpecError, match=r"causal: unknown option colour. Accepted: model, revision,"):
        Causal(model=str(folder), colour="red")


@pytest.mark.parametrize("dtype", ["float8", "half"])
def test_wrong_dtype_is_refused(folder: Any, dtype: str) -> None:
    with pytest.raises(SpecError, match=f"dtype must be one of auto, float32, .*, not '{dtype}'"):
        Causal(model=str(folder), dtype=dtype)


@pytest.mark.parametrize("device", ["gpu", "cuda:one", "cpu:x"])
def test_wrong_device_is_refused(folder: Any, device: str) -> None:
    with pytest.raises(SpecError, match=f"device must be auto, cpu, cuda:0 or mps, not '{device}'"):
        Causal(model=str(folder), device=device)


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a graphics card here")
def test_unavailable_device_is_refused(folder: Any) -> None:
    with pytest.raises(SpecError, match=r"cuda:0 is not available .* Use device=auto"):
        Causal(model=str(folder), device="cuda:0")


def test_a_wrong_batch_size_is_refused(folder: Any) -> None:
    with pytest.raises(SpecError, match="batch_size must be a number above 0, not 0"):
        Causal(model=str(folder), batch_size=0)


def test_weights_have_the_requested_dtype(folder: Any) -> None:
    kinds = {"auto": torch.float32, "float32": torch.float32, "bfloat16": torch.bfloat16}
    for word, kind in kinds.items():
        assert Causal(model=str(folder), dtype=word, device="cpu").model.dtype is kind


def one_line(error: Any) -> Any:
    assert "\n" not in str(error.value)
    return str(error.value)


def test_missing_directory_is_reported(tmp_path: Path) -> None:
    with pytest.raises(SpecError) as error:
        Causal(model=str(tmp_path / "nothing"))
    assert f"No such model directory: {tmp_path / 'nothing'}" in one_line(error)


def test_offline_error_names_the_model(monkeypatch: pytest.MonkeyPatch) -> None:
    import huggingface_hub.constants

    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", True)
    with pytest.raises(SpecError) as error:
        Causal(model="acme/such-a-model", revision="abc")
    result = one_line(error)
    assert "Model 'acme/such-a-model' at revision abc not found" in result
    assert "HF_HUB_OFFLINE is set, so only the local cache was searched" in result
    assert "-M model=DIRECTORY" in result


def test_empty_directory_is_refused_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(SpecError) as error:
        Causal(model=str(tmp_path))
    assert f"Cannot load a model from the directory {tmp_path}" in one_line(error)


def test_directory_without_weights_is_refused_in_one_line(tmp_path: Path) -> None:
    (tiny_weights.llama(tmp_path) / "model.safetensors").unlink()
    with pytest.raises(SpecError) as error:
        Causal(model=str(tmp_path))
    assert "model.safetensors" in one_line(error)


def test_missing_layer_is_refused(tmp_path: Path) -> None:
    config = tiny_weights.llama(tmp_path) / "config.json"
    config.write_text(json.dumps({**json.loads(config.read_text()), "num_hidden_layers": 3}))
    with pytest.raises(SpecError, match=r"lacks 9 weights .*which would be initialised at random"):
        Causal(model=str(tmp_path))


def test_missing_library_error_names_the_extra(folder: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    inner = builtins.__import__

    def absent(name: Any, *rest: Any) -> Any:
        if name == "transformers":
            raise ImportError(name)
        return inner(name, *rest)

    monkeypatch.setattr(builtins, "__import__", absent)
    with pytest.raises(MissingExtra, match=r"The model causal .* 'auricle\[transformers\]'"):
        Causal(model=str(folder))


def test_package_required_by_a_checkpoint_is_named(folder: Any) -> None:
    class Kind:
        @staticmethod
        def from_pretrained(*_: Any, **__: Any) -> None:
            raise ImportError("Qwen2VLImageProcessor requires the Torchvision library\nSee its page.")

    with pytest.raises(SpecError) as error:
        Weights(model=str(folder)).load(Kind)
    assert "needs another package: Qwen2VLImageProcessor requires the Torch" in one_line(error)
