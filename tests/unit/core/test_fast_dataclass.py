"""Objects made quickly are like any others."""

from __future__ import annotations

import pickle
from dataclasses import FrozenInstanceError, fields, replace
from typing import Any

import pytest

from auricle.audio import Audio
from auricle.core.fast_dataclass import make_fast_constructor
from auricle.core.types import Generation, Prediction, Record, Sample

KINDS = (Audio, Generation, Prediction, Record, Sample)


def given(kind: Any) -> dict[str, Any]:
    """Another value for every field, so that none can stand in another's place."""
    return {each.name: f"value of {each.name}" for each in fields(kind)}


@pytest.mark.parametrize("kind", KINDS)
def test_fields_come_by_name_or_by_place(kind: Any) -> None:
    told = given(kind)
    by_name, by_place = (make_fast_constructor(kind)(**told), make_fast_constructor(kind)(*told.values()))
    for made in (by_name, by_place):
        assert type(made) is kind
        assert {name: getattr(made, name) for name in told} == told
        assert made == kind(**told)
        assert hash(made) == hash(kind(**told))


def test_what_is_not_told_has_its_default_and_its_own() -> None:
    make = make_fast_constructor(Sample)
    one, other = make(id="one", inputs={}), make(id="other", inputs={})
    assert one == Sample(id="one", inputs={})
    assert one.meta == {}
    assert one.meta is not other.meta
    with pytest.raises(TypeError, match="inputs"):
        make(id="one")


def test_it_cannot_be_changed_but_replaced_and_sent() -> None:
    made = make_fast_constructor(Prediction)(values={"musicality": 3.0}, scale="continuous")
    with pytest.raises(FrozenInstanceError):
        made.scale = "logit"  # type: ignore[misc]
    assert replace(made, scale="logit") == Prediction(values={"musicality": 3.0}, scale="logit")
    assert pickle.loads(pickle.dumps(made)) == made
