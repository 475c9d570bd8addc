"""Describe the arguments of models and tasks: names, types, choices, defaults and help.

Everything comes from where an argument is defined: its annotation, its default and its docstring. A function or class
whose `**keywords` are the fields of a dataclass names it with `takes_options`. What a type cannot express, such as
that a text is the path of a folder, is annotated: `Annotated[str, Hint("folder")]`.
"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields, replace
from functools import cache
from itertools import pairwise
from textwrap import dedent
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, TypeAlias, TypeVar, Union, get_args, get_origin, get_type_hints

T = TypeVar("T")
ArgumentKind: TypeAlias = Literal[
    "text",
    "integer",
    "number",
    "switch",
    "choice",
    "several",
    "folder",
    "file",
    "weights",
    "variable",
    "secret",
    "json",
]
"""How a value is entered. `several` is a list of choices, separated by commas; `weights` a folder, or a name on a hub;
`variable` the name of an environment variable; `secret` what must not be stored; `json` any value, decoded if it is
JSON."""
OPTION_CLASSES = "option_classes"
ARGS_ENTRY = re.compile(r"\s{4}\*{0,2}(\w+): (.*)")


@dataclass(frozen=True, slots=True)
class Hint:
    """What the type of an argument does not express; used as `Annotated[str, Hint("folder")]`."""

    kind: ArgumentKind | None = None
    choices: tuple[str, ...] = ()
    """Usual values; others are accepted, too. Use `Literal` for arguments with no other values."""
    is_common: bool = False
    """Whether a form should show the argument among the first ones; arguments of a constructor always are."""
    is_required: bool = False
    """Whether an empty value, though it is the default, is rejected."""
    default_attribute: str = ""
    """Attribute of the model class with the default."""
    is_internal: bool = False
    """Whether only code can set the argument."""


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument of a model or a task."""

    name: str
    kind: ArgumentKind = "text"
    default: Any = None
    choices: tuple[str, ...] = ()
    accepts_others: bool = False
    """Whether other values than the choices are accepted."""
    help: str = ""
    is_required: bool = False
    is_common: bool = True


def find_problem(arguments: Sequence[Argument], values: Mapping[str, Any]) -> str:
    """Return what is wrong with the first value that is not one of its choices, or an empty string."""
    choices = {a.name: a.choices for a in arguments if a.kind == "choice" and not a.accepts_others}
    for name, value in values.items():
        if value is not None and choices.get(name) and str(value) not in choices[name]:
            return f"{name} must be {join_choices(choices[name])}, not {value!r}"
    return ""


def join_choices(choices: Sequence[str]) -> str:
    """Join choices for a sentence.

    >>> join_choices(["speech", "song", "both"])
    'speech, song or both'
    """
    *others, last = choices
    return f"{', '.join(others)} or {last}" if others else last


def list_missing(arguments: Sequence[Argument], values: Mapping[str, Any]) -> list[str]:
    """List the names of required arguments that have no value."""
    return [argument.name for argument in arguments if argument.is_required and values.get(argument.name) in (None, "")]


def takes_options(*option_classes: type) -> Callable[[T], T]:
    """Declare that the `**keywords` of the decorated function or class are the fields of these dataclasses."""

    def declare(target: T) -> T:
        setattr(target, OPTION_CLASSES, option_classes)
        return target

    return declare


def list_options(factory: Any) -> list[str]:
    """List all arguments that a function or class with `takes_options` accepts; empty if it does not state them."""
    option_classes = getattr(factory, OPTION_CLASSES, ())
    if not option_classes:
        return []
    named = [name for function in _list_functions(factory) for name in _list_named(function)]
    return list(dict.fromkeys([*named, *(field.name for each in option_classes for field in fields(each))]))


def _list_named(function: Callable[..., Any]) -> list[str]:
    parameters = inspect.signature(function).parameters.values()
    variable = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return [each.name for each in parameters if each.kind not in variable and each.name != "self"]


def describe_arguments(factory: Any) -> list[Argument]:
    """Describe the arguments of a model class, or of a function or object that builds a task.

    An object may describe its arguments itself, with a method `describe_arguments`.

    >>> def transcribe(audio, beam: int = 5, *, task: Literal["transcribe", "translate"] = "transcribe"): ...
    >>> [(argument.name, argument.kind) for argument in describe_arguments(transcribe)[1:]]
    [('beam', 'integer'), ('task', 'choice')]
    """
    own_description = getattr(factory, "describe_arguments", None)
    if own_description is not None:
        return list(own_description())
    arguments: dict[str, Argument] = {}
    takes_keywords = True
    for function in _list_functions(factory):
        if not takes_keywords:
            break
        takes_keywords = False
        for argument in _describe_parameters(function, getattr(factory, "__doc__", None)):
            if argument is None:
                takes_keywords = True
            else:
                arguments.setdefault(argument.name, argument)
    shared = [
        argument
        for option_class in (getattr(factory, OPTION_CLASSES, ()) if takes_keywords else ())
        for argument in describe_options(option_class, factory)
        if argument.name not in arguments
    ]
    common = [argument for argument in shared if argument.is_common]
    return [*common, *arguments.values(), *(argument for argument in shared if not argument.is_common)]


