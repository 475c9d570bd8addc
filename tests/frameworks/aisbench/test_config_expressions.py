"""Expressions of configs are evaluated only if their result is a literal."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import pytest

from auricle.core.errors import SpecError
from auricle.frameworks.aisbench import config_expressions
from auricle.frameworks.aisbench.config_expressions import ExpressionEvaluator, Symbol, count_values


def evaluate(text: str, **names: Any) -> Any:
    return ExpressionEvaluator(Path("c.py"), names).evaluate(ast.parse(text, mode="eval").body)


NAMES: dict[str, Any] = {"subjects": {"b": ["B", 2], "a": ["A", 1]}, "hint": " be brief\n", "items": [1, 2, 3]}


@pytest.mark.parametrize(
    "text",
    [
        "hint.strip().replace('be', 'Be').upper()",
        "'{question} {}: {name}'.replace('{question}', '').format(3, name='x')",
        "f'{hint}|{1.5:.2f}|{7:03d}'",
        "'-'.join(['a', 'b'])",
        "list(subjects.keys())",
        "[list(pair) for pair in subjects.items()]",
        "{key: value[0] for key, value in subjects.items() if value[1] > 1}",
        "[x * y for x in range(3) for y in items if x != y]",
        "sum([[1], [2, 3]], [])",
        "sum(items) / len(items) // 1 % 2 - -1",
        "sorted(subjects, reverse=False) if False else sorted(subjects)",
        "items[-1] if 'a' in subjects and not None else 0",
        "items[::2] + list(reversed(items))",
        "[*items, *'ab']",
        "{**subjects, 'c': 1}['c']",
        "chr(ord('A') + 1) * 3",
        "1 < items[0] + 1 <= 2 or items[0] is None",
        "max(items), min(items), abs(-2), round(2.6), int('3'), float('1.5'), bool(items)",
        "[list(pair) for pair in zip(items, 'abc')]",
        "subjects.get('c', 'none')",
        "dict(subjects, d=4)",
    ],
)
def test_a_value_is_the_one_that_python_computes(text: str) -> None:
    expected = eval(text, dict(NAMES))
    assert evaluate(text, **NAMES) == (list(expected) if isinstance(expected, tuple) else expected)


def test_loop_variables_of_a_comprehension_do_not_stay() -> None:
    evaluator = ExpressionEvaluator(Path("c.py"), {"x": 1})
    assert evaluator.evaluate(ast.parse("[x + y for x in (5, 6) for y in [x]]", mode="eval").body) == [10, 12]
    assert evaluator.names == {"x": 1}


def test_classes_become_symbols_and_copies_are_made() -> None:
    names: dict[str, Any] = {"copy": Symbol("copy"), "deepcopy": Symbol("deepcopy", "copy"), "items": [[1]]}
    assert evaluate("copy.Class", **names) == Symbol("Class", "copy")
    duplicate = evaluate("deepcopy(items)", **names)
    assert duplicate == [[1]]
    assert duplicate[0] is not names["items"][0]
    assert evaluate("dict[str, int](a=1)") == {"a": 1}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("open('/etc/passwd').read()", "is a function call"),
        ("__import__('os').system('true')", "is a function call"),
        ("os.system('true')", "is a function call"),
        ("eval('1')", "is a function call"),
        ("getattr('', 'join')", "is a function call"),
        ("''.__class__.__mro__", "is not a literal"),
        ("'{0.__class__}'.format(1)", "has fields other than names"),
        ("'{:999999999}'.format(1)", "has fields other than names"),
        ("f'{1:999999999}'", "is not a text or number in an f-string"),
        ("f'{1!r}'", "is not a text or number in an f-string"),
        ("'%999999999d' % 1", "combines str|formats with %"),
        ("lambda: 1", "is not a literal"),
        ("absent", "is not assigned above"),
        ("2 ** 99999", "uses an operator"),
        ("'a' * 99999999", "has a result larger than"),
        ("[1] * 99999999", "has a result larger than"),
        ("list(range(99999999))", "has a result larger than"),
        ("'a'.replace('', 'b' * 90000).replace('b', 'b' * 90000)", "has a result larger than"),
        ("('b' * 90000).join(['a', 'a', 'a'])", "has a result larger than"),
        ("[x for x in range(90000) for y in range(90000)]", "exceeds 1,000,000 steps"),
        ("[('a' * 90000) + str(x) for x in range(9000)]", "exceeds a total size of 100,000,000"),
        ("[1, 2][5]", "cannot be evaluated .IndexError"),
        ("1 / 0", "cannot be evaluated .ZeroDivisionError"),
        ("{[1]: 2}", "needs texts or numbers"),
        ("[[1]] == [[1]]", "needs texts or numbers"),
        ("sorted([[2], [1]])", "needs texts or numbers"),
        ("{1} + 2", "cannot be evaluated .TypeError"),
    ],
)
def test_everything_else_is_rejected_with_its_line(text: str, message: str) -> None:
    with pytest.raises(SpecError, match=rf"c\.py:1: .*({message})"):
        evaluate(text, os=Symbol("os"))


def test_a_number_cannot_grow_without_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(config_expressions, "MAX_SIZE", 100)
    with pytest.raises(SpecError, match="has a result larger than 100"):
        evaluate("*".join(["999999999"] * 40))


def test_values_are_counted_through_shared_and_cyclic_lists() -> None:
    row: list[Any] = [0] * 100
    table = [row] * 100
    assert count_values({"a": [1, 2], "b": 3}) == 5
    assert count_values([table] * 100, limit=5_000) == 5_001
    row.append(row)
    assert count_values(row, limit=50) == 51
