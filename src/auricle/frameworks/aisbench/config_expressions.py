"""Evaluate the expressions of a config without running code.

Configs are written by strangers, so only an expression whose result is a literal is evaluated: arithmetic, slices,
comprehensions, and the calls and methods listed below. Imported classes become `Symbol`s. Everything else raises an
error with its line. Steps and sizes are limited, so that a config can neither hang nor fill the memory.
"""

from __future__ import annotations

import ast
import copy
import operator
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from auricle.core.errors import SpecError

MAX_STEPS = 1_000_000
"""Statements and expressions that one config, with those that it includes, may evaluate."""
MAX_SIZE = 100_000
"""Most elements of a list, characters of a text, or digits of a number."""
MAX_TOTAL_SIZE = 100_000_000
"""Most elements and characters of all values together, however short-lived."""


@dataclass(frozen=True, slots=True)
class Symbol:
    """An imported class or function: its name and module."""

    name: str
    module: str = ""

    def __str__(self) -> str:
        return self.name


class NotAllowed(Exception):
    """An operation that is not evaluated; the text continues a sentence about the code."""


@dataclass
class StepCounter:
    """Counts what is evaluated, over all files of a config."""

    steps: int = 0
    total_size: int = 0

    def count(self) -> None:
        self.steps += 1
        if self.steps > MAX_STEPS:
            raise NotAllowed(f"exceeds {MAX_STEPS:,} steps")

    def count_value(self, value: Any) -> None:
        """Count the size of a value."""
        if isinstance(value, (str, list, tuple, dict)):
            _check_size(len(value))
            self.total_size += len(value)
        if self.total_size > MAX_TOTAL_SIZE:
            raise NotAllowed(f"exceeds a total size of {MAX_TOTAL_SIZE:,}")


def _check_size(size: int) -> None:
    if size > MAX_SIZE:
        raise NotAllowed(f"has a result larger than {MAX_SIZE:,}")


def _require_scalars(*values: Any) -> None:
    if not all(isinstance(value, (str, int, float, Symbol, type(None))) for value in values):
        raise NotAllowed("needs texts or numbers")


def _check_operands(left: Any, right: Any) -> None:
    """Accept two numbers, two texts, two lists, or a text or list and a factor."""
    are_numbers = isinstance(left, (int, float)) and isinstance(right, (int, float))
    is_sequence = isinstance(left, (str, list, tuple)) and isinstance(right, (type(left), int))
    if not are_numbers and not is_sequence:
        raise NotAllowed(f"combines {type(left).__name__} and {type(right).__name__}")


def _multiply(left: Any, right: Any) -> Any:
    if isinstance(left, (str, list, tuple)):
        _check_size(len(left) * max(0, right))
    return left * right


def _modulo(left: Any, right: Any) -> Any:
    if isinstance(left, str):
        raise NotAllowed("formats with %")
    return left % right


BINARY_OPERATORS: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: _multiply,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: _modulo,
}
UNARY_OPERATORS: dict[type[ast.unaryop], Callable[[Any], Any]] = {
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Not: operator.not_,
}
COMPARISONS: dict[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
    ast.In: lambda left, right: left in right,
    ast.NotIn: lambda left, right: left not in right,
}


def _make_range(*arguments: Any) -> list[int]:
    if not arguments or not all(type(argument) is int for argument in arguments):
        raise NotAllowed("needs whole numbers")
    numbers = range(*arguments)
    _check_size(len(numbers))
    return list(numbers)


def _sum(values: Any, start: Any = 0) -> Any:
    total = start
    for value in values:
        _check_operands(total, value)
        total = total + value
        if isinstance(total, list):
            _check_size(len(total))
    return total


