"""Export a run in UltraEval-Audio's format: `{model}/{dataset}/{time}.jsonl`, one event per line."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from auricle.core.files import write_atomically
from auricle.core.types import Record
from auricle.interop.text_run import Notify, TextRun, get_audio_uris, get_question, get_text, write_jsonl

Event = dict[str, Any]


def export(run: Path, out: Path, notify: Notify) -> list[Path]:
    """Write four events per sample, two for a failed one, and the metric values beside them."""
    text_run = TextRun.load(run, "ultraeval")
    folder = out / text_run.model_folder / text_run.dataset
    time = text_run.created.strftime("%Y-%m-%d_%H-%M-%S")
    if failed := len(text_run.records) - len(text_run.answered_records()):
        notify(f"{failed} failed samples are exported as error events, which UltraEval-Audio's scorer ignores.")
    events = [event for index, record in enumerate(text_run.records) for event in _build_events(index, record)]
    path = write_jsonl(folder / f"{time}.jsonl", events)
    overall = folder / f"{time}-overall.json"
    write_atomically(
        overall, str(text_run.metric_values()).encode()
    )  # as UltraEval-Audio does: a Python literal, not JSON
    return [path, overall]


def _build_events(index: int, record: Record) -> Iterator[Event]:
    """Yield the events of a sample, numbered by position, which UltraEval-Audio uses to resume."""
    yield _build_event(index, "prompt", {"content": _build_prompt(record)})
    if record.error:
        yield _build_event(index, "error", {"info": f"{record.error.kind}: {record.error.message}"})
        return
    text, target = get_text(record), record.sample.target
    yield _build_event(index, "inference", {"content": record.sample.meta.get("raw", text)})
    yield _build_event(index, "post_process", {"content": text})
    yield _build_event(index, "eval", {"pred": text, "ref": "" if target is None else target})


def _build_event(index: int, kind: str, data: Event) -> Event:
    return {"type": kind, "id": index, "data": data}


def _build_prompt(record: Record) -> list[Event]:
    parts = [{"type": "audio", "value": uri} for uri in get_audio_uris(record)]
    if question := get_question(record):
        parts.append({"type": "text", "value": question})
    return [{"role": "user", "contents": parts}]
