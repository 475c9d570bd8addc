"""The border to user code: models, metrics, data set classes, converters and classes of other frameworks.

Every call of such code goes through `UserCall`: in place, in a `UserThread`, or awaited by `await_call`. Whatever it
raises becomes an ordinary error of this call, and a call that does not return in time is ended or given up.
"""

from __future__ import annotations

import asyncio
import ctypes
import math
import os
import signal
import sys
import threading
from collections.abc import Awaitable, Callable, Generator, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import partial
from queue import SimpleQueue
from threading import get_ident
from time import monotonic, sleep
from types import CodeType, CoroutineType, FrameType, TracebackType
from typing import Any, Self, TypeVar

from auricle.core.errors import (
    MAX_KIND_LENGTH,
    AuricleError,
    SampleError,
    SpecError,
    TimedOut,
    Transient,
    describe,
    is_plain,
    kind_of,
    safe_text,
)
from auricle.core.home_folder import keep_home_folder

DEFAULT_TIMEOUT = 600.0
"""Seconds that a call of user code may take."""
NOTICE_SECONDS = 60.0
"""Age of a call from which a line states that it is waited for, again whenever that time has doubled."""
MAX_INTERRUPTS = 10
"""Attempts to end a call in place, one per look at it, after which the program ends."""
LOOK_SECONDS = 1.0

T = TypeVar("T")


class Interrupted(BaseException):
    """Raised inside user code whose time is up; no `except Exception` of it stops that."""


def tame(error: BaseException, source: str) -> Exception:
    """Return what user code raised: as it is if it can be handled like any other error, or else an error that names it.

    Those that cannot are no `Exception`, end a loop or a coroutine, or have no text or too long a one.
    """
    kind, text = type(error), safe_text(error)
    is_ordinary = issubclass(kind, Exception) and not issubclass(kind, (StopIteration, StopAsyncIteration))
    if is_ordinary and len(kind_of(error)) < MAX_KIND_LENGTH and is_plain(error):
        return error  # type: ignore[return-value]
    for own in (SpecError, Transient, SampleError):
        if issubclass(kind, own):
            return own(text)
    return SampleError(f"{source} raised {kind_of(error)}{': ' * bool(text)}{text}")


class CallWatch:
    """Looks at the calls that are under way: states what is waited for, and ends calls whose time is up."""

    def __init__(self) -> None:
        self.limit = DEFAULT_TIMEOUT
        self.notify: Callable[[str], object] = lambda text: sys.stderr.write(f"auricle: {text}\n")
        self.on_stuck: Callable[[str], object] = lambda _: None
        """Called if a call in place cannot be ended; commands end the program."""
        self.is_stopping = False
        """Whether a stop was requested, so that what is waited for is stated at once."""
        self._announced: dict[str, float] = {}
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Look at calls from now on, in a thread."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._look_on, name="auricle-watch", daemon=True)
            self._thread.start()

    def forget(self) -> None:
        """Forget all calls: a forked process has none of the threads."""
        CALLS.clear()
        self._thread = None

    def _look_on(self) -> None:
        while True:
            sleep(min(LOOK_SECONDS, self.limit / 4))
            now = monotonic()
            calls = list(CALLS)
            for call in calls:
                if now - call.started_at > call.limit:
                    call.end()
            self._announce([call for call in calls if call.is_announced], now)

    def _announce(self, calls: list[UserCall], now: float) -> None:
        oldest: dict[str, float] = {}
        for call in calls:
            oldest[call.source] = max(oldest.get(call.source, 0.0), now - call.started_at)
        notice = LOOK_SECONDS if self.is_stopping else NOTICE_SECONDS
        for source, age in oldest.items():
            if age >= max(notice, 2 * self._announced.get(source, 0.0)):
                self._announced[source] = age
                limits = [call.limit for call in calls if call.source == source]
                count = len(limits)
                limit = f"; the limit is {self.limit:g} s (--timeout)" if min(limits) < math.inf else ""
                hint = ". Another Ctrl-C ends the program at once" if self.is_stopping else limit
                self.notify(f"waiting for {count} call{'s' * (count > 1)} of {source} since {age:.0f} s{hint}.")
        for source in self._announced.keys() - oldest.keys():
            del self._announced[source]


