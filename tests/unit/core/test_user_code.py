"""Calls of user code: what they raise, and how long they may take."""

from __future__ import annotations

import pytest

from auricle.core.errors import DataError, SampleError
from auricle.core.user_code import annotate_errors, wrap_errors


def test_exceptions_become_errors_that_name_their_source() -> None:
    with (
        pytest.raises(DataError, match=r"load of X raised OSError: no disk .*Try again\."),
        wrap_errors("load of X", DataError, lambda error: " Try again."),
    ):
        raise OSError("no disk")


def test_errors_of_auricle_are_not_wrapped() -> None:
    with pytest.raises(SampleError, match=r"^as it is$"), wrap_errors("X"):
        raise SampleError("as it is")


def test_exceptions_get_one_note_with_the_name_of_the_class() -> None:
    with pytest.raises(ValueError, match="wrong") as caught, annotate_errors("X"), annotate_errors("X"):
        raise ValueError("wrong")
    assert caught.value.__notes__ == ["raised by X"]


def test_system_exit_fails_the_sample() -> None:
    with pytest.raises(SampleError, match="X raised SystemExit: 3"), annotate_errors("X"):
        raise SystemExit(3)
