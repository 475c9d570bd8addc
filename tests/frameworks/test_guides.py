"""Every statement of the five guides has a row in docs/coming-from, and names tests that exist."""

import ast
import re
from functools import cache

import pytest

from tests.support import paths
from tests.support.guides import GUIDES, guide_path, read_statements

ROW = re.compile(r"^\| (\d+) \| (.+?) \| (.+?) \| (.+?) \|$", re.M)
TEST = re.compile(r"`(tests/[\w/]+\.py)::(\w+)`")
NOTHING = re.compile(r"nothing to test: \w.+")


def read_rows(framework: str) -> list[tuple[str, ...]]:
    page = paths.DOCS / "coming-from" / f"{framework}-guide.md"
    return [match.groups() for match in ROW.finditer(page.read_text(encoding="utf-8"))]


@cache
def functions_of(path: str) -> frozenset[str]:
    tree = ast.parse((paths.ROOT / path).read_text(encoding="utf-8"))
    return frozenset(node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


@pytest.mark.parametrize("framework", GUIDES)
def test_every_statement_of_a_guide_has_one_row(framework: str) -> None:
    if not guide_path(framework).is_file():
        pytest.skip("the guides are not beside this project")
    numbers = [int(row[0]) for row in read_rows(framework)]
    assert numbers == [statement.number for statement in read_statements(framework)]


@pytest.mark.parametrize("framework", GUIDES)
def test_every_row_names_tests_that_exist(framework: str) -> None:
    for number, _, _, proof in read_rows(framework):
        tests = TEST.findall(proof)
        assert tests or NOTHING.fullmatch(proof), f"row {number} names no test: {proof}"
        for path, name in tests:
            assert name in functions_of(path), f"row {number}: {path} has no {name}"


@pytest.mark.parametrize("framework", GUIDES)
def test_no_row_repeats_a_sentence_of_the_guide(framework: str) -> None:
    """The guides are others' text: rows describe what they state in our words."""
    if not guide_path(framework).is_file():
        pytest.skip("the guides are not beside this project")
    sentences = {statement.text for statement in read_statements(framework) if statement.text.count(" ") > 6}
    assert not [row[1] for row in read_rows(framework) if row[1] in sentences]


@pytest.mark.parametrize("framework", GUIDES)
def test_the_page_about_a_framework_links_to_its_guide(framework: str) -> None:
    page = paths.DOCS / "coming-from" / f"{framework}.md"
    assert f"({framework}-guide.md)" in page.read_text(encoding="utf-8")
