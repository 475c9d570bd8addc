import json
import re
import shlex

import pytest

from auricle.perf.commands import perf
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


TOOLS = "guidellm|evalscope|AIPerf|vLLM bench|AISBench"
TABLE = re.findall(rf"^\| ({TOOLS}) \| `(.+?)`(.*?) \| `(auricle perf .*)` \|$", PAGE, re.MULTILINE)
RECORDED = {
    entry["command"]: entry for entry in json.loads((paths.GOLDEN / "peer_commands.json").read_text(encoding="utf-8"))
}
"""What a server saw of each command of the table; `bench/peer_commands.py --record` runs them."""
MAX_DEVIATION = 0.15
"""Of the rate at which requests arrived from the rate of the command; the machine was busy."""


def test_table_for_users_of_other_tools_names_all_of_them() -> None:
    assert len(TABLE) == 12


@pytest.mark.parametrize(("tool", "command", "note", "ours"), TABLE)
def test_both_commands_for_users_of_another_tool_were_run_as_they_are(
    tool: str, command: str, note: str, ours: str
) -> None:
    recorded = RECORDED[command + note]
    assert (recorded["tool"], recorded["ours"]) == (tool, ours)
    assert recorded["version"]
    assert recorded["observed"]["exit_code"] == 0
    assert recorded["observed_ours"]["exit_code"] in (0, 3)  # the second if the machine was too busy to be valid
    assert recorded["observed"]["requests"] > 0


@pytest.mark.parametrize(("command", "note", "ours"), [row[1:] for row in TABLE])
def test_the_commands_of_a_row_send_the_same_load(command: str, note: str, ours: str) -> None:
    observed = [RECORDED[command + note][name] for name in ("observed", "observed_ours")]
    if closed := re.search(r"--load closed:(?:\d+,)*(\d+)\b(?!,ramp)", ours):
        assert [side["most_in_flight"] for side in observed] == [int(closed[1])] * 2
    elif rate := re.search(r"--load (?:constant|poisson):([\d.]+) ", ours):
        assert [side["rate"] for side in observed] == [pytest.approx(float(rate[1]), rel=MAX_DEVIATION)] * 2


@pytest.mark.parametrize("command", [row[3] for row in TABLE])
def test_command_for_users_of_another_tool_is_valid(command: str) -> None:
    words = shlex.split(command.replace("…", "-m openai -M base_url=http://host:8000/v1 -M model=NAME --stream"))
    options = perf.make_context("perf", words[2:]).params
    assert [load for text in options["loads"] for load in parse_loads(text)]
    parse_slos(options["slo"] or "")
