"""A dataset config as data: read, never run.

Configs are Python files that assign dictionaries. What is a literal is read; a class is its name
and the module it comes from; whatever would have to be run is refused with its line.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from auricle.core.errors import SpecError

ALLOWED_CALLS = ("dict", "list", "tuple", "range")
MAX_RANGE_SIZE = 10_000  # numbers in a range


@dataclass(frozen=True, slots=True)
class Symbol:
    """A class or function that is imported: its name, and where from."""

    name: str
    module: str = ""

    def __str__(self) -> str:
        return self.name


@dataclass
class ConfigEvaluator:
    """The names a file has assigned so far."""

    path: Path
    names: dict[str, Any] = field(default_factory=dict)

    def run_statement(self, node: ast.stmt) -> None:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            self._bind_imports(node)
        elif isinstance(node, ast.With) and _is_read_base(node):
            for inner in node.body:
                self.run_statement(inner)
        elif isinstance(node, ast.Assign):
            self._bind_names(node)
        elif not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)):
            raise self.error_at(node, "is run by Python, and a config is only read here")

    def _bind_imports(self, node: ast.Import | ast.ImportFrom) -> None:
        if isinstance(node, ast.ImportFrom):
            module = "." * node.level + (node.module or "")
            self.names.update({each.asname or each.name: Symbol(each.name, module) for each in node.names})
        else:
            self.names.update({each.asname or each.name.partition(".")[0]: Symbol(each.name) for each in node.names})

    def _bind_names(self, node: ast.Assign) -> None:
        value = self.evaluate(node.value)
        for target in node.targets:
            if not isinstance(target, ast.Name):
                raise self.error_at(node, "assigns to a part of something")
            self.names[target.id] = value

    def evaluate(self, node: ast.expr) -> Any:
        read: Callable[[Any], Any] | None = getattr(self, f"_{type(node).__name__.lower()}", None)
        if read is None:
            raise self.error_at(node, "is no literal")
        return read(node)

    def _constant(self, node: ast.Constant) -> Any:
        return node.value

    def _name(self, node: ast.Name) -> Any:
        if node.id not in self.names:
            raise self.error_at(node, "is assigned nowhere above")
        return self.names[node.id]

    def _attribute(self, node: ast.Attribute) -> Symbol:
        base = self.evaluate(node.value)
        if not isinstance(base, Symbol):
            raise self.error_at(node, "is no literal")
        return Symbol(node.attr, ".".join(filter(None, (base.module, base.name))))

    def _list(self, node: ast.List | ast.Tuple) -> list[Any]:
        return [self.evaluate(each) for each in node.elts]

    _tuple = _list

    def _dict(self, node: ast.Dict) -> dict[Any, Any]:
        found: dict[Any, Any] = {}
        for key, value in zip(node.keys, node.values, strict=True):
            found.update(self._evaluate_mapping(value) if key is None else {self.evaluate(key): self.evaluate(value)})
        return found

    def _evaluate_mapping(self, node: ast.expr) -> Mapping[Any, Any]:
        value = self.evaluate(node)
        if not isinstance(value, Mapping):
            raise self.error_at(node, "should be a dict to be spread by **")
        return value

    def _call(self, node: ast.Call) -> Any:
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if name not in ALLOWED_CALLS or name in self.names:
            raise self.error_at(node, "is a call")
        if name == "dict":
            found = {} if not node.args else dict(self._evaluate_mapping(node.args[0]))
            for each in node.keywords:
                found.update(
                    self._evaluate_mapping(each.value) if each.arg is None else {each.arg: self.evaluate(each.value)}
                )
            return found
        given = [self.evaluate(each) for each in node.args]
        if name != "range":
            return list(given[0]) if given else []
        if not given or not all(type(each) is int for each in given) or len(range(*given)) > MAX_RANGE_SIZE:
            raise self.error_at(node, "is no range of a few numbers")
        return list(range(*given))

    def _joinedstr(self, node: ast.JoinedStr) -> str:
        return "".join(str(self.evaluate(each)) for each in node.values)

    def _formattedvalue(self, node: ast.FormattedValue) -> str:
        value = self.evaluate(node.value)
        if node.format_spec or node.conversion != -1 or not isinstance(value, (str, int, float)):
            raise self.error_at(node, "is no text that is known here")
        return str(value)

    def _binop(self, node: ast.BinOp) -> Any:
        left, right = self.evaluate(node.left), self.evaluate(node.right)
        same = type(left) is type(right) and isinstance(left, (str, list))
        if not isinstance(node.op, ast.Add) or not same:
            raise self.error_at(node, "is no sum of texts or lists")
        return left + right

    def _unaryop(self, node: ast.UnaryOp) -> Any:
        value = self.evaluate(node.operand)
        if not isinstance(node.op, ast.USub) or not isinstance(value, (int, float)):
            raise self.error_at(node, "is no number")
        return -value

    def error_at(self, node: ast.AST, reason: str) -> SpecError:
        line = getattr(node, "lineno", 0)
        told = ast.unparse(node).partition("\n")[0]
        shown = told if len(told) <= 60 else f"{told[:57]}..."
        return SpecError(f"{self.path}:{line}: `{shown}` {reason}. Write what comes of it as a literal.")


def _is_read_base(node: ast.With) -> bool:
    call = node.items[0].context_expr
    return isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "read_base"


def read_config(path: Path) -> dict[str, Any]:
    """What a config assigns, by name."""
    try:
        tree = ast.parse(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise SpecError(f"There is no file {path}.") from error
    except (SyntaxError, UnicodeDecodeError) as error:
        raise SpecError(f"{path} is no Python: {error}.") from error
    reader = ConfigEvaluator(path)
    for node in tree.body:
        reader.run_statement(node)
    return reader.names


def find_datasets(path: Path) -> list[dict[str, Any]]:
    """The datasets a config describes: those of its lists, or dictionaries that stand alone."""
    named = read_config(path)
    lists = [value for name, value in named.items() if name.endswith("datasets")]
    found = [each for value in lists if isinstance(value, list) for each in value]
    found = found or [value for value in named.values() if isinstance(value, dict)]
    whole = [each for each in found if isinstance(each, dict) and "infer_cfg" in each]
    if not whole:
        raise SpecError(f"{path} describes no dataset: no dictionary in it has an infer_cfg.")
    return whole
