"""Import lmms-eval's `*_samples_{task}.jsonl`, written by `--log_samples`, and the results file beside it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from auricle.core.errors import DataError
from auricle.interop.result_files import (
    ImportedResults,
    ImportedSample,
    ResultFormat,
    ResultLine,
    deduplicate_ids,
    not_answered,
    parse_list_target,
    read_sibling_json,
    text_output,
)

FILE_NAME = re.compile(r"(?P<date>.+?)_samples_(?P<task>.+)")
FAILED_PREFIX = "[LMMS_EVAL_REQUEST_FAILED"
"""Start of the text that lmms-eval stores as the answer of a failed request."""
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
    return ImportedResults(
        path=path,
        model=_model_name(path, results_document),
        dataset=task,
        samples=samples,
        kind=_infer_kind(lines[0][1], results_document, task),
        task_options={"language": language} if language else {},
        extra_files=(path.with_name(results_name),) if results_document else (),
        notes=notes,
    )


def _model_name(path: Path, results_document: Mapping[str, Any]) -> str:
    """Return the model's name if it is stored, else the backend's, else the folder's."""
    config = results_document.get("config")
    backend = config.get("model") if isinstance(config, dict) else ""
    return str(results_document.get("model_name") or backend or path.parent.name.replace("__", "/"))


def _infer_kind(values: Mapping[str, Any], results_document: Mapping[str, Any], task: str) -> str:
    if any(name in values for name in ERROR_RATES):
        return "asr"
    configs = results_document.get("configs")
    config = configs.get(task, {}) if isinstance(configs, dict) else {}
    metrics = config.get("metric_list") if isinstance(config, dict) else None
    metric_names = {str(entry.get("metric")) for entry in metrics or () if isinstance(entry, dict)}
    return "asr" if metric_names & {*ERROR_RATES} else ""


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
    return ImportedSample(
        manifest_row=row,
        origin=origin,
        outputs=() if failed else text_output(text, **_read_token_counts(values)),
        error=not_answered(text[failed.end() :] or "the request failed") if failed else None,
    )


def _single_text(path: Path, origin: str, responses: Any) -> str:
    """Return the only text of an answer; several answers are stored as a list."""
    while isinstance(responses, list) and len(responses) == 1:
        responses = responses[0]
    if isinstance(responses, str):
        return responses
    number = origin.rpartition(":")[2]
    raise DataError(
        f"{path}:{number} has {_describe_responses(responses)}. Only one text per sample can be imported, "
        "no likelihoods or repeated answers."
    )


def _describe_responses(responses: Any) -> str:
    return f"{len(responses)} answers" if isinstance(responses, list) else f"the answer {responses!r}"


def _read_token_counts(values: Mapping[str, Any]) -> dict[str, int]:
    """Return the token counts that are stored."""
    counts = values.get("token_counts")
    first = counts[0] if isinstance(counts, list) and counts else None
    if not isinstance(first, dict):
        return {}
    names = {"tokens": "output_tokens", "input_tokens": "input_tokens"}
    return {field: first[name] for field, name in names.items() if isinstance(first.get(name), int)}


FORMAT = ResultFormat(
    "lmms-eval",
    "lmms-eval",
    ("doc_id", "target"),
    "*_samples_*.jsonl",
    "{date}_samples_{task}.jsonl, which --log_samples writes",
    read,
    "lmms-eval",
)
