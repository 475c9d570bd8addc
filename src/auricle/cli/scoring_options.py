"""Switches of the command line that are other words for some of -M."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any

import click

from auricle.core.errors import SpecError

CROP = click.option(
    "--crop", type=click.FloatRange(0, min_open=True), help="Seconds that a model hears of a sound."
)
INIT = click.option(
    "--model-init-json", metavar="FILE|JSON", help="More arguments of a `cmi:` class."
)
SCORE = click.option(
    "--score-json", metavar="FILE|JSON", help="Arguments of each call of its `score_batch`."
)


def scoring_options(command: Callable[..., None]) -> Callable[..., None]:
    """The words that those have who come from CMI-RewardBench, for models that score."""

    @wraps(command)
    def call(**options: Any) -> None:
        crop, init, score = (options.pop(n) for n in ("crop", "model_init_json", "score_json"))
        told = {"init": json_object(init), "score": json_object(score)}
        more = [f"{name}={json.dumps(each)}" for name, each in told.items() if each is not None]
        more += [f"crop={crop:g}"] if crop else []
        command(**{**options, "model_args": (*options["model_args"], *more)})

    return CROP(INIT(SCORE(call)))


def json_object(given: str | None) -> dict[str, Any] | None:
    """What a word of JSON says, or the file that it names."""
    if given is None:
        return None
    try:
        written = given.lstrip().startswith("{")
        found = json.loads(given if written else Path(given).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise SpecError(
            f"{given!r} is neither a JSON object nor a file with one: {error}."
        ) from error
    if not isinstance(found, dict):
        raise SpecError(f"{given} should hold a JSON object, not a {type(found).__name__}.")
    return found