def _to_scalar(convert: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def call(value: Any) -> Any:
        _require_scalars(value)
        return convert(value)

    return call


def _of_scalars(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Accept only a collection of texts or numbers: comparing nested lists may take very long."""

    def call(values: Any) -> Any:
        _require_scalars(*values)
        return function(values)

    return call


BUILTINS: dict[str, Callable[..., Any]] = {
    "dict": dict,
    "list": list,
    "tuple": list,
    "set": _of_scalars(lambda values: list(dict.fromkeys(values))),
    "range": _make_range,
    "len": len,
    "sum": _sum,
    "min": _of_scalars(min),
    "max": _of_scalars(max),
    "sorted": _of_scalars(sorted),
    "reversed": lambda values: list(reversed(values)),
    "enumerate": lambda values, start=0: [list(pair) for pair in enumerate(values, start)],
    "zip": lambda *lists: [list(values) for values in zip(*lists, strict=False)],
    "chr": chr,
    "ord": ord,
    "str": _to_scalar(str),
    "int": _to_scalar(int),
    "float": _to_scalar(float),
    "bool": bool,
    "round": round,
    "abs": abs,
}


def _join(separator: str, values: Any) -> str:
    texts = list(values)
    if not all(isinstance(text, str) for text in texts):
        raise NotAllowed("needs texts")
    _check_size(sum(map(len, texts)) + len(separator) * len(texts))
    return separator.join(texts)


def _replace(text: str, old: str, new: str) -> str:
    _check_size(len(text) + text.count(old) * len(new))
    return text.replace(old, new)


def _format(template: str, *values: Any, **named_values: Any) -> str:
    """Fill in plain fields only: others reach into objects, or ask for any width."""
    _require_scalars(*values, *named_values.values())
    fields = re.findall(r"\{([^{}]*)\}", template.replace("{{", "").replace("}}", ""))
    if not all(re.fullmatch(r"\w*", name) for name in fields):
        raise NotAllowed("has fields other than names")
    longest = max((len(str(value)) for value in (*values, *named_values.values())), default=0)
    _check_size(len(template) + len(fields) * longest)
    return template.format(*values, **named_values)


def _as_list(method: Callable[[Any], Any]) -> Callable[[Any], list[Any]]:
    return lambda value: [list(item) if isinstance(item, tuple) else item for item in method(value)]


TEXT_METHODS: dict[str, Callable[..., Any]] = {
    **{
        name: getattr(str, name)
        for name in ("strip", "lstrip", "rstrip", "lower", "upper", "title", "capitalize", "split", "splitlines")
    },
    **{name: getattr(str, name) for name in ("startswith", "endswith", "removeprefix", "removesuffix", "count")},
    "join": _join,
    "replace": _replace,
    "format": _format,
}
LIST_METHODS: dict[str, Callable[..., Any]] = {
    name: getattr(list, name) for name in ("append", "extend", "insert", "pop", "copy")
}
DICT_METHODS: dict[str, Callable[..., Any]] = {
    **{name: _as_list(getattr(dict, name)) for name in ("keys", "values", "items")},
    **{name: getattr(dict, name) for name in ("get", "update", "copy", "pop", "setdefault")},
}
METHODS: dict[type[Any], dict[str, Callable[..., Any]]] = {str: TEXT_METHODS, list: LIST_METHODS, dict: DICT_METHODS}
COPY_FUNCTIONS = {Symbol("deepcopy", "copy"): copy.deepcopy, Symbol("copy", "copy"): copy.copy}
FORMAT_SPECIFICATION = re.compile(r"[<>^]?[+-]?0?\d{0,2},?(\.\d{1,2})?[a-zA-Z%]?")


@dataclass
class ExpressionEvaluator:
    """Evaluates the expressions of one config; `names` are the names assigned so far."""

    path: Path
    names: dict[str, Any] = field(default_factory=dict)
    counter: StepCounter = field(default_factory=StepCounter)

    def evaluate(self, node: ast.expr) -> Any:
        evaluate_node: Callable[[Any], Any] | None = getattr(self, f"_{type(node).__name__.lower()}", None)
        if evaluate_node is None:
            raise self.error_at(node, "is not a literal")
        try:
            self.counter.count()
            value = evaluate_node(node)
            self.counter.count_value(value)
        except NotAllowed as error:
            raise self.error_at(node, str(error)) from error
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
            raise self.error_at(node, f"cannot be evaluated ({type(error).__name__}: {error})") from error
        return value

    def error_at(self, node: ast.AST, reason: str) -> SpecError:
        code = ast.unparse(node).partition("\n")[0]
        shown = code if len(code) <= 60 else f"{code[:57]}..."
        line = getattr(node, "lineno", 0)
        return SpecError(f"{self.path}:{line}: `{shown}` {reason}. Configs are read, not run: write a literal here.")

    def assign(self, target: ast.expr, value: Any) -> None:
        """Assign to a name, to several names, or to an element of a list or dictionary."""
        if isinstance(target, ast.Name):
            self.names[target.id] = value
        elif isinstance(target, (ast.Tuple, ast.List)):
            if not isinstance(value, list) or len(value) != len(target.elts):
                raise self.error_at(target, f"needs {len(target.elts)} values")
            for element, item in zip(target.elts, value, strict=True):
                self.assign(element, item)
        elif isinstance(target, ast.Subscript):
            container, key = self.evaluate(target.value), self.evaluate(target.slice)
            is_element = isinstance(key, int) if isinstance(container, list) else isinstance(container, dict)
            if not is_element or not isinstance(key, (str, int)):
                raise self.error_at(target, "is not an element of a list or dictionary")
            container[key] = value
        else:
            raise self.error_at(target, "is not a name or an element")

    # --- literals and names -----------------------------------------------------------------

    def _constant(self, node: ast.Constant) -> Any:
        return node.value

    def _name(self, node: ast.Name) -> Any:
        if node.id not in self.names:
            raise NotAllowed("is not assigned above")
        return self.names[node.id]

    def _attribute(self, node: ast.Attribute) -> Symbol:
        base = self.evaluate(node.value)
        if not isinstance(base, Symbol):
            raise NotAllowed("is not a literal")
        return Symbol(node.attr, ".".join(filter(None, (base.module, base.name))))

    def _list(self, node: ast.List | ast.Tuple | ast.Set) -> list[Any]:
        values: list[Any] = []
        for element in node.elts:
            if isinstance(element, ast.Starred):
                values += self._iterate(element.value)
            else:
                values.append(self.evaluate(element))
        return values

    _tuple = _set = _list

    def _dict(self, node: ast.Dict) -> dict[Any, Any]:
        values: dict[Any, Any] = {}
        for key, value_node in zip(node.keys, node.values, strict=True):
            value = self.evaluate(value_node)
            if key is None and not isinstance(value, Mapping):
                raise self.error_at(value_node, "should be a dict to be unpacked with **")
            values.update(value if key is None else {self._key(key): value})
        return values

    def _key(self, node: ast.expr) -> Any:
        key = self.evaluate(node)
        _require_scalars(key)
        return key

    def _joinedstr(self, node: ast.JoinedStr) -> str:
        return "".join(str(self.evaluate(part)) for part in node.values)

    def _formattedvalue(self, node: ast.FormattedValue) -> str:
        value = self.evaluate(node.value)
        specification = str(self.evaluate(node.format_spec)) if node.format_spec else ""
        is_plain = node.conversion == -1 and FORMAT_SPECIFICATION.fullmatch(specification)
        if not is_plain or not isinstance(value, (str, int, float)):
            raise NotAllowed("is not a text or number in an f-string")
        return format(value, specification)

    # --- operators --------------------------------------------------------------------------

    def _binop(self, node: ast.BinOp) -> Any:
        left, right = self.evaluate(node.left), self.evaluate(node.right)
        return self.combine(node.op, left, right)

    def combine(self, operation: ast.operator, left: Any, right: Any) -> Any:
        """Apply a binary operator."""
        if type(operation) not in BINARY_OPERATORS:
            raise NotAllowed("uses an operator that is not evaluated")
        _check_operands(left, right)
        value = BINARY_OPERATORS[type(operation)](left, right)
        if isinstance(value, int):
            _check_size(value.bit_length() // 3)
        return value

    def _unaryop(self, node: ast.UnaryOp) -> Any:
        if type(node.op) not in UNARY_OPERATORS:
            raise NotAllowed("uses an operator that is not evaluated")
        return UNARY_OPERATORS[type(node.op)](self.evaluate(node.operand))

    def _boolop(self, node: ast.BoolOp) -> Any:
        value: Any = None
        for operand in node.values:
            value = self.evaluate(operand)
            if bool(value) is isinstance(node.op, ast.Or):
                break
        return value

    def _compare(self, node: ast.Compare) -> bool:
        left = self.evaluate(node.left)
        for operation, right_node in zip(node.ops, node.comparators, strict=True):
            right = self.evaluate(right_node)
            _require_scalars(left)
            if not isinstance(operation, (ast.In, ast.NotIn, ast.Is, ast.IsNot)):
                _require_scalars(right)
            if not COMPARISONS[type(operation)](left, right):
                return False
            left = right
        return True

    def _ifexp(self, node: ast.IfExp) -> Any:
        return self.evaluate(node.body if self.evaluate(node.test) else node.orelse)

    def _subscript(self, node: ast.Subscript) -> Any:
        container = self.evaluate(node.value)
        if not isinstance(container, (str, list, dict)):
            raise NotAllowed("is not an element of a literal")
        if isinstance(node.slice, ast.Slice):
            parts = (node.slice.lower, node.slice.upper, node.slice.step)
            return container[slice(*(None if part is None else self.evaluate(part) for part in parts))]
        return container[self._key(node.slice)]

    # --- comprehensions ---------------------------------------------------------------------

    def _listcomp(self, node: ast.ListComp | ast.GeneratorExp | ast.SetComp) -> list[Any]:
        return [self.evaluate(node.elt) for _ in self._run_generators(node.generators)]

    _generatorexp = _setcomp = _listcomp

    def _dictcomp(self, node: ast.DictComp) -> dict[Any, Any]:
        return {self._key(node.key): self.evaluate(node.value) for _ in self._run_generators(node.generators)}

    def _run_generators(self, generators: Sequence[ast.comprehension]) -> Iterator[None]:
        """Assign the loop variables in turn; afterwards the names are as before."""
        names = dict(self.names)
        yield from self._nest_loops(generators)
        self.names.clear()
        self.names.update(names)

    def _nest_loops(self, generators: Sequence[ast.comprehension]) -> Iterator[None]:
        if not generators:
            yield None
            return
        loop, *inner_loops = generators
        for value in self._iterate(loop.iter):
            self.assign(loop.target, value)
            if all(self.evaluate(condition) for condition in loop.ifs):
                yield from self._nest_loops(inner_loops)

    def _iterate(self, node: ast.expr) -> list[Any]:
        values = self.evaluate(node)
        if not isinstance(values, (str, list, dict)):
            raise self.error_at(node, "is not a list")
        return list(values)

    iterate = _iterate

    # --- calls ------------------------------------------------------------------------------

    def _call(self, node: ast.Call) -> Any:
        function = self._find_function(node.func)
        arguments = self._list(ast.List(node.args))
        keywords: dict[str, Any] = {}
        for keyword in node.keywords:
            value = self.evaluate(keyword.value)
            keywords.update({keyword.arg: value} if keyword.arg else value)
        value = function(*arguments, **keywords)
        return value if isinstance(value, (str, int, float, list, dict, Symbol, type(None))) else list(value)

    def _find_function(self, node: ast.expr) -> Callable[..., Any]:
        """Return an allowed function or method."""
        if isinstance(node, ast.Subscript):  # dict[str, int](...)
            node = node.value
        if isinstance(node, ast.Name) and node.id not in self.names:
            if node.id in ("globals", "locals"):
                return lambda: self.names
            if node.id in BUILTINS:
                return BUILTINS[node.id]
        elif isinstance(node, ast.Attribute) and not self._is_symbol(node.value):
            owner = self.evaluate(node.value)
            methods: Mapping[str, Callable[..., Any]] = METHODS.get(type(owner), {})
            if node.attr in methods:
                return lambda *arguments, **keywords: methods[node.attr](owner, *arguments, **keywords)
        elif isinstance(node, (ast.Name, ast.Attribute)) and (symbol := self.evaluate(node)) in COPY_FUNCTIONS:
            return COPY_FUNCTIONS[symbol]
        raise NotAllowed("is a function call")

    def _is_symbol(self, node: ast.expr) -> bool:
        return isinstance(node, ast.Name) and isinstance(self.names.get(node.id), Symbol)


def count_values(value: Any, limit: int = MAX_SIZE) -> int:
    """Count the values in nested lists and dictionaries, up to a limit.

    A list may contain another one many times, and itself: written out, it would be much larger than in memory.
    """
    pending, count = [value], 0
    while pending and count <= limit:
        current = pending.pop()
        count += 1
        inner: Collection[Any] = ()
        if isinstance(current, Mapping):
            inner = current.values()
        elif isinstance(current, list):
            inner = current
        pending += inner
    return count
