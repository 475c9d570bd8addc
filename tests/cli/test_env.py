"""`auricle env`: an empty list; building is tested in `tests/models/test_environment_builder.py`."""

import pytest
from click.testing import CliRunner

from auricle.cli import cli
from auricle.models import environments


@pytest.fixture(autouse=True)
def _no_environments(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(environments, "all_environments", list)


def test_empty_list_shows_how_to_create_an_environment() -> None:
    output = CliRunner().invoke(cli, ["env", "list"]).output
    assert output == "No environments. Create one with: auricle env create NAME --package REQUIREMENT\n"


def test_empty_list_as_json() -> None:
    assert CliRunner().invoke(cli, ["env", "list", "--json"]).output == "[]\n"
