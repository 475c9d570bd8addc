"""`auricle`: a thin skin over `auricle.api`. A command imports what it needs when called."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from auricle.errors import SpecError
from auricle.serving import serving_options
from auricle.switches import scoring_options

KINDS = ("asr", "mcq", "qa", "open", "classify", "chat", "perplexity", "reward", "preference")


def size(value: str) -> int | str:
    """A number from 1, or `auto`."""
    if value == "auto":
        return value
    if not value.isdigit() or not int(value):
        raise click.BadParameter(f"{value!r} should be a whole number from 1, or auto.")
    return int(value)


model_option = click.option(
    "-m", "--model", required=True, help="A name, module:Class, or path/file.py:name."
)
model_arguments = click.option(
    "-M", "model_args", multiple=True, metavar="KEY=VALUE", help="An argument of the model."
)
task_arguments = click.option(
    "-T", "task_args", multiple=True, metavar="KEY=VALUE", help="An argument of the task."
)
judge_option = click.option("--judge", help="The model that scores, where a metric asks one.")
judge_arguments = click.option(
    "-J", "judge_args", multiple=True, metavar="KEY=VALUE", help="An argument of the judge."
)
kind_option = click.option("--as", "kind", type=click.Choice(KINDS), help="What data is for.")
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON for machines.")
folder = click.Path(path_type=Path, exists=True, file_okay=False)


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="auricle", message="%(prog)s %(version)s")
def cli() -> None:
    """Evaluate anything that listens.

    Try `auricle demo` first: two real recognisers on speech that ships with the package.
    """


@cli.command()
@click.argument("tasks", nargs=-1, metavar="TASK...")
@click.option("-m", "--model", help="A name, module:Class, or path/file.py:name.")
@model_arguments
@task_arguments
@kind_option
@click.option("-o", "--out", type=click.Path(path_type=Path), help="The run's folder.")
@click.option("--config", type=click.Path(path_type=Path), help="A YAML file with the same fields.")
@click.option("--limit", type=click.IntRange(1), help="Only the first N samples.")
@click.option("--profile", help="Normaliser for scoring; see `auricle list profiles`.")
@judge_option
@judge_arguments
@click.option("-j", "--concurrency", type=click.IntRange(1), default=64, show_default=True)
@click.option("--batch-size", type=size, metavar="N|auto", help="The most in one call.")
@click.option("--attempts", type=click.IntRange(1), default=6, show_default=True)
@click.option("--processes", type=click.IntRange(1), default=1, help="Senders, for API models.")
@click.option("--replicas", type=click.IntRange(1), default=1, help="Processes, for local models.")
@click.option("--devices", default="", metavar="0,1", help="One replica for each of these.")
@click.option("--backend", type=click.Choice(["ray"]), help="Where replicas run.")
@click.option("--address", default="", help="Of a running Ray cluster.")
@click.option("--gpus-per-replica", type=click.FloatRange(0), default=0.0, help="With Ray.")
@click.option("--batch-timeout", type=click.FloatRange(1), default=600.0, help="Of a replica.")
@click.option("--cache/--no-cache", default=False, help="Remember answers from run to run.")
@click.option("--cache-path", type=click.Path(path_type=Path), help="Where; implies --cache.")
@click.option("--infer-only", is_flag=True, help="Ask now, score later.")
@click.option("--fresh", is_flag=True, help="Begin again; an old run is set aside, not deleted.")
@click.option("--retry-failed/--keep-failed", default=True, help="On resuming.", show_default=True)
@click.option("--prices", type=click.Path(path_type=Path), help="A YAML file of prices by model.")
@click.option(
    "--max-cost", type=click.FloatRange(0, min_open=True), help="Stop once this much is spent."
)
@json_option
@scoring_options
def run(**options: Any) -> None:
    """Run TASK on a model, or finish a run begun before.

    TASK is a name, data.jsonl (with --as), hf:dataset (with --as), task.yaml, or module:function.
    """
    from auricle.commands import run_tasks

    sys.exit(run_tasks(**options))


@cli.command()
@click.option("-o", "--out", type=click.Path(path_type=Path), default=Path("runs/demo"))
@click.option("--fresh", is_flag=True, help="Begin again.")
@json_option
def demo(out: Path, fresh: bool, as_json: bool) -> None:
    """Two real recognisers on synthetic speech, end to end, without a network."""
    from auricle.commands import run_demo

    sys.exit(run_demo(out, fresh, as_json))


@cli.command()
@click.argument("task")
@click.option("-m", "--model", help="A name, module:Class, or path/file.py:name.")
@model_arguments
@task_arguments
@kind_option
@click.option("-o", "--out", type=click.Path(path_type=Path), help="The folder to write.")
@click.option("--load", "loads", multiple=True, metavar="LOAD", help="closed:8, poisson:4, …")
@click.option("--duration", type=click.FloatRange(0, min_open=True), help="Seconds that count.")
@click.option("--count", type=click.IntRange(1), help="Requests that count, instead.")
@click.option("--warmup", type=click.FloatRange(0), default=0.0, help="Seconds before that.")
@click.option("--cooldown", type=click.FloatRange(0), default=0.0, help="Seconds after that.")
@click.option("--grace", type=click.FloatRange(0), default=30.0, show_default=True)
@click.option("--slo", default="", metavar="PROMISE", help="Such as 'p95(ttft_s)<0.3'.")
@click.option("--senders", default="auto", metavar="N|auto", help="Processes that send.")
@click.option("--stream/--no-stream", default=None, help="Where the model can do both.")
@click.option("--seed", type=int, default=0, help="Of the schedule.")
@click.option("--limit", type=click.IntRange(1), help="Different samples to send.")
@click.option("--window", type=click.Choice(["steady", "all"]), help="By default steady.")
@click.option("--batch-size", type=click.IntRange(1), help="Of a model on this machine.")
@click.option("--max-errors", type=click.IntRange(1), help="Stop after so many.")
@click.option("--stop-saturated", is_flag=True, help="Stop once the backlog only grows.")
@click.option("--fresh", is_flag=True, help="Begin again; what is there is set aside.")
@json_option
def perf(**options: Any) -> None:
    """Measure how a model serves TASK under load.

    TASK may also be the folder of a measurement, to be summed up again without sending anything,
    or `selftest`, which finds what this machine itself can do.
    """
    from auricle.stopwatch import measure_task

    sys.exit(measure_task(**options))


@cli.command()
@click.argument("runs", nargs=-1, required=True, type=folder)
@click.option("--profile", help="Another normaliser; see `auricle list profiles`.")
@judge_option
@judge_arguments
@click.option("-j", "--concurrency", type=click.IntRange(1), default=64, help="Of the judge.")
@json_option
def score(**options: Any) -> None:
    """Score runs again from their journals; only a judge that is named is loaded."""
    from auricle.commands import score_runs

    sys.exit(score_runs(**options))


@cli.command()
@click.argument("runs", nargs=-1, required=True, type=folder)
@click.option("--by", multiple=True, help="Break down by a meta field, such as subset.")
@json_option
def show(runs: tuple[Path, ...], by: tuple[str, ...], as_json: bool) -> None:
    """Print the numbers of runs, finished or not."""
    from auricle.views import show_runs

    show_runs(runs, by, as_json)


@cli.command()
@click.argument("run", type=folder)
@click.option("--worst", type=click.IntRange(1), help="Only the N worst by the first metric.")
@click.option("--failed", is_flag=True, help="Only those without an answer.")
@json_option
def samples(run: Path, worst: int | None, failed: bool, as_json: bool) -> None:
    """List a run's samples: what was right, what was answered."""
    from auricle.views import list_samples

    list_samples(run, worst, failed, as_json)


