"""Calls of user code: what they raise, and how long they may take."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from contextlib import suppress

import pytest

from auricle.core.errors import MAX_MESSAGE_BYTES, DataError, SampleError, TimedOut, describe
from auricle.core.user_code import (
    CURRENT_CALL,
    AwaitedCall,
    UserCall,
    UserThread,
    annotate_errors,
    limit_calls,
    wrap_errors,
)


@pytest.fixture
def short_limit() -> Iterator[None]:
    with limit_calls(0.2):
        yield


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


def test_stop_iteration_is_an_ordinary_failure() -> None:
    with pytest.raises(SampleError, match="X raised StopIteration"), UserCall("X"):
        next(iter(()))


def test_long_messages_are_cut_and_state_their_length() -> None:
    with pytest.raises(SampleError) as caught, UserCall("X"):
        raise ValueError("x" * 1_000_000)
    assert "(1,000,000 characters)" in describe(caught.value)
    assert len(describe(caught.value)) < MAX_MESSAGE_BYTES + 100


def test_ctrl_c_is_not_of_user_code() -> None:
    with pytest.raises(KeyboardInterrupt), UserCall("X"):
        raise KeyboardInterrupt


@pytest.mark.usefixtures("short_limit")
def test_thread_that_does_not_return_is_abandoned_for_another() -> None:
    async def main() -> str:
        thread = UserThread("test")
        with pytest.raises(TimedOut, match=r"X did not return within 0\.2 s"):
            await thread.run("X", time.sleep, 2)
        assert thread.abandoned == 1
        answer = await thread.run("X", lambda: "answer")
        thread.close()
        return answer

    assert asyncio.run(main()) == "answer"


def test_what_is_waited_for_is_stated_once_until_the_time_has_doubled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("auricle.core.user_code.NOTICE_SECONDS", 0.2)
    lines: list[str] = []
    with limit_calls(1.0, lines.append), UserCall("generate of X"):
        time.sleep(0.9)
    assert lines[0] == "waiting for 1 call of generate of X since 0 s; the limit is 1 s (--timeout)."
    assert 1 <= len(lines) <= 2


@pytest.mark.usefixtures("short_limit")
def test_coroutine_that_ignores_its_cancellation_is_left() -> None:
    async def stubborn() -> None:
        while True:
            with suppress(asyncio.CancelledError):
                await asyncio.sleep(60)

    async def main() -> None:
        await AwaitedCall(UserCall("X"), stubborn)

    with pytest.raises(TimedOut):
        asyncio.run(main())


@pytest.mark.usefixtures("short_limit")
def test_time_in_which_user_code_waits_for_auricle_does_not_count() -> None:
    async def asks() -> str:
        call = CURRENT_CALL.get()
        assert call
        with call.waiting():
            await asyncio.sleep(0.6)
        return "answer"

    async def main() -> str:
        answer: str = await AwaitedCall(UserCall("X"), asks)
        return answer

    assert asyncio.run(main()) == "answer"
