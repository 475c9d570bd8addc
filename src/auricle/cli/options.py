"""Options that several commands share, the values they stand for, and help that lists options in groups."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from auricle.core.audio_limit import DEFAULT_MAX_SECONDS
from auricle.core.errors import SpecError
from auricle.core.judge_roles import JudgeRole
from auricle.core.storage import is_remote

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from auricle import Spec
    from auricle.engine.budget import Budget
    from auricle.engine.spec import JudgeSpec
    from auricle.runs.usage import Price, Prices

UNGROUPED = "Other"
TASK_KINDS = "auricle.engine.catalogue:TASK_KINDS"
COMPLETED_NAMES = {
    **dict.fromkeys(
        ("--model", "--judge", "--judge-unread", "--recogniser", "--speaker-model", "--quality-model"),
        "auricle.models.catalogue:MODELS",
    ),
    **dict.fromkeys(("--metric", "--metrics", "--add-metrics"), "auricle.metrics.catalogue:METRICS"),
    "--profile": "auricle.text:PROFILES",
    "--perturb": "auricle.engine.conditions:list_step_classes",
}
"""Options whose values a shell completes, and where their names are."""

Decorator = Callable[[Any], Any]

any_path = click.Path(path_type=Path)


class ExistingFolder(click.Path):
    """A folder that exists, in most cases that of a run; shells complete those of runs.

    The URL of a run in a bucket stands for a copy of its merged files on this machine.
    """

    def __init__(self) -> None:
        super().__init__(path_type=Path, exists=True, file_okay=False)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        return _copy_remote_run(value) if is_remote(value) else super().convert(value, param, ctx)

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem[str]]:
        from auricle.cli.candidates import complete_run

        return complete_run(incomplete)


existing_directory = ExistingFolder()


class RunPath(click.Path):
    """A path that need not exist, or the URL of a run, which stands for a copy of its merged files."""

    def __init__(self) -> None:
        super().__init__(path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        return _copy_remote_run(value) if is_remote(value) else super().convert(value, param, ctx)


def _copy_remote_run(url: Any) -> Path:
    from auricle.report.merging import MERGED_FILES
    from auricle.runs.shards.mirror import mirror_run

    return mirror_run(url, MERGED_FILES)


class RegisteredName(click.Choice[str]):
    """A choice of the names in registries, those of packages included.

    Args:
        registries: Import paths of the registries, which are imported when an option is used, not when it is declared.
    """

    def __init__(self, *registries: str) -> None:
        self.case_sensitive = True
        self._registries = registries

    @property
    def choices(self) -> tuple[str, ...]:  # type: ignore[override]  # read-only here
        from auricle.core.registry import import_object

        return tuple(sorted({name for path in self._registries for name in import_object(path)}))

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        is_completing = ctx is not None and ctx.resilient_parsing
        return value if is_completing else super().convert(value, param, ctx)  # a shell waits, and imports take long

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem[str]]:
        from auricle.cli.candidates import complete_name

        return [item for path in self._registries for item in complete_name(path, incomplete)]


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
    """Declare several options; the help of a `GroupedCommand` lists them under their title."""

    def decorate(function: Any) -> Any:
        for option in reversed(options):
            function = option(function)
            function.__click_params__[-1].help_group = title
        return function

    return decorate


def text(words: str, help_text: str, **settings: Any) -> Decorator:
    """Declare an option that takes a text.

    Args:
        words: The option as its help prints it, such as `-o --out DIR`; after its names, that of the parameter may
            follow, such as `--fault faults KIND=FRACTION`. A word that is not in lower case is the metavar.
        help_text: The help of the option.
        **settings: Other settings of `click.option`.
    """
    names = [word for word in words.split() if word.startswith("-") or word.islower()]
    metavar = words.split()[-1] if len(names) < len(words.split()) else None
    sources = [COMPLETED_NAMES[name] for name in names if name in COMPLETED_NAMES]
    if sources and not {"type", "is_flag"} & settings.keys():
        settings = {"shell_complete": partial(_complete_name, sources[0]), **settings}
    return click.option(*names, help=help_text, **{"metavar": metavar, **settings})


def _complete_name(
    source: str, ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem[str]]:
    """Return names; the arguments of a command that is not finished are in `ctx.args`, not in its parameters."""
    from auricle.cli.candidates import complete_metric, complete_name

    if "--metric" in param.opts:
        return complete_metric(map(Path, ctx.args), incomplete)
    return complete_name(source, incomplete)


def _complete_model_argument(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem[str]]:
    from auricle.cli.candidates import complete_argument

    models = ctx.params.get("model") or ()
    return complete_argument(COMPLETED_NAMES["--model"], [models] if isinstance(models, str) else models, incomplete)


def _complete_task_argument(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem[str]]:
    from auricle.cli.candidates import TASKS, complete_argument

    kind = ctx.params.get("kind")
    if kind:
        return complete_argument(TASK_KINDS, [kind], incomplete)
    return complete_argument(TASKS, ctx.args, incomplete)


def task_argument(name: str, **settings: Any) -> Decorator:
    """Declare an argument that takes a task: a name that shells complete, or a data file."""
    return click.argument(name, shell_complete=_complete_task, **settings)


def run_argument(name: str, **settings: Any) -> Decorator:
    """Declare an argument that takes the path or the URL of a run, or the path of a page, which need not exist."""
    return click.argument(name, type=RunPath(), shell_complete=_complete_run, **settings)


def _complete_run(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem[str]]:
    from auricle.cli.candidates import complete_run

    return complete_run(incomplete)


def _complete_task(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem[str]]:
    from auricle.cli.candidates import complete_task

    return complete_task(incomplete)


def flag(words: str, help_text: str, **settings: Any) -> Decorator:
    return text(words, help_text, is_flag=True, **settings)


def repeated(words: str, help_text: str, **settings: Any) -> Decorator:
    return text(words, help_text, multiple=True, **settings)


def choice(words: str, help_text: str, values: Sequence[str], **settings: Any) -> Decorator:
    return text(words, help_text, type=click.Choice(values), **settings)


def registered_name(words: str, help_text: str, *registries: str, **settings: Any) -> Decorator:
    """Declare an option that takes a name of one of these registries."""
    return text(words, help_text, type=RegisteredName(*registries), **settings)


def count(words: str, help_text: str, minimum: int = 1, **settings: Any) -> Decorator:
    return text(words, help_text, **{"type": click.IntRange(minimum), **settings})


def number(words: str, help_text: str, above: bool = False, **settings: Any) -> Decorator:
    """Declare an option that takes a number from 0, or above 0."""
    return text(words, help_text, **{"type": click.FloatRange(0, min_open=above), **settings})


def path(words: str, help_text: str, **settings: Any) -> Decorator:
    return text(words, help_text, type=any_path, **settings)


class Location(click.Path):
    """A path, or the URL of a bucket with a prefix, which stays a text."""

    def __init__(self) -> None:
        super().__init__(path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        return value if is_remote(value) else super().convert(value, param, ctx)


def parse_count_or_auto(value: str) -> int | str:
    """Parse a whole number from 1, or `auto`."""
    if value == "auto":
        return value
    if not value.isdigit() or not int(value):
        raise click.BadParameter(f"{value!r} is not a whole number from 1, or 'auto'.")
    return int(value)


def parse_json_object(json_or_path: str) -> dict[str, Any]:
    """Parse a JSON object, or the JSON file at a path."""
    try:
        is_json = json_or_path.lstrip().startswith("{")
        value = json.loads(json_or_path if is_json else Path(json_or_path).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise SpecError(f"{json_or_path!r} is neither a JSON object nor a file that contains one: {error}.") from error
    if not isinstance(value, dict):
        raise SpecError(f"{json_or_path}: expected a JSON object, not a {type(value).__name__}.")
    return value


def parse_model_args(options: Mapping[str, Any], model: Any) -> dict[str, Any]:
    """Parse the values of -M, and of the other `model_options`, for one model or several."""
    from auricle.engine.spec import parse_arguments

    texts = {"init": options.get("model_init_json"), "score": options.get("score_json")}
    objects = {name: parse_json_object(text) for name, text in texts.items() if text is not None}
    arguments = [f"{name}={json.dumps(value)}" for name, value in objects.items()]
    if crop := options.get("crop"):
        arguments.append(f"crop={crop:g}")
    return _refuse_keys("-M", model, parse_arguments([*options["model_args"], *arguments]))


def _refuse_keys(option: str, model: Any, arguments: dict[str, Any]) -> dict[str, Any]:
    """Refuse an API key, which others could read in lists of processes, if the model can read it from a variable."""
    from auricle.models.catalogue import MODELS

    names = [model] if isinstance(model, str) else model or ()
    if "api_key" in arguments and any(name in MODELS.builtin for name in names):
        raise SpecError(
            f"{option} api_key=… would leave the key in the shell's history and show it to other users. "
            f"Set the variable that the model reads, such as OPENAI_API_KEY, or name one: {option} api_key_env=NAME."
        )
    return arguments


def resolve_judges(configured: Any, options: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Combine the judges of a config file with --judge, -J and the options of the other roles.

    Models named on the command line replace the configured ones of their role, with their arguments. An argument such
    as `2.model` is that of the second judge alone; the one of --judge-unread is the last. `recogniser.model` is an
    argument of the recogniser.

    Args:
        configured: The field `judge` of a config file.
        options: Values of the options by parameter name; those that a command does not have may be missing.
    """
    from auricle.engine.spec import list_judges, parse_arguments, replace_judges

    entries = list_judges(configured)
    for role in JudgeRole.all():
        if models := options.get(role.field):
            entries = replace_judges(entries, role, models)
    arguments = parse_arguments(options["judge_args"])
    names = [entry.get("model") for entry in entries]
    _refuse_keys("-J", names, {name.rpartition(".")[2]: value for name, value in arguments.items()})
    scoped_roles = [role.name for role in JudgeRole.all() if not role.is_judge]
    scopes: dict[str, dict[str, Any]] = {}
    for name, value in arguments.items():
        scope, dot, key = name.partition(".")
        is_role = bool(dot) and scope in scoped_roles
        scopes.setdefault(scope if is_role else "", {})[key if is_role else name] = value
    roles = [str(entry.get("role", JudgeRole.JUDGE)) for entry in entries]
    own: list[dict[str, Any]] = [{} for _ in entries]
    for scope, values in scopes.items():
        members = [index for index, role in enumerate(roles) if (role if role in scoped_roles else "") == scope]
        for index, assigned in zip(members, _assign_arguments(scope, values, len(members)), strict=True):
            own[index] = assigned
    return [{**entry, "args": {**entry.get("args", {}), **values}} for entry, values in zip(entries, own, strict=True)]


