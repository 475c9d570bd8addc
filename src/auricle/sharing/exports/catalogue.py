"""The formats of `auricle publish`. They are imported when they are used."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from auricle.core.features import Builtin
from auricle.core.registry import Registry

if TYPE_CHECKING:
    from auricle.sharing.exports.base import FinishedRun, Published, PublishOptions

Publisher: TypeAlias = "Callable[[Sequence[FinishedRun], PublishOptions, Path], Published]"
"""Writes runs to a folder in a format."""

PUBLISHERS: Registry[Publisher] = Registry(
    "publisher",
    {
        "eee": Builtin("auricle.sharing.exports.every_eval_ever:publish", "JSON of Every Eval Ever 0.3.0"),
        "hf-eval-results": Builtin(
            "auricle.sharing.exports.eval_results:publish", "`.eval_results/*.yaml` of a model on the Hub"
        ),
        "inspect": Builtin("auricle.sharing.exports.inspect_log:publish", "`.eval` logs of Inspect"),
        "lm-eval": Builtin("auricle.sharing.exports.lm_eval:publish", "results and samples of lm-evaluation-harness"),
        "model-card": Builtin(
            "auricle.sharing.exports.model_card:publish", "`model-index` metadata of a model card on the Hub"
        ),
    },
    expects=(Callable, "a function"),
)
