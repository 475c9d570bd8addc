"""Frozen objects, made by the hundred thousand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field, fields, make_dataclass
from typing import Any, TypeVar, cast

T = TypeVar("T")


def make_fast_constructor(frozen_class: type[T]) -> Callable[..., T]:
    """A constructor of a frozen dataclass with slots, in a quarter of the time.

    Python fills each field of a frozen object through `object.__setattr__`, which took half of
    what reading a journal takes. Here an open twin of the same layout is filled, then shut: it
    becomes an object of the frozen class like any other. It takes its fields by name or by place.
    """

    def shut(self: Any) -> None:
        self.__class__ = frozen_class

    told = [
        (each.name, Any, field(default=each.default, default_factory=each.default_factory))
        for each in fields(cast("Any", frozen_class))
    ]
    twin = make_dataclass(
        frozen_class.__name__, told, namespace={"__post_init__": shut}, eq=False, repr=False, slots=True
    )
    return cast("Callable[..., T]", twin)