def _assign_arguments(scope: str, arguments: Mapping[str, Any], count: int) -> list[dict[str, Any]]:
    """Return the arguments of each of several judges, or of the models of a role; `2.model` is one of the second."""
    role = JudgeRole.of(scope) if scope else JudgeRole.JUDGE
    if not count:
        raise SpecError(
            f"-J {f'{scope}.KEY' if scope else 'KEY'}=VALUE sets an argument of the {role.noun}, but none is given. "
            f"Add {role.option} MODEL."
        )
    own: list[dict[str, Any]] = [{} for _ in range(count)]
    for name, value in arguments.items():
        number, dot, key = name.partition(".")
        if not (dot and number.isdigit()):
            own = [{name: value, **values} for values in own]
        elif 1 <= int(number) <= count:
            own[int(number) - 1][key] = value
        else:
            full_name = f"{scope}.{name}" if scope else name
            raise SpecError(f"-J {full_name}=… is an argument of {role.noun} {number}, but there are {count}.")
    return own


def build_budget(
    prices_path: Path | None,
    max_cost: float | None,
    judges: Sequence[JudgeSpec],
    model: tuple[str, Mapping[str, Any]] | None = None,
) -> Budget | None:
    """Return what a command may spend on a model, given with its arguments, and on judges; None without prices.

    Raises:
        SpecError: if a limit is given and the price of the model or of a judge is unknown.
    """
    from auricle.engine.budget import Budget
    from auricle.runs.response_cache import served_model_name

    if prices_path is None:
        if max_cost is not None:
            raise SpecError("--max-cost requires a price file. Add --prices FILE.")
        return None
    prices = load_prices(prices_path)
    judge_prices = {}
    for judge in judges:
        name = served_model_name(judge.model, judge.args)
        if max_cost is not None or prices.has(name):  # a judge that is free needs no price, unless there is a limit
            judge_prices[judge.to_judge().name] = prices.find(name)
    return Budget(prices.find(served_model_name(*model)) if model else None, max_cost, judge_prices)