@cli.command()
@click.argument("a", type=folder)
@click.argument("b", type=folder)
@click.option("--metric", "metrics", multiple=True, metavar="NAME", help="Only these.")
@click.option("--by", metavar="FIELD", help="Also by a meta field, such as subset.")
@click.option(
    "--flips", type=click.IntRange(0), default=5, show_default=True, help="Samples each way."
)
@click.option("--html", type=click.Path(path_type=Path, dir_okay=False), help="Write a page, too.")
@json_option
def compare(a: Path, b: Path, **options: Any) -> None:
    """How run B differs from run A, the baseline: pair by pair, and how surely."""
    from auricle.views import compare_runs

    compare_runs((a, b), **options)


@cli.command()
@click.argument("run", type=folder)
@click.option("--as", "form", required=True, type=click.Choice(["cmi"]), help="Whose files.")
@click.option("-o", "--out", type=click.Path(path_type=Path), help="By default RUN/cmi.")
def export(run: Path, form: str, out: Path | None) -> None:
    """Write a run as another framework would have: files its notebooks can read."""
    from auricle.exports import export as write

    for path in write(run, form, out):
        click.echo(path)


@cli.command()
@model_option
@model_arguments
@click.argument("audio", nargs=-1)
@click.option("--text", default="", help="A question, or an instruction.")
@json_option
@scoring_options
def ask(
    model: str, model_args: tuple[str, ...], audio: tuple[str, ...], text: str, as_json: bool
) -> None:
    """One question, one answer, exactly as the model gave it."""
    from auricle.commands import ask_model

    ask_model(model, model_args, audio, text, as_json)


@cli.command()
@click.argument("task")
@click.option("-m", "--model", help="Load this model and tell what it would be given.")
@model_arguments
@task_arguments
@kind_option
@click.option("-n", "--number", type=click.IntRange(1), default=1, help="How many samples.")
@scoring_options
def preview(**options: Any) -> None:
    """Print exactly what a model would be sent."""
    from auricle.commands import preview_task

    preview_task(**options)


