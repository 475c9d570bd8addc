"""Find a model class by its registered name, or by a file that has only one; sources are read, not executed.

-m lmms:my_audio_model     a name in `@register_model`, in the working folder or in a checkout of lmms-eval
-m lmms:audio.py           the model class of a file
"""

from __future__ import annotations

import ast
import difflib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from auricle.core.errors import SpecError, UnknownName, describe
from auricle.frameworks.lmms.stubs import PACKAGE, find_checkout, is_installed, stubs_importable

ENTRY_POINT_GROUP = f"{PACKAGE}.models"
MODEL_METHODS = {"generate_until", "generate_until_multi_round"}
BUILTIN_TABLES = {"chat": "AVAILABLE_CHAT_TEMPLATE_MODELS", "simple": "AVAILABLE_SIMPLE_MODELS"}
"""Tables of lmms-eval's own models by folder; a name that is in both means the chat model."""


@dataclass(frozen=True)
class ModelClass:
    """A model class in a source file."""

    path: str
    """`file.py:Class` or `package.module:Class`."""
    registered_names: tuple[str, ...] = ()
    is_chat: bool = False


def resolve_class_path(name: str) -> str:
    """Return `file.py:Class` or `package.module:Class` for what follows `lmms:`.

    Raises:
        UnknownName: if there is no such model.
        SpecError: if there are several.
    """
    if ":" in name:
        return _find_in_checkout(name)
    if name.endswith(".py"):
        return _find_only_class(Path(name).expanduser())
    for source in (_working_folder_classes(), _entry_point_classes(), _checkout_classes()):
        if matches := [model for model in source if name in model.registered_names]:
            return _choose(name, matches)
    raise _unknown_name(name)


def _find_in_checkout(class_path: str) -> str:
    """Return the file of a module of lmms-eval in a checkout that is not installed; other class paths are unchanged."""
    module, _, class_name = class_path.rpartition(":")
    checkout = find_checkout(Path.cwd() / PACKAGE / "models.py") if module.startswith(f"{PACKAGE}.") else ""
    file = Path(checkout, *module.split(".")[1:]).with_suffix(".py")
    return f"{file}:{class_name}" if checkout and file.is_file() and not is_installed() else class_path


def _find_only_class(file: Path) -> str:
    if not file.is_file():
        raise UnknownName(f"There is no file {file}.")
    try:
        classes = read_model_classes(file)
    except (SyntaxError, ValueError) as error:
        raise SpecError(f"{file} cannot be parsed: {describe(error)}.") from error
    classes = [model for model in classes if model.registered_names] or classes
    if len(classes) == 1:
        return classes[0].path
    names = ", ".join(f"lmms:{model.path}" for model in classes)
    if classes:
        raise SpecError(f"{file} has {len(classes)} model classes. Choose one: {names}.")
    raise UnknownName(f"{file} has no model class. Expected a subclass of {PACKAGE}.api.model.lmms.")


def _choose(name: str, matches: list[ModelClass]) -> str:
    """Prefer a chat model to a simple model of the same name, as lmms-eval does."""
    paths = {model.path for model in matches if model.is_chat} or {model.path for model in matches}
    if len(paths) == 1:
        return paths.pop()
    choices = ", ".join(f"lmms:{path}" for path in sorted(paths))
    raise SpecError(f"{len(paths)} classes are registered as {name!r}. Choose one: {choices}.")


def _unknown_name(name: str) -> UnknownName:
    sources = (*_working_folder_classes(), *_entry_point_classes(), *_checkout_classes())
    names = sorted({registered for model in sources for registered in model.registered_names})
    matches = difflib.get_close_matches(name, names, n=3)
    hint = f"Did you mean {', '.join(matches)}?" if matches else f"Registered names: {', '.join(names[:20]) or 'none'}."
    return UnknownName(
        f"Unknown model 'lmms:{name}'. {hint} Names come from @register_model in the Python files of this folder and "
        f"of a checkout of lmms-eval, and from packages with the entry point {ENTRY_POINT_GROUP}. "
        "Or use lmms:file.py:Class or lmms:package.module:Class."
    )


# --- sources --------------------------------------------------------------------------------------


def _working_folder_classes() -> Iterator[ModelClass]:
    return _registered_classes(sorted(Path.cwd().glob("*.py")))


def _registered_classes(files: Iterable[Path]) -> Iterator[ModelClass]:
    for file in files:
        with suppress(OSError, SyntaxError, ValueError):  # files that are not of interest may be anything
            yield from (model for model in read_model_classes(file) if model.registered_names)


