"""The built-in retrievers and encoders."""

from typing import Any


def test_retrievers_and_encoders_can_be_listed(auricle: Any) -> None:
    assert "bm25" in auricle("list", "retrievers").stdout
    assert "logmel" in auricle("list", "encoders").stdout
