"""Manifests of the Open ASR Leaderboard: `MODEL_{model}_DATASET_{dataset}.jsonl`, a transcript per line."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from auricle.core.errors import SpecError
from auricle.core.types import Record
from auricle.frameworks.exchange.result_export import TextRun, get_audio_uris, get_text, write_jsonl
from auricle.frameworks.exchange.result_files import (
    ImportedResults,
    ImportedSample,
    Notify,
    ResultFormat,
    ResultLine,
    deduplicate_ids,
    sum_or_none,
    text_sample,
)

TIMING_NOTE = "Times come from the manifest: transcription only, without loading the model."
FILE_NAME = re.compile(r"MODEL_(?P<model>.+?)_DATASET_(?P<dataset>.+)")
LANGUAGE_SUFFIX = re.compile(r"_(de|fr|it|es|pt)_test$")
"""End of the dataset name for languages other than English."""
KNOWN_COLUMNS = ("id", "audio_filepath", "duration", "time", "text", "pred_text")
PARENT_COLUMN, CHUNK_COLUMN = "parent_id", "chunk_index"
PLACEHOLDER_FILE = re.compile(r"sample_\d+")
"""Placeholder for an unknown file name."""


def read(path: Path, lines: Sequence[ResultLine]) -> ImportedResults:
    """Read the rows; chunks of a long recording are merged, as the leaderboard's scorer does."""
    match = FILE_NAME.fullmatch(path.stem)
    dataset = match["dataset"] if match else path.stem
    language = LANGUAGE_SUFFIX.search(dataset)
    chunked = PARENT_COLUMN in lines[0][1]
    samples, notes = deduplicate_ids([_to_sample(*line) for line in (_merge_chunks(lines) if chunked else lines)])
    return ImportedResults(
        path=path,
        model=match["model"] if match else "",
        dataset=dataset,
        samples=samples,
        kind="asr",
        task_options={"language": language[1] if language else "en"},
        notes=(*notes, TIMING_NOTE) if any(sample.seconds for sample in samples) else notes,
    )


def _merge_chunks(lines: Sequence[ResultLine]) -> Iterable[ResultLine]:
    """Yield one line per long recording: the transcripts of its chunks in order, and its reference."""
    ordered = sorted(lines, key=lambda line: (str(line[1][PARENT_COLUMN]), line[1][CHUNK_COLUMN]))
    for parent, group in groupby(ordered, key=lambda line: line[1][PARENT_COLUMN]):
        chunks = list(group)
        rows = [row for _, row in chunks]
        transcripts = [row["pred_text"] for row in rows]
        yield (
            chunks[0][0],
            {
                "audio_filepath": parent,
                "duration": sum_or_none([row.get("duration") for row in rows]),
                "time": sum_or_none([row.get("time") for row in rows]),
                "text": rows[0]["text"],
                "pred_text": None if None in transcripts else " ".join(filter(None, map(str.strip, transcripts))),
            },
        )


def _to_sample(origin: str, values: Mapping[str, Any]) -> ImportedSample:
    text, file = values["pred_text"], str(values.get("audio_filepath") or "")
    other_columns = {name: value for name, value in values.items() if name not in KNOWN_COLUMNS}
    row = {
        "id": values.get("id") or file or origin.rpartition(":")[2],
        "audio": file if file and not PLACEHOLDER_FILE.fullmatch(file) else None,
        "target": values["text"],
        "meta": other_columns,
    }
    times = _positive_float(values.get("time")), _positive_float(values.get("duration"))
    return text_sample(origin, row, None if text is None else str(text), "pred_text is null", times)


def _positive_float(value: Any) -> float | None:
    return float(value) if isinstance(value, (int, float)) and value > 0 else None


def export(run: Path, out: Path, notify: Notify) -> list[Path]:
    """Write one line per answer; failed samples are left out with a note, because the format has no failures."""
    text_run = TextRun.load(run, "open-asr")
    if text_run.kind != "asr":
        raise SpecError(f"{run} is a run of {text_run.kind}. The format open-asr stores transcripts only (asr).")
    text_run.note_failures(notify, "are left out: the format has no failures.")
    name = f"MODEL_{text_run.model_folder}_DATASET_{text_run.dataset}.jsonl"
    is_imported = text_run.run.spec.imported is not None
    rows = [_to_row(record, is_imported=is_imported) for record in text_run.answered_records()]
    return [write_jsonl(out / name, rows)]


def _to_row(record: Record, *, is_imported: bool) -> dict[str, Any]:
    sample = record.sample
    has_model_time = is_imported or record.wait_seconds is not None  # otherwise waiting is included in `seconds`
    audio_uris = get_audio_uris(record)
    other_columns = {name: value for name, value in sample.meta.items() if name not in KNOWN_COLUMNS}
    return {
        "audio_filepath": audio_uris[0] if audio_uris else f"sample_{record.row}",
        "duration": record.audio_seconds,
        "time": record.seconds if has_model_time else None,
        "text": str(sample.target),
        "pred_text": get_text(record),
        "id": sample.id,
        **other_columns,
    }


FORMAT = ResultFormat(
    "open-asr",
    "the Open ASR Leaderboard",
    ("text", "pred_text"),
    "*.jsonl",
    "MODEL_{model}_DATASET_{dataset}.jsonl with text and pred_text",
    read,
    "open-asr",
)
