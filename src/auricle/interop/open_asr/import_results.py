"""Import manifests of the Open ASR Leaderboard: a transcript, a reference and durations per line."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from auricle.interop.result_files import (
    ImportedResults,
    ImportedSample,
    ResultFormat,
    ResultLine,
    deduplicate_ids,
    not_answered,
    text_output,
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
                "duration": _sum_or_none([row.get("duration") for row in rows]),
                "time": _sum_or_none([row.get("time") for row in rows]),
                "text": rows[0]["text"],
                "pred_text": None if None in transcripts else " ".join(filter(None, map(str.strip, transcripts))),
            },
        )


def _sum_or_none(values: Sequence[Any]) -> float | None:
    return None if None in values else sum(values)


def _to_sample(origin: str, values: Mapping[str, Any]) -> ImportedSample:
    text, file = values["pred_text"], str(values.get("audio_filepath") or "")
    other_columns = {name: value for name, value in values.items() if name not in KNOWN_COLUMNS}
    row = {
        "id": values.get("id") or file or origin.rpartition(":")[2],
        "audio": file if file and not PLACEHOLDER_FILE.fullmatch(file) else None,
        "target": values["text"],
        "meta": other_columns,
    }
    return ImportedSample(
        manifest_row=row,
        origin=origin,
        outputs=() if text is None else text_output(str(text)),
        error=not_answered("pred_text is null") if text is None else None,
        seconds=_positive_float(values.get("time")),
        audio_seconds=_positive_float(values.get("duration")),
    )


def _positive_float(value: Any) -> float | None:
    return float(value) if isinstance(value, (int, float)) and value > 0 else None


FORMAT = ResultFormat(
    "open-asr",
    "the Open ASR Leaderboard",
    ("text", "pred_text"),
    "*.jsonl",
    "MODEL_{model}_DATASET_{dataset}.jsonl with text and pred_text",
    read,
    "open-asr",
)
