"""`auricle demo`: evaluate small recognisers, or a voice agent, on synthetic speech that ships with the package."""

from __future__ import annotations

import math
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from auricle.cli import options as opt
from auricle.cli.output import echo, print_result
from auricle.core.errors import ExitStatus, MissingExtra, SpecError

if TYPE_CHECKING:
    from auricle.cli.progress import ProgressFormat
    from auricle.engine.config import RunConfig
    from auricle.engine.plan import ModelPlan
    from auricle.runs.metrics import Metrics
    from auricle.runs.result import RunResult

MAX_SENTENCES_IN_NOISE = 8
MAX_CALLS = 2
"""Calls at the same time; with more of them, the parts of the agent would wait for each other."""
VOICE_INTRODUCTION = (
    "A scripted caller talked to a voice agent of voice activity detection, Moonshine, rules and recorded speech.\n"
    "The agent is simple on purpose: it stops for backchannels and coughs, and begins to speak in pauses.\n"
)


@click.command()
@click.argument("subject", metavar="[voice]", type=click.Choice(["recognition", "voice"]), default="recognition")
@opt.path("-o --out DIR", "Folder for the run directories. [default: runs/demo, or runs/demo-voice]")
@opt.count("--limit N", "Evaluate only the first N recordings or calls. [default: all]")
@opt.fresh_option
@opt.progress_option
@opt.path(
    "--copy-data DIR",
    "Copy the recordings and their manifest to DIR, to try other commands on, and stop. [default: run the demo]",
)
@opt.json_option
def demo(subject: str, out: Path | None, copy_data: Path | None, **options: Any) -> None:
    """Evaluate two small speech recognisers on bundled synthetic speech.

    `auricle demo voice` lets a scripted caller talk to a small voice agent instead.

    Needs no network: the recognisers of the extra `demo` include their weights.
    """
    if copy_data:
        copy_recordings(copy_data, as_json=options["as_json"])
    elif subject == "voice":
        sys.exit(run_voice_demo(out or Path("runs/demo-voice"), **options))
    else:
        sys.exit(run_demo(out or Path("runs/demo"), **options))


def copy_recordings(folder: Path, *, as_json: bool = False) -> None:
    """Copy the recordings and their manifest to a folder that is new or empty, and print how to use them."""
    from auricle.tasks.demo.kinds import FOLDER

    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise SpecError(f"{folder} exists and is not an empty folder. Choose another one.")
    shutil.copytree(FOLDER, folder, dirs_exist_ok=True)
    manifest, recordings = folder / "manifest.jsonl", len(list(folder.glob("*.opus")))
    command = f"auricle run {manifest} --as asr -m moonshine -T language=en"
    document = {"path": str(manifest), "rows": recordings, "command": command}
    lines = [f"Copied {recordings} recordings and {manifest}.", f"\nNext step:\n  {command}"]
    print_result(as_json, document, lines)


def run_demo(out: Path, *, limit: int | None, fresh: bool, as_json: bool, progress: ProgressFormat = "auto") -> int:
    """Evaluate each recogniser that is installed, then in noise, print the results and return the exit code."""
    from auricle.cli.run import run_plans
    from auricle.cli.show import print_metrics
    from auricle.studies.audiogram.report import Audiogram, format_audiogram

    results = _run_recognisers(out, limit, fresh, progress)
    folders = [result.path for result in results]
    scored = [(result.path, result.metrics) for result in results if result.metrics]
    in_noise: list[tuple[Path, Metrics]] = []
    if results[-1].exit_status != ExitStatus.INTERRUPTED:
        if not as_json:
            _print_numbers(folders, scored)
        noise_results, in_noise = run_plans(*_plan_noise(out, limit, fresh, progress, folders))
        results += noise_results
    if as_json:
        print_metrics([*scored, *in_noise], as_json=True)
    elif in_noise:
        echo("\nThe first clean sentences again, in more and more noise:\n")
        echo("\n".join(format_audiogram(Audiogram.from_metrics([metrics for _, metrics in in_noise]))))
    if not as_json:
        _print_next_steps(folders, in_noise)
    return max(result.exit_status for result in results)


