"""What the manual says about numbers and loads is what the code says."""

from typing import Any

import pytest

from auricle.perf.definitions import REQUEST_DEFINITIONS, RUN_DEFINITIONS
from auricle.perf.load_syntax import LOAD_SYNTAX
from tests.support import paths

MANUAL = (paths.DOCS / "perf.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", [*REQUEST_DEFINITIONS, *RUN_DEFINITIONS])
def test_every_number_is_explained_in_its_own_words(name: Any) -> None:
    known = {**REQUEST_DEFINITIONS, **RUN_DEFINITIONS}[name]
    assert f"| `{name}` | {known.unit} | {known.text} | {known.undefined_when} |" in MANUAL


@pytest.mark.parametrize("kind", LOAD_SYNTAX)
def test_every_load_is_explained(kind: Any) -> None:
    assert f"| `{LOAD_SYNTAX[kind].replace('|', chr(92) + '|')}` |" in MANUAL
