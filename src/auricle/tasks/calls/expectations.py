"""What a caller expects of an agent: facts that it states, and tools that it calls.

The target of a sample of a conversation is a list of expectations, each a JSON object with one field:

    {"contains": ["nine", "9"]}     the agent's transcript contains one of these
    {"not_contains": ["Monday"]}    it contains none of these
    {"matches": ["9 ?(am|o.clock)"]}  it matches one of these regular expressions
    {"tool": {"name": "book_table", "arguments": {"day": "Friday"}}}  the tool was called, with at least these arguments
    {"no_tool": {"name": "cancel"}}  the tool was not called
    {"judge": "The agent apologises."}  a judge finds that this is so
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias, get_args

from auricle.core.errors import SpecError

ExpectationKind: TypeAlias = Literal["contains", "not_contains", "matches", "tool", "no_tool", "judge"]
KINDS: tuple[ExpectationKind, ...] = get_args(ExpectationKind)
_JSON_NAMES = {"true": True, "false": False, "null": None}


@dataclass(frozen=True, slots=True)
class Expectation:
    """One expectation about a call.

    >>> Expectation.parse("tool", 'book_table(day="Friday")')
    Expectation(kind='tool', texts=(), tool='book_table', arguments={'day': 'Friday'})
    """

    kind: ExpectationKind
    texts: tuple[str, ...] = ()
    """Alternatives, regular expressions, or the statement for a judge."""
    tool: str = ""
    arguments: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def parse(cls, kind: str, value: Any) -> Expectation:
        """Read an expectation as people write it.

        Raises:
            SpecError: if it is none, without the place where it is written.
        """
        match kind:
            case "tool" | "no_tool":
                return cls(kind, (), *_parse_tool(value))
            case "contains" | "not_contains" | "matches" | "judge":
                texts = tuple(value) if isinstance(value, (list, tuple)) else (value,)
                if not texts or not all(isinstance(text, str | int | float) and str(text).strip() for text in texts):
                    raise SpecError(f"Invalid {kind} {value!r}: expected a text, or a list of alternatives.")
                expectation = cls(kind, tuple(str(text).strip() for text in texts))
                for text in expectation.texts if expectation.kind == "matches" else ():
                    try:
                        re.compile(text)
                    except re.error as error:
                        raise SpecError(f"Invalid regular expression {text!r}: {error}.") from error
                return expectation
        raise SpecError(f"Unknown expectation {kind!r}. Expected one of: {', '.join(KINDS)}.")

    def to_json(self) -> dict[str, Any]:
        """Return the expectation as it is stored in the target of a sample."""
        if self.tool:
            return {self.kind: {"name": self.tool, **({"arguments": dict(self.arguments)} if self.arguments else {})}}
        return {self.kind: list(self.texts)}

    def __str__(self) -> str:
        if self.tool:
            arguments = ", ".join(f"{name}={value!r}" for name, value in self.arguments.items())
            return f"{self.kind} {self.tool}({arguments})"
        return f"{self.kind} {' | '.join(self.texts)}"


def parse_expectations(target: Any) -> tuple[Expectation, ...]:
    """Return the expectations in the target of a sample; empty if it has none.

    Raises:
        SpecError: if the target is not a list of expectations.
    """
    if target is None:
        return ()
    if not isinstance(target, Sequence) or isinstance(target, str):
        raise SpecError(f"Invalid expectations {target!r}: expected a list.")
    return tuple(Expectation.parse(kind, value) for item in target for kind, value in item.items())


def _parse_tool(value: Any) -> tuple[str, dict[str, Any]]:
    """Return the name and arguments of a tool call, written as `name(argument=value)` or as a mapping."""
    if isinstance(value, Mapping) and isinstance(value.get("name"), str):
        return value["name"], dict(value.get("arguments") or {})
    expected = 'expected a call such as book_table(day="Friday"), or only the name of the tool'
    if not isinstance(value, str):
        raise SpecError(f"Invalid tool call {value!r}: {expected}.")
    try:
        call = ast.parse(value.strip(), mode="eval").body
        if isinstance(call, ast.Name):
            return call.id, {}
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and not call.args:
            return call.func.id, {str(argument.arg): _read_literal(argument.value) for argument in call.keywords}
    except (SyntaxError, ValueError):
        pass
    raise SpecError(f"Invalid tool call {value!r}: {expected}.")


def _read_literal(node: ast.expr) -> Any:
    if isinstance(node, ast.Name) and node.id in _JSON_NAMES:
        return _JSON_NAMES[node.id]
    return ast.literal_eval(node)
