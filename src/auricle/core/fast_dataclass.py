"""A fast constructor for frozen dataclasses."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field, fields, make_dataclass
from typing import Any, TypeVar, cast

T = TypeVar("T")


def make_fast_constructor(frozen_class: type[T]) -> Callable[..., T]:
    """Return a constructor of a frozen dataclass with slots that takes a quarter of the time.

    Python sets each field of a frozen object through `object.__setattr__`, which took half the
    time of reading a journal. This constructor fills an object of a mutable class with the same
    layout and then assigns `__class__`. It accepts fields by name or by position.
    """

    def freeze(self: Any) -> None:
        self.__class__ = frozen_class

    copied_fields = [
        (original.name, Any, field(default=original.default, default_factory=original.default_factory))
        for original in fields(cast("Any", frozen_class))
    ]
    mutable_class = make_dataclass(
        frozen_class.__name__, copied_fields, namespace={"__post_init__": freeze}, eq=False, repr=False, slots=True
    )
    return cast("Callable[..., T]", mutable_class)