CALLS: dict[UserCall, None] = {}
"""The calls that are under way, in the order of their start."""
WATCH = CallWatch()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=lambda: WATCH.forget())
CURRENT_CALL: ContextVar[UserCall | None] = ContextVar("current_call", default=None)
"""The call that is under way, for what it asks of Auricle."""


class UserCall:
    """One call of user code after the other from the same place, each inside a `with` block.

    Args:
        source: What is called, as messages name it.
        limit: Seconds that a call may take. Default: that of the run.
        give_up: What to do when the time is up. Default: raise `Interrupted` in the thread of the call.
        is_announced: Whether to say that the call is waited for.
    """

    __slots__ = ("_attempts", "_give_up", "is_announced", "limit", "source", "started_at", "thread", "waits")

    def __init__(
        self,
        source: str,
        limit: float | None = None,
        give_up: Callable[[UserCall], object] | None = None,
        *,
        is_announced: bool = True,
    ) -> None:
        self.source = source
        self.limit = WATCH.limit if limit is None else limit
        self.is_announced = is_announced
        self._give_up = give_up or interrupt
        self._attempts = self.waits = 0
        WATCH.start()

    def __enter__(self) -> Self:
        self.thread = get_ident()
        self.started_at = monotonic()
        CALLS[self] = None
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        CALLS.pop(self, None)
        if error is not None and (tamed := self.tame(error)) is not error:
            raise tamed from error

    def next(self) -> None:
        """Start the next call in the same block, which is faster than another block."""
        self.started_at = monotonic()

    def describe(self, error: BaseException) -> str:
        """Return the kind and the message of an error that is counted; raise it if it is not of user code."""
        tamed = self.tame(error)
        if not isinstance(tamed, Exception):
            raise tamed
        return f"{kind_of(tamed)}: {describe(tamed)}"

    def tame(self, error: BaseException) -> BaseException:
        """Return what to raise instead of an error; Ctrl-C and the cancellation of a task are not of user code."""
        kind = type(error)
        if issubclass(kind, Interrupted):
            return self.timed_out()
        return error if _is_ours(error) else tame(error, self.source)

    def timed_out(self) -> TimedOut:
        return TimedOut(f"{self.source} did not return within {self.limit:g} s (--timeout)")

    def end(self) -> None:
        """End the call, whose time is up; a call in place is interrupted again if it goes on."""
        self._attempts += 1
        if self._attempts > MAX_INTERRUPTS:
            WATCH.on_stuck(f"{self.timed_out()} and cannot be interrupted.")
        self._give_up(self)

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """Stop the clock inside the block, in which user code waits for Auricle."""
        self.waits += 1
        self.started_at = math.inf
        try:
            yield
        finally:
            self.waits -= 1
            if not self.waits:
                self.started_at = monotonic()


def _is_ours(error: BaseException) -> bool:
    """Return whether an error is Ctrl-C or the cancellation of a task, which are not of user code."""
    kind = type(error)
    return issubclass(kind, KeyboardInterrupt) or (issubclass(kind, asyncio.CancelledError) and _is_cancelling())


def _is_cancelling() -> bool:
    try:
        task = asyncio.current_task()
    except RuntimeError:  # not in an event loop
        return False
    return task is not None and task.cancelling() > 0


def interrupt(call: UserCall) -> None:
    """Raise `Interrupted` in the thread of a call.

    In the main thread a signal does so, which also ends a wait of the system such as `sleep`; elsewhere it is raised
    as soon as the call executes Python code.
    """
    is_main = call.thread == threading.main_thread().ident
    if is_main and hasattr(signal, "SIGALRM") and signal.getsignal(signal.SIGALRM) is _interrupt_main:
        signal.pthread_kill(call.thread, signal.SIGALRM)
    else:
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(call.thread), ctypes.py_object(Interrupted))


