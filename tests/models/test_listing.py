"""Tests of what model classes declare for menus."""

import pytest

from auricle.core.errors import MissingExtra
from auricle.models.listing import ModelListing


def test_model_is_installed_if_all_its_packages_are() -> None:
    assert ModelListing(packages=("json", "math")).is_installed
    assert not ModelListing(packages=("json", "no_such_package")).is_installed


def test_missing_package_is_reported_with_the_extra_that_installs_it() -> None:
    ModelListing(packages=("json",)).require("It")
    with pytest.raises(MissingExtra, match=r"It needs an optional package: pip install 'auricle\[vosk\]'"):
        ModelListing(extra="vosk", packages=("no_such_package",)).require("It")
