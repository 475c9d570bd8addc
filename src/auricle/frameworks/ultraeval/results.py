"""Logs of UltraEval-Audio, `{model}/{dataset}/{time}.jsonl`: one event per line, several events per sample."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from auricle.core.errors import DataError
from auricle.core.files import write_atomically
from auricle.core.types import Record
from auricle.frameworks.exchange.result_export import TextRun, get_audio_uris, get_question, get_text, write_jsonl
from auricle.frameworks.exchange.result_files import (
    ImportedResults,
    ImportedSample,
    Notify,
    ResultFormat,
    ResultLine,
    text_sample,
)

ERROR_RATES = ("wer%", "cer%")
CUT_OFF_REASON = "the log ends before the answer: the run was interrupted"

Event = dict[str, Any]
Events = dict[str, Any]
"""Data of a sample's events by type."""


def read(path: Path, lines: Sequence[ResultLine]) -> ImportedResults:
    """Read the answers as they were passed to the evaluator; error events become failures."""
    events, origins = _group_by_sample(lines)
    evaluations = [event["eval"] for event in events.values() if isinstance(event.get("eval"), dict)]
    if not evaluations:
        raise DataError(
            f"{path} has {len(events)} samples but no references, which are part of the eval events. "
            "Score it with UltraEval-Audio (--inf_file) and import the result."
        )
    return ImportedResults(
        path=path,
        model=path.parent.parent.name,
        dataset=path.parent.name,
        samples=[_to_sample(sample_id, origins[sample_id], events[sample_id]) for sample_id in events],
        kind=_infer_kind(evaluations),
    )


def _group_by_sample(lines: Sequence[ResultLine]) -> tuple[dict[str, Events], dict[str, str]]:
    """Group events by sample in the order of the data; after a resume, the last event of a type counts."""
    events: dict[str, Events] = {}
    origins: dict[str, str] = {}
    for origin, values in lines:
        sample_id = str(values["id"])
        data = values["data"] if isinstance(values["data"], dict) else {}
        step = str(values["type"])
        events.setdefault(sample_id, {})[step] = data if step == "eval" else data.get("content", data)
        origins.setdefault(sample_id, origin)
    ordered = sorted(
        events, key=lambda sample_id: (not sample_id.isdigit(), int(sample_id) if sample_id.isdigit() else 0)
    )
    return {sample_id: events[sample_id] for sample_id in ordered}, origins


def _infer_kind(evaluations: Sequence[Mapping[str, Any]]) -> str:
    if any(name in evaluations[0] for name in ERROR_RATES):
        return "asr"
    return "mcq" if "extract_fail" in evaluations[0] else "qa" if "match" in evaluations[0] else ""


def _to_sample(sample_id: str, origin: str, events: Events) -> ImportedSample:
    raw = events.get("inference")
    text = events.get("post_process", raw)
    score = events.get("eval", {})
    audio_paths, question = _split_prompt(events.get("prompt"))
    row = {
        "id": sample_id,
        "audio": audio_paths or None,
        "question": question,
        "target": score.get("ref"),
        "meta": {} if raw == text else {"raw": raw},
    }
    error = events.get("error")
    traceback = str(error.get("info", "")) if isinstance(error, dict) else ""
    reason = traceback.strip().rpartition("\n")[2] or CUT_OFF_REASON
    return text_sample(origin, row, None if text is None else str(text), reason)


def _split_prompt(prompt: Any) -> tuple[list[str], str]:
    """Return the audio paths and the text of a prompt, which has two forms."""
    if isinstance(prompt, str):
        return [], prompt
    if isinstance(prompt, dict):
        parts = [{"type": kind, "value": value} for kind, value in prompt.items()]
    else:
        turns = prompt if isinstance(prompt, list) else []
        parts = [part for turn in turns if isinstance(turn, dict) for part in turn.get("contents", ())]
    contents = [(part.get("type"), str(part.get("value", ""))) for part in parts]
    audio_paths = [value for kind, value in contents if kind == "audio" and value]
    return audio_paths, "\n".join(value for kind, value in contents if kind == "text")


def export(run: Path, out: Path, notify: Notify) -> list[Path]:
    """Write four events per sample, two for a failed one, and the metric values beside them."""
    text_run = TextRun.load(run, "ultraeval")
    folder = out / text_run.model_folder / text_run.dataset
    time = text_run.created.strftime("%Y-%m-%d_%H-%M-%S")
    text_run.note_failures(notify, "are exported as error events, which UltraEval-Audio's scorer ignores.")
    events = [event for index, record in enumerate(text_run.records) for event in _build_events(index, record)]
    path = write_jsonl(folder / f"{time}.jsonl", events)
    overall = folder / f"{time}-overall.json"
    write_atomically(overall, str(text_run.metric_values()).encode())  # a Python literal, as UltraEval-Audio writes
    return [path, overall]


def _build_events(index: int, record: Record) -> Iterator[Event]:
    """Return the events of a sample, numbered by position, which UltraEval-Audio uses to resume."""
    contents = [{"type": "audio", "value": uri} for uri in get_audio_uris(record)]
    if question := get_question(record):
        contents.append({"type": "text", "value": question})
    events: dict[str, Event] = {"prompt": {"content": [{"role": "user", "contents": contents}]}}
    if record.error:
        events["error"] = {"info": f"{record.error.kind}: {record.error.message}"}
    else:
        text, target = get_text(record), record.sample.target
        events["inference"] = {"content": record.sample.meta.get("raw", text)}
        events["post_process"] = {"content": text}
        events["eval"] = {"pred": text, "ref": "" if target is None else target}
    return ({"type": kind, "id": index, "data": data} for kind, data in events.items())


FORMAT = ResultFormat(
    "ultraeval",
    "UltraEval-Audio",
    ("type", "id", "data"),
    "*.jsonl",
    "res/{model}/{dataset}/{time}.jsonl with type, id and data",
    read,
    "ultraeval",
)
