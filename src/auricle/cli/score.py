"""`auricle score`: recompute the metrics of runs from their journals."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import click

from auricle.cli import options as opt
from auricle.cli.exit_codes import EXIT_INTERRUPTED, EXIT_OK


@click.command()
@click.argument("runs", nargs=-1, required=True, type=opt.existing_directory)
@opt.text(
    "--profile NAME", "Text normaliser to score with; see `auricle list profiles`. [default: the normaliser of the run]"
)
@opt.option_group("Judge", *opt.judge_options)
@opt.count("-j --concurrency N", "Maximum judge requests in flight.", default=64)
@opt.json_option
def score(**options: Any) -> None:
    """Recompute the metrics of runs from their journals.

    Loads no model except a judge given with --judge.
    """
    sys.exit(score_runs(**options))


def score_runs(runs: Sequence[Path], profile: str | None, concurrency: int, as_json: bool, **judge: Any) -> int:
    """Score runs, requesting only the verdicts that are missing, and return the exit code."""
    from auricle import Settings, api
    from auricle.cli.evaluation import judge_exit_code
    from auricle.cli.progress_bar import JudgingProgress
    from auricle.cli.show import print_runs
    from auricle.engine.spec import JudgeSpec

    settings, code = Settings(concurrency=concurrency), EXIT_OK
    judge_fields = opt.resolve_judge(None, **judge)
    judge_spec = JudgeSpec(**judge_fields) if judge_fields else None
    for run in runs:
        with redirect_stdout(sys.stderr), JudgingProgress() as progress:
            api.score(run, profile, judge=judge_spec, settings=settings, judge_observer=progress)
        code = max(code, judge_exit_code(run, judge_spec is not None))
        if code == EXIT_INTERRUPTED:
            break
    print_runs(runs, as_json)
    return code
