"""A run as Kimi-Audio-Evalkit keeps one: `{model}/{dataset}/{model}_{dataset}.jsonl`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import orjson

from auricle.core.files import write_whole
from auricle.core.types import Generation, Record
from auricle.interop.export_rows import (
    Tell,
    Written,
    choices_of,
    numbered,
    question_of,
    sounds_of,
    text_of,
    write_rows,
)

TASKS: Mapping[str, str] = {"asr": "ASR", "mcq": "MQA", "qa": "Ref-QA", "open": "Open-Ended"}
NULL = "null"


def export(run: Path, out: Path, tell: Tell) -> list[Path]:
    """The rows with a prediction each, and what was counted beside; a failure is `null`."""
    held = Written.of(run, "kimi")
    name = f"{held.folder}_{held.dataset}"
    folder = out / held.folder / held.dataset
    places = numbered(held.records)
    rows = [_row(at, each, held.dataset) for at, each in zip(places, held.records, strict=True)]
    if failed := len(held.records) - len(held.answered()):
        tell(f"{failed} failed: `null` in the file, which its scorer leaves out of a WER.")
    paths = [write_rows(folder / f"{name}.jsonl", rows)]
    if held.kind in TASKS:
        paths.append(folder / f"{name}_auricle_performance.json")
        write_whole(paths[1], orjson.dumps(_performance(held), option=orjson.OPT_INDENT_2))
    return paths


def _row(at: int, record: Record, dataset: str) -> dict[str, Any]:
    sample = record.sample
    sounds = sounds_of(record)
    return {
        "subset": dataset,
        **sample.meta,
        "index": at,
        "id": sample.id,
        "audio_path": sounds[0] if len(sounds) == 1 else sounds,
        "question": question_of(record),
        "answer": "" if sample.target is None else sample.target,
        **choices_of(record),
        "prediction": NULL if record.error else text_of(record),
        "real_prompt": _prompt(record),
    }


def _prompt(record: Record) -> str:
    """What the model was told: in its own words if it says so, else the question."""
    said = [each.prompt for each in record.outputs if isinstance(each, Generation)]
    return "".join(said) or question_of(record)


def _performance(held: Written) -> dict[str, Any]:
    """As its own scorer writes one, but that the numbers are Auricle's."""
    return {
        "task": TASKS[held.kind],
        "dataset": held.dataset,
        "model": held.model,
        "date": str(held.created),
        "performance": {held.dataset: {**held.numbers(), "total": len(held.records)}},
        "eval_method": "auricle",
    }