def run_voice_demo(
    out: Path, *, limit: int | None, fresh: bool, as_json: bool, progress: ProgressFormat = "auto"
) -> int:
    """Call the voice agent of the demo, print the results and return the exit code."""
    from auricle.cli.evaluation import run_evaluation
    from auricle.cli.show import print_metrics
    from auricle.engine.config import ModelConfig, RunConfig
    from auricle.engine.settings import Settings
    from auricle.tasks.demo.kinds import VOICE_AGENT, VOICE_AGENT_ARGUMENTS

    config = RunConfig(
        task=("demo-voice",),
        model=(ModelConfig(model=VOICE_AGENT, model_args=dict(VOICE_AGENT_ARGUMENTS)),),
        limit=limit,
        fresh=fresh,
        progress=progress,
        settings=Settings(concurrency=MAX_CALLS),
    )
    if not as_json:
        echo(
            "A scripted caller talks to a voice agent of local parts, as fast as people talk: about a minute.", err=True
        )
    result = run_evaluation(config.prepare()[0], out, config)
    scored = [(result.path, result.metrics)] if result.metrics else []
    if as_json:
        print_metrics(scored, as_json=True)
    else:
        echo(VOICE_INTRODUCTION)
        print_metrics(scored, as_json=False)
        echo(f"\nListen to the calls, with a timeline of who spoke when:\n  {result.path / 'report.html'}")
        echo(f"\nNext steps:\n  auricle samples {result.path}")
    return result.exit_status


def _run_recognisers(out: Path, limit: int | None, fresh: bool, progress: ProgressFormat) -> list[RunResult]:
    """Run the recognisers that are installed, each in its own folder, until one is interrupted."""
    from auricle.cli.evaluation import run_evaluation
    from auricle.engine.config import ModelConfig, RunConfig
    from auricle.tasks.demo.kinds import DEMO_MODELS

    results: list[RunResult] = []
    for model, arguments in DEMO_MODELS.items():
        config = RunConfig(
            task=("demo",),
            model=(ModelConfig(model=model, model_args=dict(arguments)),),
            limit=limit,
            fresh=fresh,
            progress=progress,
        )
        try:
            results.append(run_evaluation(config.prepare()[0], out / model, config))
        except MissingExtra as error:
            echo(f"Skipped {model}: {error}", err=True)
            continue
        if results[-1].exit_status == ExitStatus.INTERRUPTED:
            break
    if not results:
        raise SpecError("The demo recognisers are not installed: pip install 'auricle[demo]'.")
    return results


def _plan_noise(
    out: Path, limit: int | None, fresh: bool, progress: ProgressFormat, folders: Sequence[Path]
) -> tuple[RunConfig, list[ModelPlan]]:
    """Plan the runs of the same recognisers on the first clean sentences in noise."""
    from auricle.engine.config import ModelConfig, RunConfig
    from auricle.tasks.demo.kinds import DEMO_CONDITIONS, DEMO_MODELS, SUBSETS

    models = (folder.name for folder in folders)
    config = RunConfig(
        task=("demo",),
        task_args={"subset": "clean"},
        model=tuple(ModelConfig(model=model, model_args=dict(DEMO_MODELS[model])) for model in models),
        perturb=DEMO_CONDITIONS,
        limit=min(MAX_SENTENCES_IN_NOISE, math.ceil(limit / len(SUBSETS)) if limit else MAX_SENTENCES_IN_NOISE),
        out=out / "in-noise",
        fresh=fresh,
        progress=progress,
    )
    return config, config.plan()


def _print_numbers(folders: Sequence[Path], scored: Sequence[tuple[Path, Metrics]]) -> None:
    from auricle.cli.show import print_metrics

    models = " and ".join(folder.name for folder in folders)
    echo(
        f"Transcribed synthetic English sentences (clean and noisy) with {models}, and scored the transcripts.\n"
        "The speech is synthetic: these numbers show how Auricle works, not how good the models are.\n"
    )
    print_metrics(scored, as_json=False, by=("subset",))
    echo("")


def _print_next_steps(folders: Sequence[Path], in_noise: Sequence[tuple[Path, Metrics]]) -> None:
    echo(f"\nNext steps:\n  auricle samples {folders[0]} --worst 3")
    if len(folders) == 2:
        echo(f"  auricle compare {folders[1]} {folders[0]}")
    if len(in_noise) == 2:
        echo(f"  auricle compare {in_noise[1][0]} {in_noise[0][0]} --html noise.html")
