"""What features declare: parts by group, names that belong to one feature, and paths that exist."""

from __future__ import annotations

from collections import Counter
from dataclasses import fields
from importlib import import_module

import pytest

from auricle.core.features import ENGINE, Builtin, Feature, find_features

NOT_PARTS = {"package", "summary", "headlines", "more"}
FEATURES = {feature.package: feature for feature in find_features()}


def list_groups(feature: Feature) -> set[str]:
    return ({field.name for field in fields(feature)} - NOT_PARTS) | {*feature.more}


def test_parts_are_listed_with_their_place_below_the_package() -> None:
    feature = Feature(
        "auricle_lid",
        "languages",
        metrics={"scores": {"top-1": "share of right answers"}},
        commands={"lid": ("commands:lid", "List languages.", "Inspect")},
        more={"importers": {"lid": (":FORMAT", "lists")}},
    )
    assert dict(feature.parts("metrics")) == {"top-1": Builtin("auricle_lid.scores:top_1", "share of right answers")}
    assert dict(feature.parts("commands")) == {"lid": Builtin("auricle_lid.commands:lid", "List languages.", "Inspect")}
    assert dict(feature.parts("importers")) == {"lid": Builtin("auricle_lid:FORMAT", "lists")}
    assert not [*feature.parts("exporters")]


def test_rooms_of_the_engine_are_no_features() -> None:
    assert not {f"auricle.{room}" for room in ENGINE} & FEATURES.keys()
    assert "auricle.tasks.asr" in FEATURES


def test_a_name_belongs_to_one_feature() -> None:
    names = Counter(
        (group, name)
        for feature in FEATURES.values()
        for group in list_groups(feature)
        for name, _ in feature.parts(group)
    )
    assert not [name for name, count in names.items() if count > 1]


@pytest.mark.parametrize("package", FEATURES)
def test_every_part_of_a_feature_exists(package: str) -> None:
    feature = FEATURES[package]
    for group in list_groups(feature):
        for name, part in feature.parts(group):
            module, _, attribute = part.path.partition(":")
            try:
                found = hasattr(import_module(module), attribute)
            except ModuleNotFoundError as error:  # of an extra
                found = not str(error.name).startswith("auricle")
            assert found, f"{group} {name}: {part.path}"