@cli.command()
@click.argument("task", required=False)
@click.option("-m", "--model", help="Load this model and ask it once.")
@model_arguments
@task_arguments
@kind_option
@click.option("-n", "--number", type=click.IntRange(1), default=20, help="Samples to check.")
@click.option("--parity", is_flag=True, help="Are answers the same alone and in a batch?")
@scoring_options
def doctor(**options: Any) -> None:
    """Tell what is installed, readable and possible."""
    from auricle.checkup import checkup

    sys.exit(checkup(**options))


@cli.command(name="import")
@click.argument("config", type=click.Path(path_type=Path))
@click.option("--from", "framework", type=click.Choice(["aisbench"]), required=True)
@click.option("-o", "--out", type=click.Path(path_type=Path), help="A task file, or a folder.")
@click.option("--only", metavar="NAME", help="One dataset of several.")
def import_(config: Path, framework: str, out: Path | None, only: str | None) -> None:
    """Make task files of another framework's config, which is read and never run."""
    from auricle.compat.imports import import_tasks

    import_tasks(config, framework, out, only)


NAMED = ["tasks", "models", "metrics", "inferencers", "retrievers", "encoders", "profiles"]


@cli.command(name="list")
@click.argument("kind", type=click.Choice(NAMED))
@json_option
def list_(kind: str, as_json: bool) -> None:
    """List what can be named."""
    from auricle.views import list_names

    list_names(kind, as_json)


cache_option = click.option(
    "--cache-path", type=click.Path(path_type=Path), help="Another file than the usual one."
)


@cli.group(invoke_without_command=True)
@cache_option
@json_option
@click.pass_context
def cache(context: click.Context, cache_path: Path | None, as_json: bool) -> None:
    """Tell what the answers kept across runs take up, or clear them."""
    if context.invoked_subcommand is None:
        from auricle.upkeep import show_cache

        show_cache(cache_path, as_json)


@cache.command(name="show")
@cache_option
@json_option
def cache_show(cache_path: Path | None, as_json: bool) -> None:
    """Where the cache is and what it holds, by model."""
    from auricle.upkeep import show_cache

    show_cache(cache_path, as_json)


@cache.command(name="clear")
@click.option("--model", help="Only the answers of this model.")
@click.option("--older-than", "days", type=click.FloatRange(0), metavar="DAYS", help="Only those.")
@cache_option
@json_option
def cache_clear(
    model: str | None, days: float | None, cache_path: Path | None, as_json: bool
) -> None:
    """Forget answers."""
    from auricle.upkeep import clear_cache

    clear_cache(cache_path, model, days, as_json)


@cli.group()
def env() -> None:
    """Environments for models whose packages conflict: -M environment=NAME runs one in it."""


@env.command(name="create")
@click.argument("name")
@click.option("--from", "source", type=click.Path(path_type=Path), help="Its block, in YAML.")
@click.option("--package", "packages", multiple=True, metavar="REQ", help="As pip takes it.")
@click.option("--python", metavar="PATH", help="An interpreter, or a version such as 3.12.")
@click.option("--force", is_flag=True, help="Build anew what is there.")
@json_option
def env_create(**options: Any) -> None:
    """Build an environment with the packages a model needs."""
    from auricle.housing import create_environment

    create_environment(**options)


@env.command(name="list")
@json_option
def env_list(as_json: bool) -> None:
    """All environments, finished or not."""
    from auricle.housing import list_environments

    list_environments(as_json)


@env.command(name="show")
@click.argument("name")
@json_option
def env_show(name: str, as_json: bool) -> None:
    """What an environment was made from, and what is installed in it."""
    from auricle.housing import show_environment

    show_environment(name, as_json)


@env.command(name="remove")
@click.argument("name")
@json_option
def env_remove(name: str, as_json: bool) -> None:
    """Delete an environment."""
    from auricle.housing import remove_environment

    remove_environment(name, as_json)


@cli.command(name="fake-server")
@serving_options
def fake_server(**options: Any) -> None:
    """Serve OpenAI's and Gemini's protocols without a model, with faults on request.

    Answers repeat the last question, or tell a digest of what was heard.
    """
    from auricle.fakeserver.command import serve

    serve(**options)


def main() -> None:
    try:
        cli(standalone_mode=False)
    except SpecError as error:
        click.echo(f"auricle: {error}", err=True)
        sys.exit(2)
    except click.ClickException as error:
        error.show()
        sys.exit(2)
    except OSError as error:  # a full disk, a folder that may not be written to
        click.echo(f"auricle: {error}", err=True)
        sys.exit(2)
    except (click.Abort, KeyboardInterrupt):
        click.echo("auricle: stopped at once. The same command resumes a run.", err=True)
        sys.exit(130)
