"""What the manual says about numbers and loads is what the code says."""

from pathlib import Path

import pytest

from auricle.perf.definitions import DEFINITIONS, RUN_DEFINITIONS
from auricle.perf.load_syntax import GRAMMAR

MANUAL = (Path(__file__).resolve().parents[3] / "docs" / "perf.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", [*DEFINITIONS, *RUN_DEFINITIONS])
def test_every_number_is_explained_in_its_own_words(name):
    known = {**DEFINITIONS, **RUN_DEFINITIONS}[name]
    assert f"| `{name}` | {known.unit} | {known.text} | {known.undefined_when} |" in MANUAL


@pytest.mark.parametrize("kind", GRAMMAR)
def test_every_load_is_explained(kind):
    assert f"| `{GRAMMAR[kind].replace('|', chr(92) + '|')}` |" in MANUAL
