"""Names of the pages of a site. They depend only on what was evaluated, so that links stay valid."""

from __future__ import annotations

import re
from collections.abc import Iterable
from hashlib import blake2b

import orjson

from auricle.runs.metrics import Metrics
from auricle.studies.leaderboards.table import Column, Row

MAX_SLUG_LENGTH = 40


def name_run(metrics: Metrics) -> str:
    """Return a name for the page of a run: model, task, and a digest of data, prompt and model arguments."""
    signature = metrics.overall[0].signature if metrics.overall else None
    identity: list[object] = [metrics.model.name]
    identity += [orjson.dumps(metrics.model.arguments, default=str, option=orjson.OPT_SORT_KEYS)]
    identity += [metrics.task.name, metrics.task.version, metrics.task.revision]
    identity += [signature.inferencer if signature else ""]
    return f"{slugify(metrics.model.name)}-{slugify(metrics.task.name)}-{_digest(identity)}"


def name_column(column: Column) -> str:
    """Return a name for the page of a column: task, metric, and a digest of everything its results share."""
    task = column.signature.task.partition(":")[0]
    return f"{slugify(task)}-{slugify(column.name)}-{_digest([column.signature, column.name])}"


def name_model(row: Row) -> str:
    """Return a name for a model in the address of a view: its name, and a digest of its arguments if there are any."""
    return slugify(row.model) + (f"-{_digest([row.model, row.arguments])}" if row.arguments else "")


def name_models(rows: Iterable[Row]) -> list[str]:
    """Return a name for each model; names that several models would have are numbered."""
    taken: dict[str, int] = {}
    names = []
    for name in map(name_model, rows):
        taken[name] = taken.get(name, 0) + 1
        names.append(name if taken[name] == 1 else f"{name}-{taken[name]}")
    return names


def name_sample(sample_id: str) -> str:
    """Return a name for the page of a sample: its id as far as it can be the name of a file, and a digest of it."""
    return f"{slugify(sample_id)}-{_digest([sample_id])}"


def slugify(text: str) -> str:
    """Reduce a text to letters, digits, dots and hyphens, for the name of a file.

    >>> slugify("openai/Whisper tiny.en")
    'openai-whisper-tiny.en'
    """
    plain = re.sub(r"[^a-z0-9.]+", "-", text.lower())[:MAX_SLUG_LENGTH].strip("-.")
    return plain or "other"


def _digest(parts: Iterable[object]) -> str:
    return blake2b("\n".join(map(str, parts)).encode(errors="replace"), digest_size=4).hexdigest()
