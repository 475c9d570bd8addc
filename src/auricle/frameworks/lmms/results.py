"""Results of lmms-eval: `{date}_samples_{task}.jsonl`, written by `--log_samples`, and `{date}_results.json`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from auricle.core.errors import DataError
from auricle.core.serialization import dumps
from auricle.core.types import Generation, Record
from auricle.frameworks.exchange.result_export import (
    TextRun,
    get_question,
    get_text,
    number_records,
    write_json,
    write_jsonl,
)
from auricle.frameworks.exchange.result_files import (
    ImportedResults,
    ImportedSample,
    Notify,
    ResultFormat,
    ResultLine,
    deduplicate_ids,
    parse_list_target,
    read_sibling_json,
    text_sample,
)
from auricle.frameworks.lmms.model import FAILED_PREFIX

FILE_NAME = re.compile(r"(?P<date>.+?)_samples_(?P<task>.+)")
FAILED_ANSWER = re.compile(re.escape(FAILED_PREFIX) + r" after \d+ retries\] ?")
ERROR_RATES = ("wer", "cer", "mer")
KNOWN_COLUMNS = ("id", "doc_id", "target", "resps", "filtered_resps", "token_counts", "doc_hash", "input")
SCALAR_TYPES = (str, int, float, bool)


def read(path: Path, lines: Sequence[ResultLine]) -> ImportedResults:
    """Read the filtered answers, as they were scored; unfiltered answers go into the metadata."""
    match = FILE_NAME.fullmatch(path.stem)
    task = match["task"] if match else path.stem
    results_name = f"{match['date']}_results.json" if match else ""
    results_document = read_sibling_json(path, results_name) if results_name else {}
    samples, notes = deduplicate_ids([_to_sample(path, *line) for line in lines])
    language = _find_language(lines[0][1])
    config = results_document.get("config")
    backend = config.get("model") if isinstance(config, dict) else ""
    return ImportedResults(
        path=path,
        model=str(results_document.get("model_name") or backend or path.parent.name.replace("__", "/")),
        dataset=task,
        samples=samples,
        kind=_infer_kind(lines[0][1], results_document, task),
        task_options={"language": language} if language else {},
        extra_files=(path.with_name(results_name),) if results_document else (),
        notes=notes,
    )


def _infer_kind(values: Mapping[str, Any], results_document: Mapping[str, Any], task: str) -> str:
    configs = results_document.get("configs")
    config = configs.get(task, {}) if isinstance(configs, dict) else {}
    metrics = config.get("metric_list") if isinstance(config, dict) else None
    metric_names = {str(entry.get("metric")) for entry in metrics or () if isinstance(entry, dict)}
    return "asr" if {*values, *metric_names} & {*ERROR_RATES} else ""


def _find_language(values: Mapping[str, Any]) -> str:
    """Return the language, which some recognition tasks store as `asr_en`."""
    for name in ERROR_RATES:
        score = values.get(name)
        task = str(score.get("task", "")) if isinstance(score, dict) else ""
        if re.fullmatch(r"asr_[a-z]{2,3}", task):
            return task.removeprefix("asr_")
    return ""


def _to_sample(path: Path, origin: str, values: Mapping[str, Any]) -> ImportedSample:
    text = _single_text(path, origin, values.get("filtered_resps", values.get("resps")))
    failed = FAILED_ANSWER.match(text)
    scores = {
        name: value for name, value in values.items() if name not in KNOWN_COLUMNS and isinstance(value, SCALAR_TYPES)
    }
    meta: dict[str, Any] = {"scores": scores} if scores else {}
    if "resps" in values:
        meta["raw"] = values["resps"]
    if isinstance(source := values.get("wer"), dict) and source.get("source"):
        meta = {"subset": source["source"], **meta}
    row = {
        "id": values.get("id", values["doc_id"]),
        "question": values["input"] if isinstance(values.get("input"), str) else None,
        "target": parse_list_target(str(values["target"])) if values.get("target") is not None else None,
        "meta": meta,
    }
    if failed:
        return text_sample(origin, row, None, text[failed.end() :] or "the request failed")
    counts = values.get("token_counts")
    first = counts[0] if isinstance(counts, list) and counts and isinstance(counts[0], dict) else {}
    names = {"tokens": "output_tokens", "input_tokens": "input_tokens"}
    return text_sample(
        origin,
        row,
        text,
        "",
        **{field: first[name] for field, name in names.items() if isinstance(first.get(name), int)},
    )


def _single_text(path: Path, origin: str, responses: Any) -> str:
    """Return the only text of an answer; several answers are stored as a list."""
    while isinstance(responses, list) and len(responses) == 1:
        responses = responses[0]
    if isinstance(responses, str):
        return responses
    number = origin.rpartition(":")[2]
    shown = f"{len(responses)} answers" if isinstance(responses, list) else f"the answer {responses!r}"
    raise DataError(
        f"{path}:{number} has {shown}. Only one text per sample can be imported, no likelihoods or repeated answers."
    )


def export(run: Path, out: Path, notify: Notify) -> list[Path]:
    """Write samples as `--log_samples` does; failures are marked as lmms-eval marks them."""
    text_run = TextRun.load(run, "lmms-eval")
    folder = out / _sanitize_model_name(text_run.model)
    date = text_run.created.strftime("%Y%m%d_%H%M%S")
    rows = [_to_row(index, record, text_run) for index, record in number_records(text_run.records)]
    text_run.note_failures(notify, f"are exported as {FAILED_PREFIX} …], which lmms-eval scores as answers.")
    samples_file = write_jsonl(folder / f"{date}_samples_{text_run.dataset}.jsonl", rows)
    return [samples_file, write_json(folder / f"{date}_results.json", _build_document(text_run, date, rows))]


def _to_row(index: int, record: Record, text_run: TextRun) -> dict[str, Any]:
    sample, target = record.sample, "" if record.sample.target is None else str(record.sample.target)
    if record.error:
        text = f"{FAILED_PREFIX} after {record.attempts} retries] {record.error.message}"
    else:
        text = get_text(record)
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


FORMAT = ResultFormat(
    "lmms-eval",
    "lmms-eval",
    ("doc_id", "target"),
    "*_samples_*.jsonl",
    "{date}_samples_{task}.jsonl, which --log_samples writes",
    read,
    "lmms-eval",
)
