"""A fast constructor for frozen dataclasses."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field, fields, make_dataclass
from typing import Any, ParamSpec, TypeVar, cast

P = ParamSpec("P")
T = TypeVar("T")


def make_fast_constructor(frozen_class: Callable[P, T]) -> Callable[P, T]:
    """Return a constructor of a frozen dataclass with slots that takes a quarter to a half of the time.

    Python sets each field of a frozen object through `object.__setattr__`. This constructor fills an object of a
    mutable class with the same layout and then assigns `__class__`. It also accepts fields by position that the class
    takes only by name. It saves 3 % of answering 20,000 questions with a model that takes no time, and 3 to 5 % of
    scoring them again; nothing measurable at start and in a run of 100.
    """

    def freeze(self: Any) -> None:
        self.__class__ = frozen_class

    copied_fields = [
        (original.name, Any, field(default=original.default, default_factory=original.default_factory))
        for original in fields(cast("Any", frozen_class))
    ]
    mutable_class = make_dataclass(
        frozen_class.__name__,
        copied_fields,
        bases=cast("type", frozen_class).__bases__,
        namespace={"__post_init__": freeze},
        eq=False,
        repr=False,
        slots=True,
    )
    return cast("Callable[P, T]", mutable_class)
