"""A run as the Open ASR Leaderboard keeps one: `MODEL_{model}_DATASET_{dataset}.jsonl`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from auricle.core.errors import SpecError
from auricle.core.types import Record
from auricle.interop.text_run import Notify, TextRun, get_audio_uris, get_text, write_jsonl

KNOWN_COLUMNS = ("audio_filepath", "duration", "time", "text", "pred_text", "id")


def export(run: Path, out: Path, notify: Notify) -> list[Path]:
    """A line for each answer. What failed has no place in the form, and is told instead."""
    held = TextRun.load(run, "open-asr")
    if held.kind != "asr":
        raise SpecError(f"{run} is a run of {held.kind}; open-asr keeps transcripts (asr).")
    if failed := len(held.records) - len(held.answered_records()):
        notify(f"{failed} failed, left out of the file: the form knows no failures.")
    timed = "imported" in held.run.spec  # what others measured; ours is not the model's time alone
    if not timed:
        notify("`time` is null: a run tells its speed as a whole, in metrics.json.")
    name = f"MODEL_{held.model_folder}_DATASET_{held.dataset}.jsonl"
    rows = [_to_row(record, include_time=timed) for record in held.answered_records()]
    return [write_jsonl(out / name, rows)]


def _to_row(record: Record, *, include_time: bool) -> dict[str, Any]:
    sample = record.sample
    sounds = get_audio_uris(record)
    extra = {name: value for name, value in sample.meta.items() if name not in KNOWN_COLUMNS}
    return {
        "audio_filepath": sounds[0] if sounds else f"sample_{record.row}",
        "duration": record.audio_seconds,
        "time": record.seconds if include_time else None,
        "text": str(sample.target),
        "pred_text": get_text(record),
        "id": sample.id,
        **extra,
    }
