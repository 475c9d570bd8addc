"""Tests of how arguments of models and tasks are described."""

from dataclasses import dataclass
from typing import Annotated, Any, Literal

import pytest

from auricle.core.arguments import (
    Argument,
    Hint,
    describe_arguments,
    find_problem,
    list_options,
    read_args_section,
    takes_options,
)
from auricle.engine.catalogue import TASKS
from auricle.models.catalogue import MODELS


@dataclass(frozen=True)
class Common:
    """Options that several classes share."""

    weights: Annotated[str, Hint("weights", is_required=True, default_attribute="default_weights")] = ""
    """A folder,
    or a name."""
    secret: Annotated[str, Hint("secret")] = ""
    batch: int | None = None
    handler: Annotated[Any, Hint(is_internal=True)] = None


@takes_options(Common)
class Base:
    default_weights = ""

    def __init__(self, *, threads: int = 2, **options: Any) -> None:
        """Load it.

        Args:
            threads: Number of threads,
                at least one.
            **options: Others.
        """


class Derived(Base):
    default_weights = "large"

    def __init__(self, mode: Literal["fast", "exact"] = "fast", *, loud: bool = False, **options: Any) -> None: ...


class Closed(Base):
    def __init__(self, name: str) -> None: ...


def by_name(factory: Any) -> dict[str, Argument]:
    return {argument.name: argument for argument in describe_arguments(factory)}


def test_options_are_those_of_all_constructors_and_of_the_option_class() -> None:
    assert list_options(Derived) == ["mode", "loud", "threads", "weights", "secret", "batch", "handler"]
    assert list_options(by_name) == []


def test_types_decide_the_kind_of_an_argument() -> None:
    arguments = by_name(Derived)
    kinds = {name: argument.kind for name, argument in arguments.items()}
    assert kinds == {"mode": "choice", "loud": "switch", "threads": "integer", "weights": "weights",
                     "secret": "secret", "batch": "integer"}  # fmt: skip
    assert arguments["mode"].choices == ("fast", "exact")


def test_help_comes_from_docstrings_of_functions_and_fields() -> None:
    arguments = by_name(Base)
    assert arguments["threads"].help == "Number of threads, at least one."
    assert arguments["weights"].help == "A folder, or a name."


def test_option_is_required_unless_the_class_has_a_default() -> None:
    assert by_name(Base)["weights"].is_required
    assert not by_name(Derived)["weights"].is_required
    assert by_name(Derived)["weights"].default == "large"


def test_class_without_keywords_has_only_its_own_arguments() -> None:
    assert list(by_name(Closed)) == ["name"]
    assert by_name(Closed)["name"].is_required


def test_only_own_and_marked_options_are_common() -> None:
    arguments = by_name(Base)
    assert arguments["threads"].is_common
    assert not arguments["batch"].is_common


def test_docstring_without_arguments_has_no_entries() -> None:
    assert read_args_section(None) == read_args_section("Load it.") == {}


@pytest.mark.parametrize("values", [{"mode": "exact"}, {"other": "x"}, {"mode": None}, {"loud": True}])
def test_values_among_the_choices_have_no_problem(values: dict[str, Any]) -> None:
    assert not find_problem(describe_arguments(Derived), values)


def test_value_that_is_not_a_choice_is_named() -> None:
    problem = find_problem(describe_arguments(Derived), {"mode": "slow"})
    assert problem == "mode must be fast or exact, not 'slow'"


@pytest.mark.parametrize("name", [*MODELS.builtin, *TASKS.builtin])
def test_every_built_in_model_and_task_describes_its_arguments(name: str) -> None:
    factory = MODELS.get(name) if name in MODELS.builtin else TASKS.get(name)
    for argument in describe_arguments(factory):
        assert argument.kind != "choice" or argument.choices
        assert argument.default in (None, "", (), {}) or argument.kind != "secret"


def test_local_models_ask_for_weights_and_servers_for_an_address() -> None:
    assert by_name(MODELS.get("whisper"))["model"].is_required
    assert by_name(MODELS.get("whisper"))["task"].choices == ("transcribe", "translate")
    assert not by_name(MODELS.get("audeering"))["model"].is_required
    openai = by_name(MODELS.get("openai"))
    assert [openai[name].kind for name in ("api_key_env", "api_key")] == ["variable", "secret"]
    assert not openai["base_url"].is_required
    assert by_name(MODELS.get("azure"))["base_url"].is_required
    assert by_name(MODELS.get("gemini"))["api_key_env"].default == "GEMINI_API_KEY"
