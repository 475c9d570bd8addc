"""Objects from the fast constructor are equal to normal ones."""

from __future__ import annotations

import pickle
from dataclasses import FrozenInstanceError, fields, replace
from typing import Any

import pytest

from auricle.core.fast_dataclass import make_fast_constructor
from auricle.core.types import Generate, Generation, Prediction, Record, Sample, Turn
from auricle.media import Audio

KINDS = (Audio, Generate, Generation, Prediction, Record, Sample, Turn)


def distinct_values(kind: Any) -> dict[str, Any]:
    """Return a different value for every field, so that swapped fields are noticed."""
    return {field.name: f"value of {field.name}" for field in fields(kind)}


@pytest.mark.parametrize("kind", KINDS)
def test_fields_are_given_by_name_or_by_position(kind: Any) -> None:
    values = distinct_values(kind)
    by_name, by_position = (make_fast_constructor(kind)(**values), make_fast_constructor(kind)(*values.values()))
    for created in (by_name, by_position):
        assert type(created) is kind
        assert {name: getattr(created, name) for name in values} == values
        assert created == kind(**values)
        assert hash(created) == hash(kind(**values))


def test_defaults_are_not_shared() -> None:
    create = make_fast_constructor(Sample)
    first, second = create(id="first", inputs={}), create(id="second", inputs={})
    assert first == Sample(id="first", inputs={})
    assert first.meta == {}
    assert first.meta is not second.meta
    with pytest.raises(TypeError, match="inputs"):
        create(id="first")  # type: ignore[call-arg]


def test_object_is_frozen_and_can_be_replaced_and_pickled() -> None:
    created = make_fast_constructor(Prediction)(values={"musicality": 3.0}, scale="continuous")
    with pytest.raises(FrozenInstanceError):
        created.scale = "logit"  # type: ignore[misc]
    assert replace(created, scale="logit") == Prediction(values={"musicality": 3.0}, scale="logit")
    assert pickle.loads(pickle.dumps(created)) == created
