"""What the app reads of a run: its numbers, its samples as a table, one sample whole.

A run may come from anybody and lie in pieces: what cannot be read is a `DataError` that says so,
or a count of lines that were passed over. Nothing a run names is ever run.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import orjson
import streamlit as st

from auricle.app.samples_table import Samples, is_own, read_samples
from auricle.core.errors import DataError
from auricle.core.serialization import decode_record
from auricle.core.types import Record
from auricle.tasks.catalogue import TASKS

MOST_DOCUMENT = 50_000_000  # bytes of a metrics.json; beyond, it is nobody's
NAMED_CODE = re.compile(r"[^\s:{}]+:[A-Za-z_]\w*")
CODED = ("metrics", "inferencer", "shots", "rubric", "encoder")
Stamp = tuple[int, ...]


# --- numbers ---------------------------------------------------------------------------------


def stamp(path: Path, *names: str) -> Stamp:
    """When files were written and how large they are: what was read of them is good until then."""
    found: list[int] = []
    for name in names:
        try:
            known = (path / name).stat()
            found += [known.st_mtime_ns, known.st_size]
        except OSError:
            found += [0, 0]
    return tuple(found)


def document(path: Path) -> dict[str, Any]:
    """What `metrics.json` says, if it is as this package writes it."""
    return _document(str(path), stamp(path, "metrics.json"))


@st.cache_data(max_entries=64, show_spinner=False)
def _document(path: str, _stamp: Stamp) -> dict[str, Any]:
    return checked(Path(path) / "metrics.json")


def checked(file: Path) -> dict[str, Any]:
    """A document of numbers, or what is wrong with the file."""
    if not is_own(file):
        raise DataError(f"{file.name} is not there: the run has not been scored yet.")
    if file.stat().st_size > MOST_DOCUMENT:
        raise DataError(f"{file.name} is larger than {MOST_DOCUMENT // 1_000_000} MB.")
    try:
        found = orjson.loads(file.read_bytes())
    except (OSError, orjson.JSONDecodeError) as error:
        raise DataError(f"{file.name} is torn or no JSON; it can be made again.") from error
    if not _is_document(found):
        raise DataError(f"{file.name} is not as auricle writes it; it can be made again.")
    return dict(found)


NUMBER = {
    "metric": str,
    "field": str,
    "group": str,
    "unit": str,
    "signature": str,
    "details": dict,
    "scored": int,
    "total": int,
    "failed": int,
    "unreadable": int,
    "higher_is_better": bool,
}
FIGURES = ("value", "low", "high", "worst", "best")


def _is_document(found: Any) -> bool:
    parts = {
        "task": dict,
        "model": dict,
        "outcomes": dict,
        "failures": list,
        "refused": dict,
        "unreadable": dict,
        "numbers": list,
        "notes": list,
    }
    return (
        isinstance(found, dict)
        and all(isinstance(found.get(name), kind) for name, kind in parts.items())
        and all(isinstance(found[side].get("name"), str) for side in ("task", "model"))
        and all(map(_is_number, found["numbers"]))
    )


def _is_number(each: Any) -> bool:
    return (
        isinstance(each, dict)
        and all(isinstance(each.get(name), kind) for name, kind in NUMBER.items())
        and all(isinstance(each.get(name), (int, float, type(None))) for name in FIGURES)
    )


def overall(found: Mapping[str, Any]) -> list[dict[str, Any]]:
    """A run's numbers over all samples."""
    return [each for each in found["numbers"] if not each["field"]]


def is_stale(path: Path) -> bool:
    """Was more answered since the numbers were made?"""
    written = stamp(path, "metrics.json")[0]
    return bool(written) and written < max(stamp(path, "outputs.jsonl", "verdicts.jsonl")[::2])


# --- code a run names ---------------------------------------------------------------------------


def foreign_code(path: Path) -> str:
    """Code outside this package that scoring this run again would run; empty if there is none.

    A run's folder is data, wherever it came from, and looking at it must not run anything.
    """
    try:
        spec = orjson.loads((path / "spec.json").read_bytes())["spec"]
        task, given = str(spec["task"]), dict(spec.get("task_args") or {})
    except (OSError, orjson.JSONDecodeError, KeyError, TypeError, ValueError) as error:
        raise DataError("spec.json is missing or torn: nobody knows what was asked.") from error
    if task not in TASKS:
        return task
    named = (text for name in CODED for text in _texts(given.get(name)))
    return next((text for text in named if NAMED_CODE.fullmatch(text)), "")


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield from (part.strip() for part in value.split(","))
    elif isinstance(value, Mapping):
        yield from (text for each in value.values() for text in _texts(each))
    elif isinstance(value, list):
        yield from (text for each in value for text in _texts(each))


# --- samples -----------------------------------------------------------------------------------


def samples(path: Path) -> Samples:
    """All samples of a run as a table; kept until the run changes."""
    names = "outputs.jsonl", "scores.jsonl", "metrics.json"
    return _samples(str(path), stamp(path, *names))


@st.cache_data(max_entries=6, show_spinner="Reading samples …")
def _samples(path: str, _stamp: Stamp) -> Samples:
    return read_samples(Path(path))


def record(path: Path, offset: int) -> Record:
    """One sample whole, from where its line begins."""
    with (path / "outputs.jsonl").open("rb") as journal:
        journal.seek(offset)
        line = journal.readline()
    try:
        return decode_record(orjson.loads(line))
    except (orjson.JSONDecodeError, AttributeError, KeyError, TypeError, ValueError) as error:
        raise DataError("The run has changed since; look at it again.") from error