def given_options(context: click.Context) -> list[str]:
    """Return the names of the parameters that were given on the command line."""
    default = click.core.ParameterSource.DEFAULT
    return [name for name in context.params if context.get_parameter_source(name) is not default]


def require_model(model: str | None) -> str:
    if not model:
        raise SpecError("No model given. Add -m MODEL; see `auricle list models`.")
    return model


def load_prices(path: Path) -> Prices:
    """Read a price file."""
    from auricle.core.yaml_files import read_yaml
    from auricle.runs.usage import Prices

    return Prices.parse(read_yaml(path), str(path))


def load_price(prices_path: Path, model: str, model_args: Mapping[str, Any]) -> Price:
    """Return the price of a model from a price file."""
    from auricle.runs.response_cache import served_model_name

    return load_prices(prices_path).find(served_model_name(model, model_args))


def build_spec(task: str, model: str | None, options: Mapping[str, Any]) -> Spec:
    """Return the spec of a task and a model, by default `echo`, with the values of --as, --limit, -T and -M."""
    from auricle import Spec
    from auricle.engine.spec import parse_arguments, resolve_task

    reference = resolve_task(task, options["kind"], parse_arguments(options["task_args"]))
    return Spec(
        task=reference.task,
        task_args=reference.arguments,
        model=model or "echo",
        model_args=parse_model_args(options, model),
        limit=options.get("limit"),
        label=options.get("label") or "",
    ).with_locations(reference.locations)


