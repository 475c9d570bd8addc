import pytest

from auricle.perf.data.sources import SOURCES
from auricle.perf.load_syntax import LOAD_PATTERNS
from auricle.perf.measures import REQUEST_DEFINITIONS, RUN_DEFINITIONS
from tests.support import paths

PAGE = (paths.DOCS / "perf.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", [*REQUEST_DEFINITIONS, *RUN_DEFINITIONS])
def test_page_repeats_every_definition(name: str) -> None:
    definition = {**REQUEST_DEFINITIONS, **RUN_DEFINITIONS}[name]
    assert f"| `{name}` | {definition.unit} | {definition.text} | {definition.undefined_when} |" in PAGE


@pytest.mark.parametrize("kind", LOAD_PATTERNS)
def test_page_has_the_grammar_of_every_load(kind: str) -> None:
    escaped = LOAD_PATTERNS.get(kind).grammar.replace("|", r"\|")
    assert f"| `{escaped}` |" in PAGE


@pytest.mark.parametrize("kind", SOURCES)
def test_page_has_the_grammar_of_every_source_of_data(kind: str) -> None:
    assert f"| `{SOURCES[kind].grammar}` |" in PAGE