@contextmanager
def wrap_errors(
    source: str, error_class: type[AuricleError] = SpecError, hint: Callable[[BaseException], str] = lambda _: ""
) -> Iterator[None]:
    """Convert exceptions of user code into errors of Auricle that name what was called, and append a hint.

    For code that prepares something, such as loading a model: its time is not limited.
    """
    call = UserCall(source, math.inf).__enter__()
    try:
        yield
    except AuricleError as error:
        raise call.tame(error) from error.__cause__
    except BaseException as error:
        if _is_ours(error):
            raise
        raise error_class(f"{source} raised {kind_of(error)}: {describe(error)}{hint(error)}") from error
    finally:
        CALLS.pop(call, None)


@contextmanager
def annotate_errors(name: str) -> Iterator[None]:
    """Add a note that names the user's class to exceptions of a call."""
    try:
        with UserCall(name, math.inf, is_announced=False):
            yield
    except AuricleError:
        raise
    except Exception as error:
        note = f"raised by {name}"
        if note not in getattr(error, "__notes__", ()):
            error.add_note(note)
        raise


BORDER_CODE: set[CodeType] = {UserCall.__enter__.__code__, UserCall.__exit__.__code__}


def _interrupt_main(_number: int, frame: FrameType | None) -> None:
    if frame and frame.f_code in BORDER_CODE:  # the call has returned just now
        return
    now, here = monotonic(), get_ident()
    if any(call.thread == here and now - call.started_at > call.limit for call in list(CALLS)):
        raise Interrupted


@contextmanager
def limit_calls(seconds: float, notify: Callable[[str], object] | None = None) -> Iterator[None]:
    """Limit the time of each call of user code inside the block, and return from the folder that it has changed to.

    Args:
        seconds: Longest time of a call.
        notify: Called, from another thread, with a line that states what is waited for. Default: write it to stderr.
    """
    previous = WATCH.limit, WATCH.notify
    WATCH.limit, WATCH.notify, WATCH.is_stopping = seconds, notify or WATCH.notify, False
    is_main = threading.current_thread() is threading.main_thread()
    takes_alarm = is_main and hasattr(signal, "SIGALRM") and signal.getsignal(signal.SIGALRM) is signal.SIG_DFL
    if takes_alarm:
        signal.signal(signal.SIGALRM, _interrupt_main)
    try:
        with keep_home_folder():
            yield
    finally:
        WATCH.limit, WATCH.notify = previous
        if takes_alarm:
            signal.signal(signal.SIGALRM, signal.SIG_DFL)


