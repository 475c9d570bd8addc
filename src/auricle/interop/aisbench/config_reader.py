"""Read AISBench's dataset configs without running them.

Configs are Python files that assign dictionaries. Literals are evaluated; classes become their name and
module; code that would have to run raises an error with its line.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from auricle.core.errors import SpecError

ALLOWED_CALLS = ("dict", "list", "tuple", "range")
MAX_RANGE_SIZE = 10_000


@dataclass(frozen=True, slots=True)
class Symbol:
    """An imported class or function: its name and module."""

    name: str
    module: str = ""

    def __str__(self) -> str:
        return self.name


@dataclass
class ConfigEvaluator:
    """Evaluates the statements of a config; `names` are the names assigned so far."""

    path: Path
    names: dict[str, Any] = field(default_factory=dict)

    def run_statement(self, node: ast.stmt) -> None:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            self._bind_imports(node)
        elif isinstance(node, ast.With) and ast.unparse(node.items[0].context_expr) == "read_base()":
            for inner in node.body:
                self.run_statement(inner)
        elif isinstance(node, ast.Assign):
            self._bind_names(node)
        elif not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)):
            raise self.error_at(node, "cannot be evaluated: configs are read, not run")

    def _bind_imports(self, node: ast.Import | ast.ImportFrom) -> None:
        module = "." * node.level + (node.module or "") if isinstance(node, ast.ImportFrom) else ""
        for alias in node.names:
            self.names[alias.asname or alias.name.partition(".")[0]] = Symbol(alias.name, module)

    def _bind_names(self, node: ast.Assign) -> None:
        value = self.evaluate(node.value)
        for target in node.targets:
            if not isinstance(target, ast.Name):
                raise self.error_at(node, "assigns to something other than a name")
            self.names[target.id] = value

    def evaluate(self, node: ast.expr) -> Any:
        evaluate_node: Callable[[Any], Any] | None = getattr(self, f"_{type(node).__name__.lower()}", None)
        if evaluate_node is None:
            raise self.error_at(node, "is not a literal")
        return evaluate_node(node)

    def _constant(self, node: ast.Constant) -> Any:
        return node.value

    def _name(self, node: ast.Name) -> Any:
        if node.id not in self.names:
            raise self.error_at(node, "is not assigned above")
        return self.names[node.id]

    def _attribute(self, node: ast.Attribute) -> Symbol:
        base = self.evaluate(node.value)
        if not isinstance(base, Symbol):
            raise self.error_at(node, "is not a literal")
        return Symbol(node.attr, ".".join(filter(None, (base.module, base.name))))

    def _list(self, node: ast.List | ast.Tuple) -> list[Any]:
        return [self.evaluate(element) for element in node.elts]

    _tuple = _list

    def _dict(self, node: ast.Dict) -> dict[Any, Any]:
        values: dict[Any, Any] = {}
        for key, value_node in zip(node.keys, node.values, strict=True):
            value = self.evaluate(value_node)
            if key is None and not isinstance(value, Mapping):
                raise self.error_at(value_node, "should be a dict to be unpacked with **")
            values.update(value if key is None else {self.evaluate(key): value})
        return values

    def _call(self, node: ast.Call) -> Any:
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if name not in ALLOWED_CALLS or name in self.names:
            raise self.error_at(node, "is a function call")
        if name == "dict":  # as {**argument, "keyword": value}
            items = [ast.keyword(None, argument) for argument in node.args[:1]] + node.keywords
            keys = [ast.Constant(item.arg) if item.arg else None for item in items]
            return self._dict(ast.Dict([*keys], [item.value for item in items]))
        arguments = [self.evaluate(argument) for argument in node.args]
        if name != "range":
            return list(arguments[0]) if arguments else []
        are_integers = arguments and all(type(argument) is int for argument in arguments)
        if not are_integers or len(range(*arguments)) > MAX_RANGE_SIZE:
            raise self.error_at(node, f"is not a range of at most {MAX_RANGE_SIZE:,} numbers")
        return list(range(*arguments))

    def _joinedstr(self, node: ast.JoinedStr) -> str:
        return "".join(str(self.evaluate(part)) for part in node.values)

    def _formattedvalue(self, node: ast.FormattedValue) -> str:
        value = self.evaluate(node.value)
        if node.format_spec or node.conversion != -1 or not isinstance(value, (str, int, float)):
            raise self.error_at(node, "is not a plain f-string")
        return str(value)

    def _binop(self, node: ast.BinOp) -> Any:
        left, right = self.evaluate(node.left), self.evaluate(node.right)
        is_concatenation = type(left) is type(right) and isinstance(left, (str, list))
        if not isinstance(node.op, ast.Add) or not is_concatenation:
            raise self.error_at(node, "is not a concatenation of strings or lists")
        return left + right

    def _unaryop(self, node: ast.UnaryOp) -> Any:
        value = self.evaluate(node.operand)
        if not isinstance(node.op, ast.USub) or not isinstance(value, (int, float)):
            raise self.error_at(node, "is not a negative number")
        return -value

    def error_at(self, node: ast.AST, reason: str) -> SpecError:
        code = ast.unparse(node).partition("\n")[0]
        shown = code if len(code) <= 60 else f"{code[:57]}..."
        return SpecError(f"{self.path}:{getattr(node, 'lineno', 0)}: `{shown}` {reason}. Replace it with a literal.")


def read_config(path: Path) -> dict[str, Any]:
    """Return the values that a config assigns, by name."""
    try:
        tree = ast.parse(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise SpecError(f"There is no file {path}.") from error
    except (SyntaxError, UnicodeDecodeError) as error:
        raise SpecError(f"{path} is not valid Python: {error}.") from error
    evaluator = ConfigEvaluator(path)
    for node in tree.body:
        evaluator.run_statement(node)
    return evaluator.names


def find_datasets(path: Path) -> list[dict[str, Any]]:
    """Return the datasets of a config, from its lists or from its dictionaries."""
    values = read_config(path)
    lists = [value for name, value in values.items() if name.endswith("datasets")]
    candidates = [item for value in lists if isinstance(value, list) for item in value]
    candidates = candidates or [value for value in values.values() if isinstance(value, dict)]
    datasets = [item for item in candidates if isinstance(item, dict) and "infer_cfg" in item]
    if not datasets:
        raise SpecError(f"{path} contains no dataset: no dictionary has an infer_cfg.")
    return datasets