def read_model_classes(file: Path) -> list[ModelClass]:
    """Return the model classes of a file.

    Raises:
        SyntaxError: if the file is not Python code.
        ValueError: if it is not text.
    """
    source = file.read_text(encoding="utf-8")
    if "register_model" not in source and not any(method in source for method in MODEL_METHODS):
        return []
    classes = [node for node in ast.parse(source).body if isinstance(node, ast.ClassDef)]
    return [model for node in classes if (model := _read_class(node, file))]


def _read_class(node: ast.ClassDef, file: Path) -> ModelClass | None:
    decorators = [item for item in node.decorator_list if isinstance(item, ast.Call)]
    names = tuple(
        argument.value
        for decorator in decorators
        if _last_name(decorator.func) == "register_model"
        for argument in decorator.args
        if isinstance(argument, ast.Constant) and isinstance(argument.value, str)
    )
    methods = {item.name for item in node.body if isinstance(item, ast.FunctionDef)}
    if not (names or methods & MODEL_METHODS or "lmms" in map(_last_name, node.bases)):
        return None
    return ModelClass(f"{file}:{node.name}", names, is_chat=_constants(node.body).get("is_simple") is False)


def _last_name(node: ast.expr) -> str:
    """Return the name of a function or class without its module."""
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def _constants(body: Iterable[ast.stmt]) -> dict[str, Any]:
    """Return the values of assignments that are literals."""
    constants = {}
    for statement in body:
        target = statement.targets[0] if isinstance(statement, ast.Assign) else getattr(statement, "target", None)
        value = getattr(statement, "value", None)
        if isinstance(target, ast.Name) and isinstance(value, ast.expr):
            with suppress(ValueError):
                constants[target.id] = ast.literal_eval(value)
    return constants


def _checkout_classes() -> Iterator[ModelClass]:
    """Yield the models of lmms-eval: of the checkout around the working folder, else of the installed package."""
    if checkout := find_checkout(Path.cwd() / PACKAGE / "models.py"):
        folder = Path(checkout, "models")
        for model_type, name, class_name, names in _builtin_models(folder):
            file = folder / model_type / f"{name}.py"
            if file.is_file():
                yield ModelClass(f"{file}:{class_name}", names, is_chat=model_type == "chat")
        yield from _registered_classes(sorted(folder.rglob("*.py")))
        return
    installed = find_spec(PACKAGE)
    for location in (installed and installed.submodule_search_locations) or ():
        for model_type, name, class_name, names in _builtin_models(Path(location, "models")):
            yield ModelClass(f"{PACKAGE}.models.{model_type}.{name}:{class_name}", names, is_chat=model_type == "chat")


def _builtin_models(folder: Path) -> Iterator[tuple[str, str, str, tuple[str, ...]]]:
    """Yield type, module, class and names of the models that lmms-eval lists."""
    init_file = folder / "__init__.py"
    constants = _constants(ast.parse(init_file.read_text(encoding="utf-8")).body) if init_file.is_file() else {}
    aliases = constants.get("MODEL_ALIASES", {})
    for model_type, table in BUILTIN_TABLES.items():
        for name, class_name in constants.get(table, {}).items():
            yield model_type, name, class_name, (name, *aliases.get(name, ()))


def _entry_point_classes() -> Iterator[ModelClass]:
    """Yield the models of packages that register manifests with lmms-eval."""
    for point in entry_points(group=ENTRY_POINT_GROUP):
        for manifest in _load_manifests(point):
            for attribute, is_chat in (("chat_class_path", True), ("simple_class_path", False)):
                if class_path := getattr(manifest, attribute):
                    names = (manifest.model_id, *manifest.aliases)
                    yield ModelClass(":".join(class_path.rsplit(".", 1)), names, is_chat)


def _load_manifests(point: EntryPoint) -> list[Any]:
    """Load an entry point: a manifest, several, or a function that returns them."""
    try:
        with stubs_importable():
            content = point.load()
            content = content() if callable(content) else content
    except Exception as error:
        raise SpecError(f"The entry point {point.name} = {point.value} cannot be loaded: {describe(error)}.") from error
    is_single = hasattr(content, "model_id")
    if not is_single and (not isinstance(content, Iterable) or isinstance(content, (str, Mapping))):
        raise SpecError(f"The entry point {point.name} = {point.value} should be a ModelManifest, or several.")
    return [content] if is_single else list(content)
