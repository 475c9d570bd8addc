"""Tests of how Python files are described without executing them."""

from pathlib import Path

import pytest

from auricle.core.errors import SpecError
from auricle.core.source_files import describe_class_path, describe_definition, list_definitions

SOURCE = '''
raise SystemExit("this file must not be executed")

class Model:
    """A model.

    Args:
        path: Where it is.
    """

    def __init__(self, path, size: int = 3, *, loud: bool = False, mode: "Literal['a', 'b']" = "a", rate=0.5): ...

class Plain: ...

ready = Plain()
LIMIT = 3

async def answer(audio, temperature: float | None = None): ...

def _private(): ...
'''


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "mine.py"
    path.write_text(SOURCE.replace("\"Literal['a', 'b']\"", "Literal['a', 'b']"))
    return path


def test_public_classes_functions_and_objects_are_listed(file: Path) -> None:
    assert list_definitions(file) == ["Model", "Plain", "ready", "answer"]


def test_arguments_of_a_constructor_are_described(file: Path) -> None:
    arguments = {argument.name: argument for argument in describe_definition(file, "Model")}
    kinds = {name: argument.kind for name, argument in arguments.items()}
    assert kinds == {"path": "json", "size": "integer", "loud": "switch", "mode": "choice", "rate": "number"}
    assert arguments["mode"].choices == ("a", "b")
    assert arguments["path"].is_required
    assert arguments["path"].help == "Where it is."
    assert arguments["size"].default == 3


def test_functions_and_classes_without_a_constructor_are_described(file: Path) -> None:
    assert [argument.kind for argument in describe_definition(file, "answer")] == ["json", "number"]
    assert describe_definition(file, "Plain") == []


@pytest.mark.parametrize("content", ["def", "\0", "("])
def test_file_that_is_not_python_is_rejected(tmp_path: Path, content: str) -> None:
    (tmp_path / "bad.py").write_text(content)
    with pytest.raises(SpecError, match="cannot be read as Python"):
        list_definitions(tmp_path / "bad.py")


def test_name_that_is_imported_or_assigned_has_no_known_arguments(file: Path) -> None:
    assert describe_definition(file, "ready") == describe_definition(file, "Other") == []
    assert describe_class_path(f"{file}:Model")[0].name == "path"
    assert describe_class_path("package.module:Model") == []


def test_missing_file_is_rejected(file: Path) -> None:
    with pytest.raises(SpecError, match="cannot be read"):
        list_definitions(file.parent / "missing.py")
