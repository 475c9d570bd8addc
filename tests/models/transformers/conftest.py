"""Tiny models that several test files read."""

from typing import Any

import pytest

from tests.support import tiny_emotions, tiny_weights


@pytest.fixture(scope="package")
def llama_folder(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return tiny_weights.llama(tmp_path_factory.mktemp("llama"))


@pytest.fixture(scope="package")
def audeering_folder(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return tiny_emotions.audeering(tmp_path_factory.mktemp("audeering"))


@pytest.fixture(scope="package")
def bare(llama_folder: Any) -> Any:
    """Load a language model without a chat template."""
    from auricle.models.transformers.causal import Causal

    return Causal(model=str(llama_folder))


@pytest.fixture(scope="package")
def audeering(audeering_folder: Any) -> Any:
    from auricle.models.transformers.audio_classification import Audeering

    return Audeering(model=str(audeering_folder))
