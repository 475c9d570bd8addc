"""Samples of a user's class, which may raise anything while they are read."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Any

from auricle.core.types import RejectedRow, Sample
from auricle.core.user_code import UserCall
from auricle.data.parts import PartSource

END = object()


class UserRows:
    """The samples of a user's class, read through the border to user code: its time is not limited."""

    def __init__(self, samples: Iterable[Sample | RejectedRow], source: str) -> None:
        self._samples, self._source = samples, f"data of {source}"

    def __iter__(self) -> Iterator[Sample | RejectedRow]:
        call = UserCall(self._source, math.inf)
        with call:
            rows = iter(self._samples)
        while True:
            with call:
                row: Any = next(rows, END)
            if row is END:
                return
            yield row

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):  # copy() looks these up before the instance has attributes
            raise AttributeError(name)
        return getattr(self._samples, name)


class SizedUserRows(UserRows):
    """Samples whose number is known."""

    def __len__(self) -> int:
        with UserCall(self._source, math.inf):
            return len(self._samples)  # type: ignore[arg-type]  # it has a length


class UserIterator(UserRows):
    """Samples that can be read once, which code that looks ahead has to know."""

    def __iter__(self) -> Iterator[Sample | RejectedRow]:
        return self

    def __next__(self) -> Sample | RejectedRow:
        with UserCall(self._source, math.inf):
            row: Any = next(self._samples, END)  # type: ignore[call-overload]  # it is an iterator
        if row is END:
            raise StopIteration
        return row  # type: ignore[no-any-return]


def guard_rows(samples: Iterable[Sample | RejectedRow], source: str) -> Iterable[Sample | RejectedRow]:
    """Return samples whose errors name their source, if they are read by code of the user."""
    is_own = any(each.__module__.startswith("auricle.") for each in type(samples).__mro__)
    if is_own or type(samples) in (list, tuple) or isinstance(samples, PartSource):
        return samples
    if hasattr(type(samples), "__next__"):
        return UserIterator(samples, source)
    return (SizedUserRows if hasattr(type(samples), "__len__") else UserRows)(samples, source)
