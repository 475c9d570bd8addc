"""A run as UltraEval-Audio keeps one: `{model}/{dataset}/{time}.jsonl`, an event a line."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from auricle.core.files import write_whole
from auricle.core.types import Record
from auricle.interop.export_rows import Tell, Written, question_of, sounds_of, text_of, write_rows

Event = dict[str, Any]


def export(run: Path, out: Path, tell: Tell) -> list[Path]:
    """Four events a sample, two where it failed, and the numbers beside."""
    held = Written.of(run, "ultraeval")
    folder = out / held.folder / held.dataset
    time = held.created.strftime("%Y-%m-%d_%H-%M-%S")
    if failed := len(held.records) - len(held.answered()):
        tell(f"{failed} failed: error events, which its scorer leaves out.")
    events = [each for at, record in enumerate(held.records) for each in _events(at, record)]
    path = write_rows(folder / f"{time}.jsonl", events)
    overall = folder / f"{time}-overall.json"
    write_whole(overall, str(held.numbers()).encode())  # as it does: Python's words, not JSON
    return [path, overall]


def _events(at: int, record: Record) -> Iterator[Event]:
    """Numbered by place, which is what its own resuming goes by."""
    yield _event(at, "prompt", {"content": _prompt(record)})
    if record.error:
        yield _event(at, "error", {"info": f"{record.error.kind}: {record.error.message}"})
        return
    text, target = text_of(record), record.sample.target
    yield _event(at, "inference", {"content": record.sample.meta.get("raw", text)})
    yield _event(at, "post_process", {"content": text})
    yield _event(at, "eval", {"pred": text, "ref": "" if target is None else target})


def _event(at: int, kind: str, data: Event) -> Event:
    return {"type": kind, "id": at, "data": data}


def _prompt(record: Record) -> list[Event]:
    parts = [{"type": "audio", "value": each} for each in sounds_of(record)]
    if question := question_of(record):
        parts.append({"type": "text", "value": question})
    return [{"role": "user", "contents": parts}]
