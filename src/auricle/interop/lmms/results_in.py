"""lmms-eval's `*_samples_{task}.jsonl`, as `--log_samples` writes them, and the results beside."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from auricle.core.errors import DataError
from auricle.interop.result_files import (
    Answer,
    Line,
    Results,
    Tool,
    beside,
    listed,
    not_answered,
    said,
    told_apart,
)

NAME = re.compile(r"(?P<date>.+?)_samples_(?P<task>.+)")
FAILED = re.compile(r"\[LMMS_EVAL_REQUEST_FAILED after \d+ retries\] ?")
"""What it keeps as an answer where a server gave none."""
RATES = ("wer", "cer", "mer")
OWN = ("id", "doc_id", "target", "resps", "filtered_resps", "token_counts", "doc_hash", "input")
PLAIN = (str, int, float, bool)


def read(path: Path, lines: Sequence[Line]) -> Results:
    """Answers as its scorer was given them; where that is not all, the whole is in the meta."""
    named = NAME.fullmatch(path.stem)
    task = named["task"] if named else path.stem
    results = f"{named['date']}_results.json" if named else ""
    told = beside(path, results) if results else {}
    answers, notes = told_apart([_answer(path, *line) for line in lines])
    language = _language(lines[0][1])
    return Results(
        path=path,
        model=_model(path, told),
        dataset=task,
        answers=answers,
        kind=_kind(lines[0][1], told, task),
        options={"language": language} if language else {},
        beside=(path.with_name(results),) if told else (),
        notes=notes,
    )


def _model(path: Path, told: Mapping[str, Any]) -> str:
    """The weights' name where it is told, else the backend's, else the folder's."""
    config = told.get("config")
    backend = config.get("model") if isinstance(config, dict) else ""
    return str(told.get("model_name") or backend or path.parent.name.replace("__", "/"))


def _kind(values: Mapping[str, Any], told: Mapping[str, Any], task: str) -> str:
    if any(name in values for name in RATES):
        return "asr"
    configs = told.get("configs")
    config = configs.get(task, {}) if isinstance(configs, dict) else {}
    metrics = config.get("metric_list") if isinstance(config, dict) else None
    named = {str(each.get("metric")) for each in metrics or () if isinstance(each, dict)}
    return "asr" if named & {*RATES} else ""


def _language(values: Mapping[str, Any]) -> str:
    """Some of its recognition tasks tell it as `asr_en`."""
    for name in RATES:
        found = values.get(name)
        task = str(found.get("task", "")) if isinstance(found, dict) else ""
        if re.fullmatch(r"asr_[a-z]{2,3}", task):
            return task.removeprefix("asr_")
    return ""


def _answer(path: Path, origin: str, values: Mapping[str, Any]) -> Answer:
    text = _text(path, origin, values.get("filtered_resps", values.get("resps")))
    failed = FAILED.match(text)
    scores = {n: v for n, v in values.items() if n not in OWN and isinstance(v, PLAIN)}
    meta: dict[str, Any] = {"scores": scores} if scores else {}
    if "resps" in values:
        meta["raw"] = values["resps"]
    if isinstance(source := values.get("wer"), dict) and source.get("source"):
        meta = {"subset": source["source"], **meta}
    row = {
        "id": values.get("id", values["doc_id"]),
        "question": values["input"] if isinstance(values.get("input"), str) else None,
        "target": listed(str(values["target"])) if values.get("target") is not None else None,
        "meta": meta,
    }
    return Answer(
        row=row,
        origin=origin,
        outputs=() if failed else said(text, **_tokens(values)),
        error=not_answered(text[failed.end() :] or "its request failed") if failed else None,
    )


def _text(path: Path, origin: str, told: Any) -> str:
    """The one text of an answer; it keeps a list where several were asked for."""
    while isinstance(told, list) and len(told) == 1:
        told = told[0]
    if isinstance(told, str):
        return told
    number = origin.rpartition(":")[2]
    raise DataError(
        f"{path}:{number} has {_counted(told)}: likelihoods and repeated answers cannot be "
        "imported, only one text a sample."
    )


def _counted(told: Any) -> str:
    return f"{len(told)} answers" if isinstance(told, list) else f"the answer {told!r}"


def _tokens(values: Mapping[str, Any]) -> dict[str, int]:
    """What is told of tokens."""
    counts = values.get("token_counts")
    told = counts[0] if isinstance(counts, list) and counts else None
    if not isinstance(told, dict):
        return {}
    names = {"tokens": "output_tokens", "input_tokens": "input_tokens"}
    return {own: told[name] for own, name in names.items() if isinstance(told.get(name), int)}


TOOL = Tool(
    "lmms-eval",
    "lmms-eval",
    ("doc_id", "target"),
    "*_samples_*.jsonl",
    "{date}_samples_{task}.jsonl, which --log_samples writes",
    read,
    "lmms-eval",
)
