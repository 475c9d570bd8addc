"""A run as UltraEval-Audio keeps one: `{model}/{dataset}/{time}.jsonl`, an event a line."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from auricle.core.files import write_atomically
from auricle.core.types import Record
from auricle.interop.text_run import Notify, TextRun, get_audio_uris, get_question, get_text, write_jsonl

Event = dict[str, Any]


def export(run: Path, out: Path, notify: Notify) -> list[Path]:
    """Four events a sample, two where it failed, and the numbers beside."""
    held = TextRun.load(run, "ultraeval")
    folder = out / held.model_folder / held.dataset
    time = held.created.strftime("%Y-%m-%d_%H-%M-%S")
    if failed := len(held.records) - len(held.answered_records()):
        notify(f"{failed} failed: error events, which its scorer leaves out.")
    events = [each for at, record in enumerate(held.records) for each in _build_events(at, record)]
    path = write_jsonl(folder / f"{time}.jsonl", events)
    overall = folder / f"{time}-overall.json"
    write_atomically(overall, str(held.metric_values()).encode())  # as it does: Python's words, not JSON
    return [path, overall]


def _build_events(index: int, record: Record) -> Iterator[Event]:
    """Numbered by place, which is what its own resuming goes by."""
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
    parts = [{"type": "audio", "value": each} for each in get_audio_uris(record)]
    if question := get_question(record):
        parts.append({"type": "text", "value": question})
    return [{"role": "user", "contents": parts}]
