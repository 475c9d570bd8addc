"""A run as lmms-eval keeps one: `{date}_samples_{task}.jsonl` and `{date}_results.json`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

import orjson

from auricle.core.files import write_atomically
from auricle.core.serialization import dumps
from auricle.core.types import Generation, Record
from auricle.interop.text_run import Notify, TextRun, get_question, get_text, number_records, write_jsonl

OWN = ("raw", "scores")


def export(run: Path, out: Path, notify: Notify) -> list[Path]:
    """Samples as `--log_samples` writes them; a failure is told in its own words for one."""
    held = TextRun.load(run, "lmms-eval")
    folder = out / _sanitize_model_name(held.model)
    date = held.created.strftime("%Y%m%d_%H%M%S")
    places = number_records(held.records)
    rows = [_to_row(at, each, held) for at, each in zip(places, held.records, strict=True)]
    if failed := len(held.records) - len(held.answered_records()):
        notify(f"{failed} failed: [LMMS_EVAL_REQUEST_FAILED …] in the file, scored there as answers.")
    paths = [folder / f"{date}_samples_{held.dataset}.jsonl", folder / f"{date}_results.json"]
    write_jsonl(paths[0], rows)
    document = _build_document(held, date, rows)
    write_atomically(paths[1], orjson.dumps(document, option=orjson.OPT_INDENT_2))
    return paths


def _to_row(index: int, record: Record, text_run: TextRun) -> dict[str, Any]:
    sample, text = record.sample, _response_text(record)
    target = "" if sample.target is None else str(sample.target)
    row: dict[str, Any] = {
        "doc_id": index,
        "id": sample.id,
        "target": target,
        "filtered_resps": text,
        "token_counts": [_token_counts(record)],
        "doc_hash": sha256(dumps([sample.inputs, sample.target])).hexdigest(),
        "input": get_question(record),
    }
    if "raw" in sample.meta:
        row["resps"] = sample.meta["raw"]
    if text_run.kind == "asr":
        source = sample.meta.get("subset", text_run.dataset)
        row["wer"] = {"gt": target, "pred": text, "source": source, "task": f"asr_{text_run.task.language}"}
    scores = sample.meta.get("scores")
    return {**row, **(scores if isinstance(scores, Mapping) else {})}


def _response_text(record: Record) -> str:
    if not record.error:
        return get_text(record)
    return f"[LMMS_EVAL_REQUEST_FAILED after {record.attempts} retries] {record.error.message}"


def _token_counts(record: Record) -> dict[str, int] | None:
    output = record.outputs[0] if record.outputs else None
    if not isinstance(output, Generation) or output.tokens is None:
        return None
    told = {"output_tokens": output.tokens}
    return told | ({"input_tokens": output.input_tokens} if output.input_tokens is not None else {})


def _sanitize_model_name(model: str) -> str:
    """A folder's name as lmms-eval makes it."""
    return re.sub(r"[\"<>:/|\\?*\[\]]+", "__", "/".join(model.split("/")[-2:]))


def _build_document(text_run: TextRun, date: str, rows: list[dict[str, Any]]) -> dict[str, Any]:
    name, count = text_run.dataset, len(rows)
    hashes = "".join(f"sample_{at}{row['doc_hash']}" for at, row in enumerate(rows))
    return {
        "results": {name: {"alias": name, **{f"{k},none": v for k, v in text_run.metric_values().items()}}},
        "configs": {name: {"task": name, "output_type": "generate_until"}},
        "n-samples": {name: {"original": count, "effective": count}},
        "config": {"model": text_run.model, "model_args": ""},
        "date": date,
        "task_hashes": {name: sha256(hashes.encode()).hexdigest()},
        "model_name": text_run.model,
        "model_name_sanitized": _sanitize_model_name(text_run.model),
    }
