"""Every code block of README.md and docs/ is executed, is output, or has a reason (docs/design/docs-site.md)."""

from __future__ import annotations

import ast
import doctest
import itertools
import json
import re
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click
import pytest
import yaml

from auricle.core.arguments import describe_arguments
from auricle.core.errors import MissingExtra
from auricle.engine.catalogue import TASK_KINDS
from tests.support import paths
from tests.support.code_blocks import (
    EXECUTED,
    CodeBlock,
    find_problem,
    is_executed_elsewhere,
    is_run,
    list_pages,
    read_commands,
    read_page,
)

BLOCKS = [block for page in list_pages() for block in read_page(page)]
OUTPUT = ("text",)


def read_json_lines(text: str) -> None:
    try:
        json.loads(text)
    except json.JSONDecodeError:
        for line in text.splitlines():
            json.loads(line)


PARSERS: dict[str, Callable[[str], Any]] = {
    "csv": str,
    "json": read_json_lines,
    "markdown": str,
    "py": ast.parse,
    "python": ast.parse,
    "toml": tomllib.loads,
    "yaml": lambda text: [*yaml.safe_load_all(text)],
}
"""What reads a block of a language; commands and examples of an interpreter are read elsewhere."""


@pytest.fixture
def _files_need_not_exist(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(click.Path, "convert", lambda self, value, parameter, context: value)


def test_every_block_has_a_language() -> None:
    known = {*PARSERS, *OUTPUT, "console", "pycon", "sh"}
    unknown = [f"{block} {block.language!r}" for block in BLOCKS if block.language not in known]
    assert unknown == [], "name the language; `text` is for output"


def test_words_after_the_language_are_known_and_have_a_value() -> None:
    option = r' (no_run="[^"]+"|title="[^"]+"|output=varies|exit=\d+)'
    unknown = [f"{block} {block.info}" for block in BLOCKS if not re.fullmatch(rf"\w+({option})*", block.info)]
    assert unknown == [], 'no_run needs a reason: no_run="needs a GPU"'


def test_every_block_of_data_or_code_can_be_read() -> None:
    problems = []
    for block in itertools.filterfalse(is_executed_elsewhere, BLOCKS):
        try:
            PARSERS.get(block.language, str)(block.body)
        except (ValueError, SyntaxError, yaml.YAMLError) as error:
            problems.append(f"{block} {error}")
    assert not problems, "\n".join(problems)


def test_task_files_have_fields_that_exist() -> None:
    problems = []
    for block in BLOCKS:
        fields = yaml.safe_load(block.body) if block.language == "yaml" and "kind: " in block.body else {}
        if fields.get("kind") in TASK_KINDS:
            accepted = {argument.name for argument in describe_arguments(TASK_KINDS.get(fields["kind"]))}
            problems += [f"{block} {name}" for name in fields.keys() - accepted - {"kind", "conversations"}]
    assert problems == []


def test_every_block_of_commands_is_run_or_has_a_reason() -> None:
    """A block that is run has a command of `auricle`; other programs beside it are installers and filters."""
    without = [str(block) for block in BLOCKS if is_run(block) and not any(runs_auricle(block))]
    assert without == [], 'add no_run="the reason"'


def runs_auricle(block: CodeBlock) -> Iterator[bool]:
    return (program == "auricle" for program, *_ in read_commands(block))


@pytest.mark.usefixtures("_files_need_not_exist")
def test_every_command_has_options_and_names_that_exist() -> None:
    problems = [
        f"{block} {' '.join(words)}: {problem}"
        for block in BLOCKS
        if block.language in ("sh", "console") and not is_executed_elsewhere(block)
        for words in read_commands(block)
        if words[0] == "auricle" or not block.no_run
        if (problem := find_problem(words))
    ]
    assert not problems, "\n".join(problems)


@pytest.mark.usefixtures("_files_need_not_exist")
@pytest.mark.parametrize(
    ("command", "problem"),
    [
        ("auricle run a.jsonl --as asr -m echo --add-metrics wer -o runs/a", ""),
        ("auricle list models", ""),
        ("auricle show RUN --bye speaker", "No such option"),
        ("auricle fly RUN", "No such command"),
        ("auricle compare", "Missing argument"),
        ("auricle run a.jsonl --as asr -m whisperr", "-m whisperr does not exist"),
        ("auricle run a.jsonl --as asr -m transcription -M modle=x", "transcription has no argument modle"),
        ("auricle run a.jsonl --as asr -m echo -T langage=en", "asr has no argument langage"),
        ("auricle score RUN --add-metrics werr", "--add-metrics werr does not exist"),
        ("auricle run a.jsonl --as asr -m MODEL -j many", "'many' is not a valid"),
        ("auricle perf a.jsonl … --load closed:4", ""),
        ("pip install 'auricle[nothing]'", "unknown extras ['nothing']"),
        ("make coffee", "no test runs 'make'"),
        ("srun auricle", "no test runs 'srun'"),
    ],
)
def test_a_wrong_command_is_noticed(command: str, problem: str) -> None:
    block = CodeBlock("page", 1, "sh", f"{command}  # as on a page\n")
    (message,) = map(find_problem, read_commands(block))
    assert problem in message if problem else not message


def test_lines_of_a_shell_are_split_into_commands() -> None:
    text = "$ auricle show RUN --json | jq '.[0]' > a.json\nprinted\n$ auricle run a -m openai \\\n  -M base_url=http://h:8000/v1\n"
    words = [*read_commands(CodeBlock("page", 1, "console", text))]
    assert [command[:2] for command in words] == [["auricle", "show"], ["jq", ".[0]"], ["auricle", "run"]]
    assert words[2][-1] == "base_url=http://h:8000/v1"


PYTHON = [
    block
    for block in BLOCKS
    if block.language in ("python", "pycon") and not block.no_run and not is_executed_elsewhere(block)
]


@pytest.mark.parametrize("page", sorted({block.page for block in PYTHON}))
def test_python_on_a_page_runs(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    scope: dict[str, Any] = {"__name__": "page"}
    for block in PYTHON:
        if block.page != page:
            continue
        if block.language == "pycon":
            run_examples(block)
            continue
        if block.file_name:  # a later block may import it
            (tmp_path / block.file_name).write_text(block.body, encoding="utf-8")
        try:
            exec(compile(block.body, str(block), "exec"), scope)
        except MissingExtra as error:  # in CI, where everything is installed, a skip fails
            pytest.skip(str(error))


def run_examples(block: CodeBlock) -> None:
    examples = doctest.DocTestParser().get_doctest(block.body, {}, str(block), block.page, block.line)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    printed: list[str] = []
    runner.run(examples, out=printed.append)
    assert runner.failures == 0, "".join(printed)


@pytest.mark.parametrize(("page", "test"), EXECUTED.items())
def test_pages_with_a_test_of_their_own_have_one(page: str, test: str) -> None:
    assert any(block.page.startswith(page) for block in BLOCKS)
    assert Path(page).stem in (paths.ROOT / "tests" / test).read_text(encoding="utf-8")
