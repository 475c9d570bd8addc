"""Commands that ask a model."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from auricle.cli.fake_server import fake_server_options
from auricle.cli.options import (
    json_option,
    judge_args_option,
    judge_option,
    kind_option,
    model_args_option,
    model_option,
    parse_batch_size,
    task_args_option,
)
from auricle.cli.scoring_options import reward_model_options


@click.command()
@click.argument("tasks", nargs=-1, metavar="TASK...")
@click.option("-m", "--model", help="A name, module:Class, or path/file.py:name.")
@model_args_option
@task_args_option
@kind_option
@click.option("-o", "--out", type=click.Path(path_type=Path), help="The run's folder.")
@click.option("--config", type=click.Path(path_type=Path), help="A YAML file with the same fields.")
@click.option("--limit", type=click.IntRange(1), help="Only the first N samples.")
@click.option("--profile", help="Normaliser for scoring; see `auricle list profiles`.")
@judge_option
@judge_args_option
@click.option("-j", "--concurrency", type=click.IntRange(1), default=64, show_default=True)
@click.option("--batch-size", type=parse_batch_size, metavar="N|auto", help="The most in one call.")
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
@click.option("--max-cost", type=click.FloatRange(0, min_open=True), help="Stop once this much is spent.")
@json_option
@reward_model_options
def run(**options: Any) -> None:
    """Run TASK on a model, or finish a run begun before.

    TASK is a name, data.jsonl (with --as), hf:dataset (with --as), task.yaml, or module:function.
    """
    from auricle.cli.run import run_tasks

    sys.exit(run_tasks(**options))


@click.command()
@click.option("-o", "--out", type=click.Path(path_type=Path), default=Path("runs/demo"))
@click.option("--fresh", is_flag=True, help="Begin again.")
@click.option("--limit", type=click.IntRange(1), help="Only the first N sentences.")
@json_option
def demo(out: Path, fresh: bool, as_json: bool, limit: int | None) -> None:
    """Two real recognisers on synthetic speech, end to end, without a network."""
    from auricle.cli.run import run_demo

    sys.exit(run_demo(out, fresh, as_json, limit))


@click.command()
@click.argument("task")
@click.option("-m", "--model", help="A name, module:Class, or path/file.py:name.")
@model_args_option
@task_args_option
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
@click.option("--repeat", type=click.IntRange(1), default=1, help="Play each load so often.")
@click.option("--prices", type=click.Path(path_type=Path), help="A YAML file of prices by model.")
@click.option("--hourly", type=click.FloatRange(0), help="What an hour of the machine costs.")
@click.option("--max-errors", type=click.IntRange(1), help="Stop after so many.")
@click.option("--stop-saturated", is_flag=True, help="Stop once the backlog only grows.")
@click.option("--fresh", is_flag=True, help="Begin again; what is there is set aside.")
@json_option
def perf(**options: Any) -> None:
    """Measure how a model serves TASK under load.

    TASK may also be the folder of a measurement, to be summed up again without sending anything,
    or `selftest`, which finds what this machine itself can do.
    """
    from auricle.cli.perf import run_perf

    sys.exit(run_perf(**options))


@click.command()
@model_option
@model_args_option
@click.argument("audio", nargs=-1)
@click.option("--text", default="", help="A question, or an instruction.")
@json_option
@reward_model_options
def ask(model: str, model_args: tuple[str, ...], audio: tuple[str, ...], text: str, as_json: bool) -> None:
    """One question, one answer, exactly as the model gave it."""
    from auricle.cli.run import ask_model

    ask_model(model, model_args, audio, text, as_json)


@click.command()
@click.argument("task")
@click.option("-m", "--model", help="Load this model and tell what it would be given.")
@model_args_option
@task_args_option
@kind_option
@click.option("-n", "--number", type=click.IntRange(1), default=1, help="How many samples.")
@reward_model_options
def preview(**options: Any) -> None:
    """Print exactly what a model would be sent."""
    from auricle.cli.run import preview_task

    preview_task(**options)


@click.command()
@click.argument("task", required=False)
@click.option("-m", "--model", help="Load this model and ask it once.")
@model_args_option
@task_args_option
@kind_option
@click.option("-n", "--number", type=click.IntRange(1), default=20, help="Samples to check.")
@click.option("--parity", is_flag=True, help="Are answers the same alone and in a batch?")
@reward_model_options
def doctor(**options: Any) -> None:
    """Tell what is installed, readable and possible."""
    from auricle.cli.doctor import run_checks

    sys.exit(run_checks(**options))


@click.command(name="fake-server")
@fake_server_options
def fake_server(**options: Any) -> None:
    """Serve OpenAI's and Gemini's protocols without a model, with faults on request.

    Answers repeat the last question, or tell a digest of what was heard.
    """
    from auricle.cli.fake_server import serve

    serve(**options)