MODEL_HELP = "Model: a name from `auricle list models`, module:Class, or path/file.py:Class."
ARGUMENT_HELP = "argument; repeat for several. A value that is valid JSON is parsed, any other is text."

model_args_option = repeated(
    "-M model_args KEY=VALUE", f"Model {ARGUMENT_HELP}", shell_complete=_complete_model_argument
)
task_args_option = repeated("-T task_args KEY=VALUE", f"Task {ARGUMENT_HELP}", shell_complete=_complete_task_argument)
judge_options = (
    repeated("--judge MODEL", "Judge model, for metrics that need one; repeat for several judges. [default: none]"),
    text(
        "--judge-unread MODEL",
        "Judge model that reads the replies in which rules find no answer; refusals are not sent to it. "
        "[default: they stay unread]",
    ),
    repeated(
        "-J judge_args KEY=VALUE",
        "Argument of the judge model; repeat for several. Of several judges, it is an argument of each; 2.KEY=VALUE is "
        "one of the second alone. recogniser.KEY=VALUE, speaker.KEY=VALUE and quality.KEY=VALUE are arguments of the "
        "models that score spoken answers.",
    ),
)
spoken_options = (
    repeated(
        "--recogniser MODEL",
        "Model that transcribes spoken answers, for round-trip error rates; repeat for several. [default: none]",
    ),
    repeated(
        "--speaker-model MODEL",
        "Model that compares the voice of spoken answers with that of the row, such as resemblyzer. [default: none]",
    ),
    repeated(
        "--quality-model MODEL",
        "Model that predicts how listeners would rate spoken answers, such as dnsmos; repeat for several. "
        "[default: none]",
    ),
)
"""Options of the models that score spoken answers."""
kind_option = registered_name(
    "--as kind", "Kind of task. Required if TASK is a data file or hf:DATASET, not allowed otherwise.", TASK_KINDS
)
task_options = (task_args_option, kind_option)
max_audio_option = number(
    "--max-audio SECONDS",
    "Longest sound, or part of a sound, that is decoded; samples with a longer one fail.",
    above=True,
    default=DEFAULT_MAX_SECONDS,
)
profile_option = text(
    "--profile NAME", "Text normaliser used for scoring; see `auricle list profiles`. [default: set by the task]"
)
profiles_option = repeated(
    "--profile NAME",
    "Text normaliser used for scoring; see `auricle list profiles`. Repeat for several: numbers of the second and "
    "further ones are named wer@NAME. [default: set by the task]",
)
cluster_option = text(
    "--cluster FIELD|none",
    "Metadata field whose values, not the samples, are the independent units of intervals and tests, such as speaker; "
    "none treats all samples as independent. [default: set by the task, or else speaker, speaker_id, spk or session]",
)
add_metrics_option = repeated(
    "--add-metrics NAME",
    "Metric, or set of metrics such as hallucination, to compute beside the others: a name from "
    "`auricle list metrics`, or file.py:function; repeat for several. [default: none]",
)
json_option = flag("--json as_json", "Print JSON.")
fresh_option = flag("--fresh", "Start over. Existing results in the output folder are moved aside, not deleted.")
output_options = (fresh_option, json_option)
progress_option = choice(
    "--progress",
    "How to show progress on standard error: a bar or lines for people, or one JSON event per line for programs.",
    ("auto", "json"),
    default="auto",
)
human_option = path(
    "--human FILE",
    "Data file with the columns id and label: verdicts of people on a random part of the samples, which are stored in "
    "the run. The judge is compared with them, and its score is corrected. [default: those of the run]",
)
max_cost_option = number(
    "--max-cost AMOUNT",
    "Stop once this much is spent on the model and on judges, in the currency of the price file. Requires --prices. "
    "[default: no limit]",
    above=True,
)
prices_option = path("--prices FILE", "YAML file with prices per model, to compute costs. [default: none]")
model_options = (
    model_args_option,
    number(
        "--crop SECONDS",
        "Truncate each audio input to this many seconds. Same as -M crop=SECONDS. [default: no truncation]",
        above=True,
    ),
    text(
        "--model-init-json FILE|JSON",
        "Additional constructor arguments of a `cmi:` model. Same as -M init=JSON. [default: none]",
    ),
    text(
        "--score-json FILE|JSON",
        "Keyword arguments for each `score_batch` call of a `cmi:` model. Same as -M score=JSON. [default: none]",
    ),
)