def describe_options(option_class: Any, owner: Any = None) -> list[Argument]:
    """Describe the fields of a dataclass; defaults may be attributes of their owner, a model class."""
    hints, texts = get_type_hints(option_class, include_extras=True), _read_field_texts(option_class)
    arguments = []
    for field in fields(option_class):
        default = field.default
        if default is MISSING:
            default = field.default_factory() if field.default_factory is not MISSING else None
        is_required = field.default is MISSING and field.default_factory is MISSING
        argument, hint = _describe(field.name, hints[field.name], default, texts.get(field.name, ""))
        default = getattr(owner, hint.default_attribute, default) if hint.default_attribute else default
        is_required |= hint.is_required and not default
        if not hint.is_internal:
            is_common = is_required or hint.is_common
            arguments.append(replace(argument, default=default, is_required=is_required, is_common=is_common))
    return arguments


def _list_functions(factory: Any) -> Iterator[Callable[..., Any]]:
    """Yield what is called: a function, or the constructors of a class and of its bases."""
    if not inspect.isclass(factory):
        yield factory
        return
    for base in factory.__mro__:
        if "__init__" in vars(base) and base is not object:
            yield vars(base)["__init__"]


def _describe_parameters(function: Callable[..., Any], class_text: str | None) -> Iterator[Argument | None]:
    """Yield the arguments of a function, and None if it takes any keywords."""
    try:
        hints = get_type_hints(function, include_extras=True)
    except (NameError, TypeError, AttributeError):  # a name that is imported for type checkers only
        hints = {}
    texts = read_args_section(class_text) | read_args_section(function.__doc__)
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind is parameter.VAR_KEYWORD:
            yield None
        elif parameter.kind is not parameter.VAR_POSITIONAL and parameter.name != "self":
            has_default = parameter.default is not parameter.empty
            default = parameter.default if has_default else None
            annotation = hints.get(parameter.name, type(default) if default is not None else Any)
            argument, hint = _describe(parameter.name, annotation, default, texts.get(parameter.name, ""))
            if not hint.is_internal:
                yield replace(argument, is_required=not has_default or (hint.is_required and not default))


def _describe(name: str, annotation: Any, default: Any, text: str) -> tuple[Argument, Hint]:
    hint = next((item for item in get_args(annotation)[1:] if isinstance(item, Hint)), Hint())
    kind, choices = classify_type(annotation)
    argument = Argument(
        name,
        hint.kind or ("choice" if hint.choices else kind),
        default,
        hint.choices or choices,
        accepts_others=bool(hint.choices),
        help=text,
    )
    return argument, hint


def classify_type(annotation: Any) -> tuple[ArgumentKind, tuple[str, ...]]:
    """Return how values of a type are entered, and their choices."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return classify_type(arguments[0])
    if origin in (Union, UnionType):
        members = [member for member in arguments if member is not NoneType]
        return classify_type(members[0])
    if origin is Literal:
        return "choice", tuple(map(str, arguments))
    if isinstance(annotation, type):
        simple: Mapping[type, ArgumentKind] = {bool: "switch", int: "integer", float: "number"}
        return simple.get(annotation, "json" if issubclass(annotation, Mapping) else "text"), ()
    is_mapping = isinstance(origin, type) and issubclass(origin, Mapping)
    return "json" if is_mapping or annotation is Any else "text", ()


def read_args_section(text: str | None) -> dict[str, str]:
    r"""Return the entries of the section `Args:` of a docstring.

    >>> read_args_section("Load it.\n\nArgs:\n    device: Where it runs,\n        such as cpu.\n")
    {'device': 'Where it runs, such as cpu.'}
    """
    lines = iter(inspect.cleandoc(text or "").splitlines())
    if not any(line == "Args:" for line in lines):
        return {}
    entries: dict[str, str] = {}
    name = ""
    for line in lines:
        if not line.startswith(" "):
            break
        if match := ARGS_ENTRY.fullmatch(line):
            name = match[1]
            entries[name] = match[2]
        elif name:
            entries[name] += f" {line.strip()}"
    return entries


@cache
def _read_field_texts(option_class: type) -> dict[str, str]:
    """Return the docstrings that follow the fields of a class and of its bases; Python does not keep them."""
    texts: dict[str, str] = {}
    for base in reversed(option_class.__mro__[:-1]):
        try:
            statements = _parse_class(base).body
        except (OSError, TypeError):  # defined without a file
            continue
        for statement, following in pairwise(statements):
            if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
                value = following.value if isinstance(following, ast.Expr) else None
                if isinstance(value, ast.Constant) and isinstance(value.value, str):
                    texts[statement.target.id] = " ".join(value.value.split())
    return texts


def _parse_class(cls: type) -> ast.ClassDef:
    (statement,) = ast.parse(dedent(inspect.getsource(cls))).body
    assert isinstance(statement, ast.ClassDef)
    return statement
