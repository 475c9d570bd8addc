"""Switches of the command line that are other words for some of -M."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any

import click

from auricle.core.errors import SpecError

CROP_OPTION = click.option(
    "--crop", type=click.FloatRange(0, min_open=True), help="Seconds that a model hears of a sound."
)
MODEL_INIT_OPTION = click.option("--model-init-json", metavar="FILE|JSON", help="More arguments of a `cmi:` class.")
SCORE_OPTION = click.option("--score-json", metavar="FILE|JSON", help="Arguments of each call of its `score_batch`.")


def reward_model_options(command: Callable[..., None]) -> Callable[..., None]:
    """The words that those have who come from CMI-RewardBench, for models that score."""

    @wraps(command)
    def call(**options: Any) -> None:
        crop, init, score = (options.pop(n) for n in ("crop", "model_init_json", "score_json"))
        told = {"init": parse_json_object(init), "score": parse_json_object(score)}
        more = [f"{name}={json.dumps(each)}" for name, each in told.items() if each is not None]
        more += [f"crop={crop:g}"] if crop else []
        command(**{**options, "model_args": (*options["model_args"], *more)})

    return CROP_OPTION(MODEL_INIT_OPTION(SCORE_OPTION(call)))


def parse_json_object(json_or_path: str | None) -> dict[str, Any] | None:
    """What a word of JSON says, or the file that it names."""
    if json_or_path is None:
        return None
    try:
        written = json_or_path.lstrip().startswith("{")
        found = json.loads(json_or_path if written else Path(json_or_path).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise SpecError(f"{json_or_path!r} is neither a JSON object nor a file with one: {error}.") from error
    if not isinstance(found, dict):
        raise SpecError(f"{json_or_path} should hold a JSON object, not a {type(found).__name__}.")
    return found
