"""A run as Kimi-Audio-Evalkit keeps one: `{model}/{dataset}/{model}_{dataset}.jsonl`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import orjson

from auricle.core.files import write_atomically
from auricle.core.types import Generation, Record
from auricle.interop.text_run import (
    Notify,
    TextRun,
    get_audio_uris,
    get_choices,
    get_question,
    get_text,
    number_records,
    write_jsonl,
)

TASKS_BY_KIND: Mapping[str, str] = {"asr": "ASR", "mcq": "MQA", "qa": "Ref-QA", "open": "Open-Ended"}
NULL_PREDICTION = "null"


def export(run: Path, out: Path, notify: Notify) -> list[Path]:
    """The rows with a prediction each, and what was counted beside; a failure is `null`."""
    held = TextRun.load(run, "kimi")
    name = f"{held.model_folder}_{held.dataset}"
    folder = out / held.model_folder / held.dataset
    places = number_records(held.records)
    rows = [_to_row(at, each, held.dataset) for at, each in zip(places, held.records, strict=True)]
    if failed := len(held.records) - len(held.answered_records()):
        notify(f"{failed} failed: `null` in the file, which its scorer leaves out of a WER.")
    paths = [write_jsonl(folder / f"{name}.jsonl", rows)]
    if held.kind in TASKS_BY_KIND:
        paths.append(folder / f"{name}_auricle_performance.json")
        write_atomically(paths[1], orjson.dumps(_build_performance(held), option=orjson.OPT_INDENT_2))
    return paths


def _to_row(index: int, record: Record, dataset: str) -> dict[str, Any]:
    sample = record.sample
    sounds = get_audio_uris(record)
    return {
        "subset": dataset,
        **sample.meta,
        "index": index,
        "id": sample.id,
        "audio_path": sounds[0] if len(sounds) == 1 else sounds,
        "question": get_question(record),
        "answer": "" if sample.target is None else sample.target,
        **get_choices(record),
        "prediction": NULL_PREDICTION if record.error else get_text(record),
        "real_prompt": _sent_prompt(record),
    }


def _sent_prompt(record: Record) -> str:
    """What the model was told: in its own words if it says so, else the question."""
    said = [each.prompt for each in record.outputs if isinstance(each, Generation)]
    return "".join(said) or get_question(record)


def _build_performance(text_run: TextRun) -> dict[str, Any]:
    """As its own scorer writes one, but that the numbers are Auricle's."""
    return {
        "task": TASKS_BY_KIND[text_run.kind],
        "dataset": text_run.dataset,
        "model": text_run.model,
        "date": str(text_run.created),
        "performance": {text_run.dataset: {**text_run.metric_values(), "total": len(text_run.records)}},
        "eval_method": "auricle",
    }
