"""Evaluate speech and audio models.

Names are imported when first used, so importing this package is fast.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from auricle.api import (
        compare,
        evaluate,
        evaluate_shards,
        evaluate_suite,
        gate,
        load_model,
        merge_shards,
        numbers,
        samples,
        score,
        summary,
    )
    from auricle.core.errors import AuricleError, SampleError, SpecError, Transient, Unreadable
    from auricle.core.types import (
        Generate,
        Generation,
        Likelihood,
        LogLikelihood,
        Predict,
        Prediction,
        Sample,
        Segment,
        Turn,
    )
    from auricle.engine.catalogue import task
    from auricle.engine.config import RunConfig
    from auricle.engine.observer import Observer
    from auricle.engine.settings import Settings
    from auricle.engine.spec import Spec
    from auricle.engine.suites import Suite, SuitePart
    from auricle.engine.task import Task, jsonl
    from auricle.engine.task_files import task_file
    from auricle.media import Audio, Image, Video
    from auricle.metrics.base import Metric, metric
    from auricle.metrics.measurement import cer, measure, wer
    from auricle.models.base import AsyncModel, BatchModel, SessionModel
    from auricle.models.catalogue import model
    from auricle.runs.metrics import Number
    from auricle.runs.result import RunResult
    from auricle.studies.sample_size.api import plan

_EXPORTS = {
    "api": (
        "compare",
        "evaluate",
        "evaluate_shards",
        "evaluate_suite",
        "gate",
        "load_model",
        "merge_shards",
        "numbers",
        "samples",
        "score",
        "summary",
    ),
    "studies.sample_size.api": ("plan",),
    "media": ("Audio", "Image", "Video"),
    "engine.spec": ("Spec",),
    "engine.config": ("RunConfig",),
    "engine.observer": ("Observer",),
    "engine.settings": ("Settings",),
    "core.errors": ("AuricleError", "SampleError", "SpecError", "Transient", "Unreadable"),
    "metrics.base": ("Metric", "metric"),
    "metrics.measurement": ("cer", "measure", "wer"),
    "models.base": ("AsyncModel", "BatchModel", "SessionModel"),
    "models.catalogue": ("model",),
    "runs.metrics": ("Number",),
    "runs.result": ("RunResult",),
    "engine.catalogue": ("task",),
    "engine.task": ("Task", "jsonl"),
    "engine.suites": ("Suite", "SuitePart"),
    "engine.task_files": ("task_file",),
    "core.types": (
        "Generate",
        "Generation",
        "Likelihood",
        "LogLikelihood",
        "Predict",
        "Prediction",
        "Sample",
        "Segment",
        "Turn",
    ),
}
_MODULE_BY_NAME = {name: module for module, names in _EXPORTS.items() for name in names}

__all__ = [
    "AsyncModel",
    "Audio",
    "AuricleError",
    "BatchModel",
    "Generate",
    "Generation",
    "Image",
    "Likelihood",
    "LogLikelihood",
    "Metric",
    "Number",
    "Observer",
    "Predict",
    "Prediction",
    "RunConfig",
    "RunResult",
    "Sample",
    "SampleError",
    "Segment",
    "SessionModel",
    "Settings",
    "Spec",
    "SpecError",
    "Suite",
    "SuitePart",
    "Task",
    "Transient",
    "Turn",
    "Unreadable",
    "Video",
    "cer",
    "compare",
    "evaluate",
    "evaluate_shards",
    "evaluate_suite",
    "gate",
    "jsonl",
    "load_model",
    "measure",
    "merge_shards",
    "metric",
    "model",
    "numbers",
    "plan",
    "samples",
    "score",
    "summary",
    "task",
    "task_file",
    "wer",
]


def __getattr__(name: str) -> Any:
    if name not in _MODULE_BY_NAME:
        raise AttributeError(f"module 'auricle' has no attribute {name!r}")
    value = getattr(import_module(f"auricle.{_MODULE_BY_NAME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
