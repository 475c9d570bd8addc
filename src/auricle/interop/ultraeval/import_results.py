"""UltraEval-Audio's log: an event a line, several a sample."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from auricle.core.errors import DataError
from auricle.interop.result_files import (
    ImportedResults,
    ImportedSample,
    ResultFormat,
    ResultLine,
    not_answered,
    text_output,
)

ERROR_RATES = ("wer%", "cer%")
STEPS = ("prompt", "inference", "post_process", "eval", "error")
CUT_OFF_REASON = "the log ends before its answer: the run was cut off"

Events = dict[str, Any]


def read(path: Path, lines: Sequence[ResultLine]) -> ImportedResults:
    """What was answered, as its evaluator was given it; an error is a failure in its words."""
    events, origins = _group_by_sample(lines)
    judged = [each["eval"] for each in events.values() if isinstance(each.get("eval"), dict)]
    if not judged:
        raise DataError(
            f"{path} has {len(events)} samples and no reference: the log's eval events hold them. "
            "Let UltraEval-Audio score it (--inf_file), and import what it writes."
        )
    return ImportedResults(
        path=path,
        model=path.parent.parent.name,
        dataset=path.parent.name,
        samples=[_to_sample(name, origins[name], each) for name, each in events.items()],
        kind=_infer_kind(judged),
    )


def _group_by_sample(lines: Sequence[ResultLine]) -> tuple[dict[str, Events], dict[str, str]]:
    """What each sample's events say, in the order of the data; a resumed one's last word counts."""
    events: dict[str, Events] = {}
    origins: dict[str, str] = {}
    for origin, values in lines:
        name = str(values["id"])
        told = values["data"] if isinstance(values["data"], dict) else {}
        step = str(values["type"])
        events.setdefault(name, {})[step] = told if step == "eval" else told.get("content", told)
        origins.setdefault(name, origin)
    ordered = sorted(events, key=lambda name: (not name.isdigit(), int(name) if name.isdigit() else 0))
    return {name: events[name] for name in ordered}, origins


def _infer_kind(evaluations: Sequence[Mapping[str, Any]]) -> str:
    if any(name in evaluations[0] for name in ERROR_RATES):
        return "asr"
    return "mcq" if "extract_fail" in evaluations[0] else "qa" if "match" in evaluations[0] else ""


def _to_sample(name: str, origin: str, events: Events) -> ImportedSample:
    raw = events.get("inference")
    text = events.get("post_process", raw)
    score = events.get("eval", {})
    sounds, question = _split_prompt(events.get("prompt"))
    meta = {} if raw == text else {"raw": raw}
    row = {"id": name, "audio": sounds or None, "question": question, "target": score.get("ref"), "meta": meta}
    missing = text is None
    return ImportedSample(
        manifest_row=row,
        origin=origin,
        outputs=() if missing else text_output(text if isinstance(text, str) else str(text)),
        error=not_answered(_error_reason(events.get("error"))) if missing else None,
    )


def _error_reason(error: Any) -> str:
    """The last line of a traceback."""
    words = str(error.get("info", "")) if isinstance(error, dict) else ""
    return words.strip().rpartition("\n")[2] or CUT_OFF_REASON


def _split_prompt(prompt: Any) -> tuple[list[str], str]:
    """The sounds and the words of a prompt, in either of its two forms."""
    if isinstance(prompt, str):
        return [], prompt
    if isinstance(prompt, dict):
        parts = [{"type": kind, "value": value} for kind, value in prompt.items()]
    else:
        turns = prompt if isinstance(prompt, list) else []
        parts = [part for turn in turns if isinstance(turn, dict) for part in turn.get("contents", ())]
    told = [(each.get("type"), str(each.get("value", ""))) for each in parts]
    sounds = [value for kind, value in told if kind == "audio" and value]
    return sounds, "\n".join(value for kind, value in told if kind == "text")


FORMAT = ResultFormat(
    "ultraeval",
    "UltraEval-Audio",
    ("type", "id", "data"),
    "*.jsonl",
    "res/{model}/{dataset}/{time}.jsonl with type, id and data",
    read,
    "ultraeval",
)
