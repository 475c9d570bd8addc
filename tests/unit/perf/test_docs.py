import re
import shlex

import pytest

from auricle.cli.perf import perf
from auricle.perf.data.sources import SOURCES
from auricle.perf.load_syntax import LOAD_PATTERNS, parse_loads
from auricle.perf.measures import REQUEST_DEFINITIONS, RUN_DEFINITIONS
from auricle.perf.slo import parse_slos
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


COMMANDS = re.findall(
    r"^\| (?:guidellm|evalscope|AIPerf|vLLM bench|AISBench) \|.*\| `(auricle perf .*)` \|$", PAGE, re.MULTILINE
)


def test_table_for_users_of_other_tools_names_all_of_them() -> None:
    assert len(COMMANDS) == 12


@pytest.mark.parametrize("command", COMMANDS)
def test_command_for_users_of_another_tool_is_valid(command: str) -> None:
    words = shlex.split(command.replace("…", "-m openai -M base_url=http://host:8000/v1 -M model=NAME --stream"))
    options = perf.make_context("perf", words[2:]).params
    assert [load for text in options["loads"] for load in parse_loads(text)]
    parse_slos(options["slo"] or "")
