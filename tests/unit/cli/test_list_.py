"""`auricle list`: every kind has names."""

import json

import pytest
from click.testing import CliRunner

from auricle.cli import cli
from auricle.cli.list_ import KINDS


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_lists_names_with_summaries(kind: str) -> None:
    summaries = json.loads(CliRunner().invoke(cli, ["list", kind, "--json"]).output)
    assert summaries
    assert all(isinstance(summary, str) for summary in summaries.values())


@pytest.mark.parametrize(
    ("kind", "name"), [("models", "moonshine"), ("tasks", "classify"), ("metrics", "wer"), ("profiles", "whisper-en")]
)
def test_name_is_listed(kind: str, name: str) -> None:
    lines = CliRunner().invoke(cli, ["list", kind]).output.splitlines()
    assert any(line.startswith(f"{name} ") for line in lines)
