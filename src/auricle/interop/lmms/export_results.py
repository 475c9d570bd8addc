"""Export a run in lmms-eval's format: `{date}_samples_{task}.jsonl` and `{date}_results.json`."""

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
from auricle.interop.lmms.import_results import FAILED_PREFIX
from auricle.interop.text_run import Notify, TextRun, get_question, get_text, number_records, write_jsonl


def export(run: Path, out: Path, notify: Notify) -> list[Path]:
    """Write samples as `--log_samples` does; failures are marked as lmms-eval marks them."""
    text_run = TextRun.load(run, "lmms-eval")
    folder = out / _sanitize_model_name(text_run.model)
    date = text_run.created.strftime("%Y%m%d_%H%M%S")
    indices = number_records(text_run.records)
    rows = [_to_row(index, record, text_run) for index, record in zip(indices, text_run.records, strict=True)]
    if failed := len(text_run.records) - len(text_run.answered_records()):
        notify(f"{failed} failed samples are exported as {FAILED_PREFIX} …], which lmms-eval scores as answers.")
    paths = [folder / f"{date}_samples_{text_run.dataset}.jsonl", folder / f"{date}_results.json"]
    write_jsonl(paths[0], rows)
    document = _build_document(text_run, date, rows)
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
    return f"{FAILED_PREFIX} after {record.attempts} retries] {record.error.message}"


def _token_counts(record: Record) -> dict[str, int] | None:
    output = record.outputs[0] if record.outputs else None
    if not isinstance(output, Generation) or output.tokens is None:
        return None
    counts = {"output_tokens": output.tokens}
    return counts | ({"input_tokens": output.input_tokens} if output.input_tokens is not None else {})


def _sanitize_model_name(model: str) -> str:
    """Return a model's folder name as lmms-eval builds it."""
    return re.sub(r"[\"<>:/|\\?*\[\]]+", "__", "/".join(model.split("/")[-2:]))


def _build_document(text_run: TextRun, date: str, rows: list[dict[str, Any]]) -> dict[str, Any]:
    name, count = text_run.dataset, len(rows)
    hashes = "".join(f"sample_{index}{row['doc_hash']}" for index, row in enumerate(rows))
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
