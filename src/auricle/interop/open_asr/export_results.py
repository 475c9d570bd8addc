"""Export a run in the Open ASR Leaderboard's format: `MODEL_{model}_DATASET_{dataset}.jsonl`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from auricle.core.errors import SpecError
from auricle.core.types import Record
from auricle.interop.text_run import Notify, TextRun, get_audio_uris, get_text, write_jsonl

KNOWN_COLUMNS = ("audio_filepath", "duration", "time", "text", "pred_text", "id")


def export(run: Path, out: Path, notify: Notify) -> list[Path]:
    """Write one line per answer; failed samples are left out with a note, because the format has no failures."""
    text_run = TextRun.load(run, "open-asr")
    if text_run.kind != "asr":
        raise SpecError(f"{run} is a run of {text_run.kind}. The format open-asr stores transcripts only (asr).")
    if failed := len(text_run.records) - len(text_run.answered_records()):
        notify(f"{failed} failed samples are left out: the format has no failures.")
    has_model_times = text_run.run.spec.imported is not None  # Auricle's own times include more than the model
    if not has_model_times:
        notify("`time` is null: Auricle reports the speed of the whole run, in metrics.json.")
    name = f"MODEL_{text_run.model_folder}_DATASET_{text_run.dataset}.jsonl"
    rows = [_to_row(record, include_time=has_model_times) for record in text_run.answered_records()]
    return [write_jsonl(out / name, rows)]


def _to_row(record: Record, *, include_time: bool) -> dict[str, Any]:
    sample = record.sample
    audio_uris = get_audio_uris(record)
    other_columns = {name: value for name, value in sample.meta.items() if name not in KNOWN_COLUMNS}
    return {
        "audio_filepath": audio_uris[0] if audio_uris else f"sample_{record.row}",
        "duration": record.audio_seconds,
        "time": record.seconds if include_time else None,
        "text": str(sample.target),
        "pred_text": get_text(record),
        "id": sample.id,
        **other_columns,
    }
