"""Descriptions of errors."""

import pytest

from auricle.core.errors import SampleError, Transient, describe


def raise_and_describe(error: Exception) -> str:
    def fail() -> None:
        raise error

    with pytest.raises(type(error)) as caught:
        fail()
    return describe(caught.value)


def test_own_errors_are_described_by_their_message() -> None:
    assert raise_and_describe(SampleError("no answer")) == "no answer"


def test_foreign_errors_are_described_with_file_line_and_notes() -> None:
    error = ValueError("wrong")
    error.add_note("while loading")
    message = raise_and_describe(error)
    assert message.startswith("wrong (test_errors.py:")
    assert message.endswith("; while loading")
    assert raise_and_describe(KeyError()).startswith("no message (test_errors.py:")


def test_transient_error_has_a_delay() -> None:
    assert Transient("busy", 2.5).retry_after == 2.5
    assert Transient("busy").retry_after is None
