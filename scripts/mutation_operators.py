"""List the mutations of a module: small changes that a test should notice.

A mutation replaces one node of the syntax tree. Left out is what no test can or should notice:
annotations, docstrings, texts, assertions and the options of dataclasses.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
"""The boundary, where there is one, and the opposite."""
ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult,
    ast.Pow: ast.Mult,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.BitXor: ast.BitOr,
}
FUNCTIONS = {"min": "max", "max": "min", "any": "all", "all": "any"}
ORDER_DOES_NOT_MATTER = {
    *("min", "max", "minimum", "maximum", "hypot"),
    *("isinstance", "issubclass", "cast", "uniform", "suppress"),
}
IGNORED_CALLS = {"dataclass", "fast_dataclass", "field", "TypeVar", "ParamSpec", "NewType", "ConfigDict"}
IGNORED_KEYWORDS = {"strict", "stacklevel", "digest_size"}
IGNORED_FIELDS = {"annotation", "returns", "type_comment", "type_params", "bases"}
LARGE = 100
"""Larger numbers are doubled and halved: one more or less is rarely a fault."""


@dataclass(frozen=True, eq=False)
class Mutation:
    """One change, with the place in the tree where it is made."""

    lines: range
    """Lines of the statement that contains the change."""
    line: int
    scope: str
    """Qualified name of the function or class around it."""
    at_import: bool
    """Whether the code is executed when the module is imported."""
    before: str
    after: str
    slot: tuple[ast.AST, str, int | None]
    replacement: ast.AST

    @property
    def change(self) -> str:
        return f"{self.before} -> {self.after}"

    def source(self, tree: ast.Module) -> str:
        """Return the source of the module with the change."""
        original = _swap(self.slot, self.replacement)
        try:
            return ast.unparse(ast.fix_missing_locations(tree))
        finally:
            _swap(self.slot, original)


def list_mutations(tree: ast.Module) -> list[Mutation]:
    """Return the mutations of a module in the order of its source."""
    return sorted(_Walker().walk(tree), key=lambda mutation: mutation.line)


def _swap(slot: tuple[ast.AST, str, int | None], node: Any) -> Any:
    parent, field, index = slot
    if index is None:
        original = getattr(parent, field)
        setattr(parent, field, node)
    else:
        siblings = getattr(parent, field)
        original, siblings[index] = siblings[index], node
    return original


class _Walker:
    """Walks a tree and remembers the statement and the function around each node."""

    def __init__(self) -> None:
        self._scope: list[str] = []
        self._functions = 0
        self._lines = range(0)

    def walk(self, parent: ast.AST) -> Iterator[Mutation]:
        for field, index, node in _children(parent):
            if _is_ignored(node) or _is_unknown_size(parent, node):
                continue
            outer = self._lines
            if isinstance(node, ast.stmt | ast.ExceptHandler | ast.match_case):
                self._lines = _header_lines(node)
            for replacement in _replacements(parent, field, node):
                yield self._mutation(node, replacement, (parent, field, index))
            yield from self._walk_inside(node)
            self._lines = outer

    def _walk_inside(self, node: ast.AST) -> Iterator[Mutation]:
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield from self.walk(node)
            return
        is_function = not isinstance(node, ast.ClassDef)
        if is_function:
            # Defaults are evaluated at import, like the statements of a class; decorators are left alone.
            yield from self.walk(node.args)
        self._scope.append(node.name)
        self._functions += is_function
        body = ast.Module(node.body, [])
        yield from self.walk(body)
        self._functions -= is_function
        self._scope.pop()

    def _mutation(self, node: ast.AST, replacement: ast.AST, slot: tuple[ast.AST, str, int | None]) -> Mutation:
        line = getattr(node, "lineno", self._lines.start)
        before, after = _describe(node, replacement, slot)
        return Mutation(
            lines=self._lines,
            line=line,
            scope=".".join(self._scope),
            at_import=self._functions == 0,
            before=before,
            after=after,
            slot=slot,
            replacement=replacement,
        )


def _children(parent: ast.AST) -> Iterator[tuple[str, int | None, ast.AST]]:
    for field, value in ast.iter_fields(parent):
        if field in IGNORED_FIELDS:
            continue
        if isinstance(value, list):
            yield from ((field, index, node) for index, node in enumerate(value) if isinstance(node, ast.AST))
        elif isinstance(value, ast.AST):
            yield field, None, value


def _header_lines(node: Any) -> range:
    """Return the lines of a simple statement, or those of a compound one before its body."""
    body = getattr(node, "body", None)
    end = body[0].lineno - 1 if isinstance(body, list) and body else getattr(node, "end_lineno", None)
    start = getattr(node, "lineno", None) or (node.pattern.lineno if isinstance(node, ast.match_case) else 0)
    return range(start, max(end or start, start) + 1)


def _is_ignored(node: ast.AST) -> bool:
    if isinstance(node, ast.JoinedStr | ast.Assert | ast.Import | ast.ImportFrom):
        return True
    if isinstance(node, ast.keyword):
        return node.arg in IGNORED_KEYWORDS
    if isinstance(node, ast.Call):
        return _called_name(node) in IGNORED_CALLS
    return isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING")


def _is_unknown_size(parent: ast.AST, node: ast.AST) -> bool:
    """Whether a node is the -1 of `reshape(-1, 2)`; for numpy every negative size is the unknown one."""
    return isinstance(parent, ast.Call) and _called_name(parent) == "reshape" and isinstance(node, ast.UnaryOp)


def _called_name(call: ast.Call) -> str:
    return ast.unparse(call.func).rpartition(".")[2]


def _describe(node: ast.AST, replacement: ast.AST, slot: tuple[ast.AST, str, int | None]) -> tuple[str, str]:
    """Show a change; a constant is shown within the expression around it."""
    if not isinstance(node, ast.Constant) or isinstance(slot[0], ast.Module):
        return _one_line(node), _one_line(replacement)
    before = _one_line(slot[0])
    _swap(slot, replacement)
    after = _one_line(slot[0])
    _swap(slot, node)
    return before, after


def _one_line(node: ast.AST, limit: int = 120) -> str:
    text = " ".join(ast.unparse(node).split())
    return text if len(text) <= limit else f"{text[:limit]}…"


def _replacements(parent: ast.AST, field: str, node: ast.AST) -> Iterator[ast.AST]:
    yield from OPERATORS.get(type(node), lambda _: ())(node)
    is_condition = field == "ifs" or (field == "test" and isinstance(parent, ast.If | ast.While | ast.IfExp))
    # Operators of comparisons and of `not` negate these already.
    if is_condition and not isinstance(node, ast.Compare | ast.Constant) and not _is_not(node):
        yield ast.UnaryOp(ast.Not(), node)


def _is_not(node: ast.AST) -> bool:
    return isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)


def _change_comparison(node: ast.Compare) -> Iterator[ast.AST]:
    for index, operator in enumerate(node.ops):
        for other in COMPARISONS[type(operator)]:
            yield ast.Compare(node.left, [*node.ops[:index], other(), *node.ops[index + 1 :]], node.comparators)


def _change_arithmetic(node: ast.BinOp) -> Iterator[ast.AST]:
    if type(node.op) in ARITHMETIC and not (_is_text(node.left) or _is_text(node.right)):
        yield ast.BinOp(node.left, ARITHMETIC[type(node.op)](), node.right)


def _is_text(node: ast.AST) -> bool:
    """Whether an operand is a literal text, for which other operators only raise."""
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str | bytes))


def _change_boolean(node: ast.BoolOp) -> Iterator[ast.AST]:
    yield ast.BoolOp(ast.Or() if isinstance(node.op, ast.And) else ast.And(), node.values)


def _drop_unary(node: ast.UnaryOp) -> Iterator[ast.AST]:
    if not isinstance(node.operand, ast.Constant):
        yield node.operand


def _change_constant(node: ast.Constant) -> Iterator[ast.AST]:
    value = node.value
    if isinstance(value, bool):
        yield ast.Constant(not value)
    elif isinstance(value, int | float):
        nearby = (value + 1, value - 1) if abs(value) <= LARGE else (value * 2, value // 2)
        yield from (ast.Constant(number) for number in nearby)


def _change_call(node: ast.Call) -> Iterator[ast.AST]:
    name = _called_name(node)
    if name in FUNCTIONS and isinstance(node.func, ast.Name):
        yield ast.Call(ast.Name(FUNCTIONS[name]), node.args, node.keywords)
    if name in ORDER_DOES_NOT_MATTER or any(isinstance(argument, ast.Starred) for argument in node.args):
        return
    for index in range(len(node.args) - 1):
        first, second = node.args[index : index + 2]
        if ast.unparse(first) != ast.unparse(second):
            yield ast.Call(node.func, [*node.args[:index], second, first, *node.args[index + 2 :]], node.keywords)


def _remove_expression(node: ast.Expr) -> Iterator[ast.AST]:
    if not isinstance(node.value, ast.Constant):
        yield ast.Pass()


def _remove_raise(node: ast.Raise) -> Iterator[ast.AST]:
    """Remove an error, unless it marks code that is never reached."""
    if node.exc is None or not ast.unparse(node.exc).startswith(("AssertionError", "NotImplementedError")):
        yield ast.Pass()


def _remove_statement(node: ast.AST) -> Iterator[ast.AST]:
    yield ast.Pass()


def _remove_assignment(node: ast.Assign) -> Iterator[ast.AST]:
    """Remove what changes an object; a missing variable would only raise."""
    if all(isinstance(target, ast.Attribute | ast.Subscript) for target in node.targets):
        yield ast.Pass()


def _change_update(node: ast.AugAssign) -> Iterator[ast.AST]:
    if type(node.op) in ARITHMETIC and not _is_text(node.value):
        yield ast.AugAssign(node.target, ARITHMETIC[type(node.op)](), node.value)
    yield ast.Pass()


def _change_return(node: ast.Return) -> Iterator[ast.AST]:
    if node.value is None:
        yield ast.Pass()
    elif not (isinstance(node.value, ast.Constant) and node.value.value is None):
        yield ast.Return(ast.Constant(None))


def _leave_loop(node: ast.Continue) -> Iterator[ast.AST]:
    yield ast.Break()


OPERATORS: dict[type[ast.AST], Callable[[Any], Iterable[ast.AST]]] = {
    ast.Compare: _change_comparison,
    ast.BinOp: _change_arithmetic,
    ast.BoolOp: _change_boolean,
    ast.UnaryOp: _drop_unary,
    ast.Constant: _change_constant,
    ast.Call: _change_call,
    ast.Expr: _remove_expression,
    ast.Assign: _remove_assignment,
    ast.AugAssign: _change_update,
    ast.Return: _change_return,
    ast.Raise: _remove_raise,
    ast.Delete: _remove_statement,
    ast.Break: _remove_statement,
    ast.Continue: _leave_loop,
}
