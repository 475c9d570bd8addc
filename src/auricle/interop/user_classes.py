"""Load classes written for other frameworks, and report the errors that their code raises."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from auricle.core.errors import AuricleError, SampleError, SpecError, UnknownName, describe
from auricle.models.base import BatchModel

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Options = TypeVar("Options", bound="DataclassInstance")


class UserModel(BatchModel):
    """Base of adapters for model classes of other frameworks; `create_adapter_class` makes one per user's class."""

    class_path = ""
    _name = ""
    """Name shown in messages."""
    _model: Any = None
    """Object of the user's class."""

    def close(self) -> None:
        self._model = None


Adapter = TypeVar("Adapter", bound=UserModel)


def split_class_path(prefix: str, class_path: str) -> tuple[str, str]:
    """Split `module:Class` or `file.py:Class` into module or file, and class name.

    Raises:
        UnknownName: if either part is missing.
    """
    module, _, class_name = class_path.rpartition(":")
    if not module or not class_name:
        raise UnknownName(
            f"Not a class: '{prefix}:{class_path}'. Expected {prefix}:package.module:Class or {prefix}:file.py:Class."
        )
    return module, class_name


def display_name(prefix: str, class_path: str) -> str:
    """Return the name shown in messages: the class path without the folders of its file."""
    return f"{prefix}:{Path(class_path).name if '.py:' in class_path else class_path}"


def create_adapter_class(prefix: str, class_path: str, base: type[Adapter], description: str) -> type[Adapter]:
    """Return a subclass of `base` for the user's class, without running any of the user's code.

    Args:
        prefix: Prefix of the framework, such as `kimi`.
        class_path: Location of the user's class; stored as `class_path` of the subclass.
        base: The framework's adapter; it imports the user's class when it is instantiated.
        description: Docstring of the subclass, appended to the class name.
    """
    module, class_name = split_class_path(prefix, class_path)
    if module.endswith(".py") and not Path(module).is_file():
        raise UnknownName(f"There is no file {module}.")
    attributes = {"class_path": class_path, "_name": display_name(prefix, class_path)}
    return type(class_name, (base,), {**attributes, "__doc__": f"{class_name}, {description}."})


def split_options(option_class: type[Options], arguments: Mapping[str, Any]) -> tuple[Options, dict[str, Any]]:
    """Split `-M` arguments into the adapter's options and the arguments of the user's class."""
    rest = dict(arguments)
    options = {option.name: rest.pop(option.name) for option in fields(option_class) if option.name in rest}
    return option_class(**options), rest


def instantiate(name: str, user_class: Callable[..., Any], arguments: Mapping[str, Any]) -> Any:
    """Create an object of a user's class; wrong arguments and exceptions become `SpecError`."""
    check_arguments(name, user_class, arguments)
    with wrap_errors(name):
        return user_class(**arguments)


def check_arguments(
    name: str, user_class: Callable[..., Any], arguments: Mapping[str, Any], other_names: Sequence[str] = ()
) -> None:
    """Check that a class can be instantiated with these arguments.

    Args:
        name: Name of the class in messages.
        user_class: The class.
        arguments: Keyword arguments of its constructor.
        other_names: Further option names that the error message should list.

    Raises:
        SpecError: if an argument is unknown or missing.
    """
    signature = inspect.signature(user_class)
    try:
        signature.bind(**arguments)
    except TypeError as error:
        accepted = ", ".join((*other_names, *signature.parameters)) or "none"
        raise SpecError(f"{name}: {error}. Accepted arguments: {accepted}.") from error


def find_owner(cls: type[Any], name: str) -> type[Any] | None:
    """Return the class in the inheritance chain that defines an attribute, or None."""
    return next((base for base in cls.__mro__ if name in vars(base)), None)


def describe_type(value: Any) -> str:
    """Return the type of a value for messages, with the size of a list or tuple."""
    size = f" of {len(value)}" if isinstance(value, (list, tuple)) else ""
    return "None" if value is None else f"{type(value).__name__}{size}"


@contextmanager
def wrap_errors(
    source: str, error_class: type[AuricleError] = SpecError, hint: Callable[[BaseException], str] = lambda _: ""
) -> Iterator[None]:
    """Convert exceptions of user code into errors of Auricle that name the code.

    Args:
        source: What is called, such as `load of ser:my_model.py:MyModel`.
        error_class: Type of the new error. Errors of Auricle are re-raised unchanged.
        hint: Returns text to append to the message for an exception.
    """
    try:
        yield
    except AuricleError:
        raise
    except (Exception, SystemExit) as error:
        raise error_class(f"{source} raised {type(error).__name__}: {describe(error)}{hint(error)}") from error


@contextmanager
def annotate_errors(name: str) -> Iterator[None]:
    """Add a note that names the user's class to exceptions; only `SystemExit` changes its type."""
    try:
        yield
    except AuricleError:
        raise
    except SystemExit as error:  # must fail the sample, not end the run
        raise SampleError(f"{name} raised SystemExit {error}".rstrip()) from error
    except Exception as error:
        note = f"raised by {name}"
        if note not in getattr(error, "__notes__", ()):
            error.add_note(note)
        raise
