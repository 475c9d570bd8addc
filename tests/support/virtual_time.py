"""An event loop whose clock jumps to the next timer instead of waiting, so that long calls take milliseconds."""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Callable, Coroutine
from concurrent.futures import Executor
from typing import Any, TypeVar, TypeVarTuple, Unpack

T = TypeVar("T")
Ts = TypeVarTuple("Ts")


class _JumpingSelector(selectors.DefaultSelector):
    """Advances the clock of a loop where other selectors would wait."""

    now = 1000.0

    def select(self, timeout: float | None = None) -> list[Any]:
        ready = super().select(timeout if timeout is None else 0)
        if not ready and timeout:
            self.now += timeout
        return list(ready)


class VirtualTimeLoop(asyncio.SelectorEventLoop):
    """Stands for the usual loop in code that reads the time with `loop.time()`. Work in threads takes no time."""

    def __init__(self) -> None:
        self._jumping_selector = _JumpingSelector()
        super().__init__(self._jumping_selector)

    def time(self) -> float:
        return self._jumping_selector.now

    def run_in_executor(
        self, executor: Executor | None, func: Callable[[Unpack[Ts]], T], *args: *Ts
    ) -> asyncio.Future[T]:
        """Run the function at once: the clock must not advance while a thread works."""
        future: asyncio.Future[T] = self.create_future()
        try:
            future.set_result(func(*args))
        except Exception as error:  # noqa: BLE001 - raised where the future is awaited
            future.set_exception(error)
        return future

    def stall(self, seconds: float) -> None:
        """Let time pass as if a callback had blocked the loop."""
        self._jumping_selector.now += seconds


def run_in_virtual_time(coroutine: Coroutine[Any, Any, T]) -> T:
    with asyncio.Runner(loop_factory=VirtualTimeLoop) as runner:
        return runner.run(coroutine)
