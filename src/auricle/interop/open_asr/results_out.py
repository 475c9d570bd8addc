"""A run as the Open ASR Leaderboard keeps one: `MODEL_{model}_DATASET_{dataset}.jsonl`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from auricle.core.errors import SpecError
from auricle.core.types import Record
from auricle.interop.export_rows import Tell, Written, sounds_of, text_of, write_rows

OWN = ("audio_filepath", "duration", "time", "text", "pred_text", "id")


def export(run: Path, out: Path, tell: Tell) -> list[Path]:
    """A line for each answer. What failed has no place in the form, and is told instead."""
    held = Written.of(run, "open-asr")
    if held.kind != "asr":
        raise SpecError(f"{run} is a run of {held.kind}; open-asr keeps transcripts (asr).")
    if failed := len(held.records) - len(held.answered()):
        tell(f"{failed} failed, left out of the file: the form knows no failures.")
    timed = "imported" in held.run.spec  # what others measured; ours is not the model's time alone
    if not timed:
        tell("`time` is null: a run tells its speed as a whole, in metrics.json.")
    name = f"MODEL_{held.folder}_DATASET_{held.dataset}.jsonl"
    rows = [_row(record, timed=timed) for record in held.answered()]
    return [write_rows(out / name, rows)]


def _row(record: Record, *, timed: bool) -> dict[str, Any]:
    sample = record.sample
    sounds = sounds_of(record)
    extra = {name: value for name, value in sample.meta.items() if name not in OWN}
    return {
        "audio_filepath": sounds[0] if sounds else f"sample_{record.row}",
        "duration": record.audio_seconds,
        "time": record.seconds if timed else None,
        "text": str(sample.target),
        "pred_text": text_of(record),
        "id": sample.id,
        **extra,
    }
