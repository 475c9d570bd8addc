"""The help of all commands: groups, summaries, complete option texts and light imports."""

import re
import subprocess
import sys
from collections.abc import Iterator

import click
import pytest
from click.testing import CliRunner

from auricle.cli import cli, list_commands
from tests.support import paths

HEAVY = ("torch", "numpy", "pandas", "soundfile", "aiohttp", "pydantic", "rich", "datasets", "streamlit")
SUMMARIES = {name: summary for commands in list_commands().values() for name, summary in commands.items()}


def all_commands(command: click.Command = cli, path: tuple[str, ...] = ()) -> Iterator[tuple[str, click.Command]]:
    """Yield every command and subcommand with its full name."""
    if path:
        yield " ".join(path), command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            subcommand = command.get_command(context, name)
            assert subcommand is not None
            yield from all_commands(subcommand, (*path, name))


def test_top_level_help_lists_commands_in_groups() -> None:
    output = CliRunner().invoke(cli, ["--help"]).output
    positions = [output.index(f"{title}:") for title in list_commands()]
    assert positions == sorted(positions)
    assert output.index("Evaluate:") < output.index("  run ") < output.index("Inspect:") < output.index("  show ")


def test_unknown_command_is_an_error() -> None:
    result = CliRunner().invoke(cli, ["runn"])
    assert result.exit_code == 2
    assert "No such command 'runn'. Did you mean 'run'?" in result.output


def test_run_help_groups_options() -> None:
    output = CliRunner().invoke(cli, ["run", "--help"]).output
    titles = ("Model:", "Data:", "Scoring:", "Speed:", "Scale-out:", "Cost:", "Output:", "Other:")
    positions = [output.index(f"\n{title}\n") for title in titles]
    assert positions == sorted(positions)
    assert output.index("Scale-out:") < output.index("--ray-address") < output.index("\nCost:")


@pytest.mark.slow
def test_help_of_no_command_imports_heavy_packages() -> None:
    code = (
        "import sys\nfrom auricle.cli import cli\n"
        f"for name in {list(SUMMARIES)}:\n    cli([name, '--help'], standalone_mode=False)\n"
        f"print([name for name in {HEAVY} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


WITHOUT_JSON = {
    "completion": "prints a script for a shell",
    "ui": "runs until it is stopped",
    "fake-server": "runs until it is stopped",
    "listen-test serve": "runs until it is stopped",
}
"""Commands that print no result, and why."""
LEAVES = {name: command for name, command in all_commands() if not isinstance(command, click.Group)}


@pytest.mark.parametrize("name", LEAVES)
def test_command_prints_json_or_has_a_reason_not_to(name: str) -> None:
    has_json = any("--json" in parameter.opts for parameter in LEAVES[name].params)
    assert has_json != (name in WITHOUT_JSON)


def test_page_on_json_lists_every_document() -> None:
    page = (paths.DOCS / "cli-json.md").read_text(encoding="utf-8")
    rows = [line.split("|")[1] for line in page.splitlines() if line.startswith("| `")]
    documented = {re.sub(r" --.*", "", name) for row in rows for name in re.findall(r"`([^`]+)`", row)}
    expected = {name for name, command in all_commands() if any("--json" in item.opts for item in command.params)}
    assert documented == expected
