"""Base classes of transformers models."""

from typing import Any

import pytest

from tests.support.extras import require_extra

require_extra("transformers")

import torch

from auricle.core.errors import SpecError
from auricle.models.transformers.causal import Causal
from tests.support import tiny_weights
from tests.support.model_requests import generate

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return tiny_weights.llama(tmp_path_factory.mktemp("llama"))


def test_batch_size_option_is_used(folder: Any) -> None:
    model = Causal(model=str(folder), batch_size=3, batch_seconds=60.0)
    assert (model.batch_size, model.batch_seconds) == (3, 60.0)


def test_half_precision_still_answers(folder: Any) -> None:
    model = Causal(model=str(folder), dtype="bfloat16", device="cpu")
    assert model.generate([generate("the cat", max_tokens=3)])[0].tokens == 3


def test_unsupported_dtype_is_reported_in_one_line(folder: Any) -> None:
    model = Causal(model=str(folder))

    def forward(*_: Any, **__: Any) -> None:
        raise RuntimeError("\"addmm_impl_cpu_\" not implemented for 'Half'")

    model.model.forward = forward
    with pytest.raises(SpecError, match=r"cannot run this model in auto .* Use -M dtype=float32"):
        model.generate([generate("the cat", max_tokens=3)])


def test_out_of_memory_error_is_not_replaced(folder: Any) -> None:
    model = Causal(model=str(folder))

    def forward(*_: Any, **__: Any) -> None:
        raise torch.OutOfMemoryError("CUDA out of memory")

    model.model.forward = forward
    with pytest.raises(torch.OutOfMemoryError):
        model.generate([generate("the cat", max_tokens=3)])
