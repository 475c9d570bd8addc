"""Every check is documented, and has a broken model that it names."""

import inspect
import re
from typing import Any

import pytest

import auricle
from auricle.testing.conformance.checks import CHECKS
from tests.support import paths
from tests.testing.conformance.broken_models import BROKEN_MODELS


def test_every_check_is_on_the_page() -> None:
    page = (paths.DOCS / "testing.md").read_text(encoding="utf-8")
    assert not [name for name in (*CHECKS, "close") if f"| `{name}` |" not in page]


def test_every_check_has_a_model_that_fails_it() -> None:
    failing = {name.rpartition(".")[2] for name in BROKEN_MODELS.values()}
    assert failing == {*CHECKS, "close"}


def test_the_examples_of_the_page_pass(request: pytest.FixtureRequest) -> None:
    page = (paths.DOCS / "testing.md").read_text(encoding="utf-8")
    scope: dict[str, Any] = {"auricle": auricle}
    for block in re.findall(r"```python\n(.*?)```", page, re.DOTALL):
        exec(compile(block, "testing.md", "exec"), scope)
    tests = [value for name, value in scope.items() if name.startswith("test_")]
    assert len(tests) == 5
    for test in tests:
        test(**{name: request.getfixturevalue(name) for name in inspect.signature(test).parameters})
