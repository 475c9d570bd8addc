"""Options that several commands share, the values they stand for, and help that lists options in groups."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from auricle.core.errors import SpecError

if TYPE_CHECKING:
    from auricle.runs.usage import Price

TASK_KINDS = ("asr", "mcq", "qa", "open", "classify", "translate", "chat", "perplexity", "reward", "preference")
UNGROUPED = "Other"

Decorator = Callable[[Any], Any]


class GroupedCommand(click.Command):
    """A command whose help lists options under the titles given to `option_group`."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        groups: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if isinstance(parameter, click.Option) and record:
                groups.setdefault(getattr(parameter, "help_group", UNGROUPED), []).append(record)
        for title, records in groups.items():
            with formatter.section(title):
                formatter.write_dl(records)


def option_group(title: str, *options: Decorator) -> Decorator:
    """Declare several options and list them under one title in the help of a `GroupedCommand`."""

    def decorate(function: Any) -> Any:
        for option in reversed(options):
            function = option(function)
            function.__click_params__[-1].help_group = title
        return function

    return decorate


def parse_batch_size(value: str) -> int | str:
    """Parse a whole number from 1, or `auto`."""
    if value == "auto":
        return value
    if not value.isdigit() or not int(value):
        raise click.BadParameter(f"{value!r} is not a batch size. Use a whole number from 1, or 'auto'.")
    return int(value)


def parse_json_object(json_or_path: str | None) -> dict[str, Any] | None:
    """Parse a JSON object, or the JSON file at a path."""
    if json_or_path is None:
        return None
    try:
        is_json = json_or_path.lstrip().startswith("{")
        value = json.loads(json_or_path if is_json else Path(json_or_path).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise SpecError(f"{json_or_path!r} is neither a JSON object nor a file that contains one: {error}.") from error
    if not isinstance(value, dict):
        raise SpecError(f"{json_or_path}: expected a JSON object, not a {type(value).__name__}.")
    return value


def add_reward_model_args(options: Mapping[str, Any]) -> dict[str, Any]:
    """Replace the values of `reward_model_options` by the -M arguments they stand for."""
    others = dict(options)
    crop, init, score = (others.pop(name) for name in ("crop", "model_init_json", "score_json"))
    objects = {"init": parse_json_object(init), "score": parse_json_object(score)}
    arguments = [f"{name}={json.dumps(value)}" for name, value in objects.items() if value is not None]
    if crop:
        arguments.append(f"crop={crop:g}")
    return {**others, "model_args": (*others["model_args"], *arguments)}


def resolve_judge(configured_judge: Any, judge: str | None, judge_args: Sequence[str]) -> dict[str, Any] | None:
    """Combine the judge of a config file with --judge and -J.

    A judge named on the command line replaces the configured one and its arguments.
    """
    from auricle.engine.spec import parse_arguments

    arguments = parse_arguments(judge_args)
    if judge is not None:
        return {"model": judge, "args": arguments}
    if isinstance(configured_judge, dict):
        return {**configured_judge, "args": {**configured_judge.get("args", {}), **arguments}}
    if configured_judge is None and arguments:
        raise SpecError("-J sets an argument of the judge, but no judge is given. Add --judge MODEL.")
    return {"model": configured_judge, "args": arguments} if configured_judge else None


def require_model(model: str | None) -> str:
    if not model:
        raise SpecError("No model given. Add -m MODEL; see `auricle list models`.")
    return model


def load_price(prices_path: Path, model: str, model_args: Mapping[str, Any]) -> Price:
    """Return the price of a model from a price file."""
    from auricle.core.yaml_files import read_yaml
    from auricle.runs.response_cache import served_model_name
    from auricle.runs.usage import Prices

    return Prices.parse(read_yaml(prices_path), str(prices_path)).find(served_model_name(model, model_args))


any_path = click.Path(path_type=Path)
existing_directory = click.Path(path_type=Path, exists=True, file_okay=False)

MODEL_HELP = "Model: a name from `auricle list models`, module:Class, or path/file.py:Class."
model_args_option = click.option(
    "-M",
    "model_args",
    multiple=True,
    metavar="KEY=VALUE",
    help="Model argument; repeat for several. A value that is valid JSON is parsed, any other is text.",
)
task_args_option = click.option(
    "-T",
    "task_args",
    multiple=True,
    metavar="KEY=VALUE",
    help="Task argument; repeat for several. A value that is valid JSON is parsed, any other is text.",
)
judge_option = click.option("--judge", metavar="MODEL", help="Judge model, for metrics that need one. [default: none]")
judge_args_option = click.option(
    "-J",
    "judge_args",
    multiple=True,
    metavar="KEY=VALUE",
    help="Argument of the judge model; repeat for several. Requires a judge.",
)
kind_option = click.option(
    "--as",
    "kind",
    type=click.Choice(TASK_KINDS),
    help="Kind of task. Required if TASK is a data file or hf:DATASET, not allowed otherwise.",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
fresh_option = click.option(
    "--fresh", is_flag=True, help="Start over. Existing results in the output folder are moved aside, not deleted."
)
prices_option = click.option(
    "--prices", type=any_path, metavar="FILE", help="YAML file with prices per model, to compute costs. [default: none]"
)
reward_model_options = (
    click.option(
        "--crop",
        type=click.FloatRange(0, min_open=True),
        metavar="SECONDS",
        help="Truncate each audio input to this many seconds. Same as -M crop=SECONDS. [default: no truncation]",
    ),
    click.option(
        "--model-init-json",
        metavar="FILE|JSON",
        help="Additional constructor arguments of a `cmi:` model. Same as -M init=JSON. [default: none]",
    ),
    click.option(
        "--score-json",
        metavar="FILE|JSON",
        help="Keyword arguments for each `score_batch` call of a `cmi:` model. Same as -M score=JSON. [default: none]",
    ),
)