class UserThread:
    """A thread that calls user code for an event loop, one call after the other.

    A thread whose call does not return is abandoned, and the next call gets another one. It does not keep the program
    from ending.
    """

    def __init__(self, name: str) -> None:
        self.abandoned = 0
        self._name = name
        self._jobs: SimpleQueue[Callable[[], None] | None] | None = None
        self._thread: threading.Thread | None = None

    async def run(self, source: str, function: Callable[..., T], *arguments: object) -> T:
        """Return the result of a call."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[T] = loop.create_future()
        if self._jobs is None:
            self._jobs = SimpleQueue()
            self._thread = threading.Thread(target=_run_all, args=(self._jobs,), name=self._name, daemon=True)
            self._thread.start()
        self._jobs.put(partial(self._call, loop, future, source, function, arguments))
        return await future

    def _call(
        self,
        loop: asyncio.AbstractEventLoop,
        future: asyncio.Future[T],
        source: str,
        function: Callable[..., T],
        arguments: tuple[object, ...],
    ) -> None:
        def give_up(call: UserCall) -> None:
            CALLS.pop(call, None)
            self.abandoned += 1
            if self._jobs:
                self._jobs.put(None)
                self._jobs = None
            deliver(future.set_exception, call.timed_out())
            interrupt(call)  # ends it if it is Python code

        def deliver(set_outcome: Callable[[Any], None], outcome: object) -> None:
            with suppress(RuntimeError):  # the loop is closed, so that nothing waits
                loop.call_soon_threadsafe(lambda: None if future.done() else set_outcome(outcome))

        try:
            with UserCall(source, give_up=give_up) as call:
                CURRENT_CALL.set(call)
                result = function(*arguments)
        except BaseException as error:  # noqa: BLE001 - raised where the call is awaited
            deliver(future.set_exception, error)
        else:
            deliver(future.set_result, result)

    def close(self) -> None:
        """End the thread after its last call, and wait for it as long as the call may take."""
        if self._jobs and self._thread:
            self._jobs.put(None)
            self._thread.join(WATCH.limit)
            self._jobs = None


def _run_all(jobs: SimpleQueue[Callable[[], None] | None]) -> None:
    with suppress(Interrupted):  # of an abandoned call that has returned just now
        while job := jobs.get():
            job()


class AwaitedCall:
    """A call of asynchronous user code, to be awaited. If it blocks the event loop, it is interrupted as in place.

    Args:
        step: What is called. Calls that the same event loop awaits may share it.
        function: Returns what is awaited.
        arguments: Arguments of the function.
        has_limit: Whether the time that it may wait is limited, and shown; false for what limits its requests itself.
    """

    __slots__ = ("_arguments", "_function", "_is_over", "_loop", "_step", "_task", "_whole")

    def __init__(
        self, step: UserCall, function: Callable[..., Awaitable[T]], *arguments: object, has_limit: bool = True
    ) -> None:
        self._step = step
        self._function = function
        self._arguments = arguments
        self._whole = UserCall(step.source, step.limit, self._give_up) if has_limit else None
        self._is_over = False

    def __await__(self) -> Generator[Any, Any, Any]:
        task = asyncio.current_task()
        assert task
        self._task = task
        if self._whole is None:
            return (yield from self._run())
        self._loop = asyncio.get_running_loop()
        token = CURRENT_CALL.set(self._whole)
        self._whole.__enter__()
        try:
            return (yield from self._run())
        finally:
            CALLS.pop(self._whole, None)
            with suppress(ValueError):  # destroyed in another context
                CURRENT_CALL.reset(token)

    def _run(self) -> Generator[Any, Any, Any]:
        with self._step:
            awaitable = self._function(*self._arguments)
        code: Any = awaitable if type(awaitable) is CoroutineType else _await(awaitable)
        proceed, argument = code.send, None
        cancellations = 0
        while True:
            with self._step:
                try:
                    awaited = proceed(argument)
                except StopIteration as end:
                    return end.value
            try:
                proceed, argument = code.send, (yield awaited)
            except GeneratorExit:  # the task is destroyed
                code.close()
                raise
            except BaseException as error:  # noqa: BLE001 - what was awaited has failed, or the task is cancelled
                # Code that did not end when it was cancelled twice is left; one may have been a time limit of its own.
                if self._is_over or (cancellations > 1 and self._task.cancelling() > 1):
                    raise self._leave(code, error) from None
                cancellations += isinstance(error, asyncio.CancelledError)
                proceed, argument = code.throw, error

    def _give_up(self, _: UserCall) -> None:
        with suppress(RuntimeError):  # the loop is closed
            self._loop.call_soon_threadsafe(self._cancel)

    def _cancel(self) -> None:
        if self._whole in CALLS:  # it has not ended meanwhile
            self._is_over = True
            self._task.cancel()

    def _leave(self, code: Any, error: BaseException) -> BaseException:
        """Leave code that does not end, even if it does not let itself be cancelled; return what to raise."""
        with suppress(Exception), self._step:
            code.close()
        if self._whole is None or not self._is_over:
            return error
        self._task.uncancel()
        return self._whole.timed_out()


async def _await(awaitable: Awaitable[T]) -> T:
    return await awaitable
