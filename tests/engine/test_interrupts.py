"""Stopping on Ctrl-C and SIGTERM."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from io import StringIO

import pytest

from auricle.engine.interrupts import SIGNALS, InterruptHandler, stop_on_interrupt


@pytest.fixture(autouse=True)
def restore_handlers(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(sys, "unraisablehook", sys.unraisablehook)
    handlers = {number: signal.getsignal(number) for number in SIGNALS}
    yield
    for number, handler in handlers.items():
        signal.signal(number, handler)


@pytest.mark.parametrize("number", SIGNALS)
def test_first_signal_sets_the_event_and_restores_the_handlers(number: signal.Signals) -> None:
    async def main() -> tuple[bool, bool]:
        stop = asyncio.Event()
        previous = [signal.getsignal(each) for each in SIGNALS]
        with stop_on_interrupt(stop):
            os.kill(os.getpid(), number)
            await asyncio.wait_for(stop.wait(), 5)
            restored = [signal.getsignal(each) for each in SIGNALS] == previous
        return stop.is_set(), restored

    assert asyncio.run(main()) == (True, True)


def test_handlers_are_restored_after_the_block() -> None:
    async def main() -> bool:
        previous = [signal.getsignal(number) for number in SIGNALS]
        with stop_on_interrupt(asyncio.Event()):
            assert [signal.getsignal(number) for number in SIGNALS] != previous
        return [signal.getsignal(number) for number in SIGNALS] == previous

    assert asyncio.run(main())


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_first_signal_of_a_command_raises_and_the_next_one_ends_the_process(
    number: signal.Signals, status: int
) -> None:
    handler = InterruptHandler()
    handler.install()
    with pytest.raises(KeyboardInterrupt):
        os.kill(os.getpid(), number)
    assert [signal.getsignal(each) for each in SIGNALS] == [signal.SIG_DFL, signal.SIG_DFL]
    assert handler.exit_status == status


def test_command_is_stopped_gracefully_within_the_block() -> None:
    async def main() -> None:
        stop = asyncio.Event()
        with stop_on_interrupt(stop):
            os.kill(os.getpid(), signal.SIGTERM)
            await asyncio.wait_for(stop.wait(), 5)

    handler = InterruptHandler()
    handler.install()
    asyncio.run(main())
    assert handler.exit_status == 143
    assert signal.getsignal(signal.SIGINT) is signal.SIG_DFL


def test_interrupted_destructor_prints_no_traceback() -> None:
    code = """
import os, signal
from auricle.engine.interrupts import InterruptHandler
class Interrupted:
    def __del__(self):
        os.kill(os.getpid(), signal.SIGINT)
        for _ in range(10): pass
InterruptHandler().install()
Interrupted()
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "__del__" not in done.stderr


def test_command_that_is_interrupted_otherwise_exits_as_after_ctrl_c() -> None:
    assert InterruptHandler().exit_status == 130


@pytest.mark.parametrize(("is_terminal", "written"), [(True, "\x1b[?25h"), (False, "")])
def test_the_cursor_is_shown_again_on_a_terminal(
    monkeypatch: pytest.MonkeyPatch, is_terminal: bool, written: str
) -> None:
    stream = StringIO()
    monkeypatch.setattr(stream, "isatty", lambda: is_terminal)
    monkeypatch.setattr(sys, "stderr", stream)
    InterruptHandler().record(signal.SIGINT)
    assert stream.getvalue() == written
