"""Export a run in Kimi-Audio-Evalkit's format: `{model}/{dataset}/{model}_{dataset}.jsonl`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson

from auricle.core.files import write_atomically
from auricle.core.types import Generation, Record
from auricle.interop.kimi.datasets import TASKS_BY_KIND
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

NULL_PREDICTION = "null"


def export(run: Path, out: Path, notify: Notify) -> list[Path]:
    """Write the rows with their predictions (`null` for failures), and the metric values beside them."""
    text_run = TextRun.load(run, "kimi")
    name = f"{text_run.model_folder}_{text_run.dataset}"
    folder = out / text_run.model_folder / text_run.dataset
    indices = number_records(text_run.records)
    rows = [_to_row(index, record, text_run.dataset) for index, record in zip(indices, text_run.records, strict=True)]
    if failed := len(text_run.records) - len(text_run.answered_records()):
        notify(f"{failed} failed samples are exported as `null`, which the evalkit's scorer excludes from a WER.")
    paths = [write_jsonl(folder / f"{name}.jsonl", rows)]
    if text_run.kind in TASKS_BY_KIND:
        paths.append(folder / f"{name}_auricle_performance.json")
        write_atomically(paths[1], orjson.dumps(_build_performance(text_run), option=orjson.OPT_INDENT_2))
    return paths


def _to_row(index: int, record: Record, dataset: str) -> dict[str, Any]:
    sample = record.sample
    audio_uris = get_audio_uris(record)
    return {
        "subset": dataset,
        **sample.meta,
        "index": index,
        "id": sample.id,
        "audio_path": audio_uris[0] if len(audio_uris) == 1 else audio_uris,
        "question": get_question(record),
        "answer": "" if sample.target is None else sample.target,
        **get_choices(record),
        "prediction": NULL_PREDICTION if record.error else get_text(record),
        "real_prompt": _sent_prompt(record),
    }


def _sent_prompt(record: Record) -> str:
    """Return the prompt that the model reports to have used, else the question."""
    prompts = [output.prompt for output in record.outputs if isinstance(output, Generation)]
    return "".join(prompts) or get_question(record)


def _build_performance(text_run: TextRun) -> dict[str, Any]:
    """Build the performance file of the evalkit's scorer, with Auricle's numbers."""
    return {
        "task": TASKS_BY_KIND[text_run.kind],
        "dataset": text_run.dataset,
        "model": text_run.model,
        "date": str(text_run.created),
        "performance": {text_run.dataset: {**text_run.metric_values(), "total": len(text_run.records)}},
        "eval_method": "auricle",
    }
