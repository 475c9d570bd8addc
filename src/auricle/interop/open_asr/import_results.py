"""Open ASR Leaderboard's manifests: a transcript, a reference and how long both took a line."""

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

TIMING_NOTE = "Times are those the manifest tells: of transcribing alone, without loading."
FILE_NAME = re.compile(r"MODEL_(?P<model>.+?)_DATASET_(?P<dataset>.+)")
LANGUAGE_SUFFIX = re.compile(r"_(de|fr|it|es|pt)_test$")
"""How manifests of its other languages end."""
KNOWN_COLUMNS = ("id", "audio_filepath", "duration", "time", "text", "pred_text")
PARENT_COLUMN, CHUNK_COLUMN = "parent_id", "chunk_index"
PLACEHOLDER_FILE = re.compile(r"sample_\d+")
"""What it writes where no file is known."""


def read(path: Path, lines: Sequence[ResultLine]) -> ImportedResults:
    """Rows as they are; pieces of a long recording are put together, as its scorer does."""
    named = FILE_NAME.fullmatch(path.stem)
    dataset = named["dataset"] if named else path.stem
    language = LANGUAGE_SUFFIX.search(dataset)
    chunked = PARENT_COLUMN in lines[0][1]
    answers, notes = deduplicate_ids([_to_sample(*line) for line in (_merge_chunks(lines) if chunked else lines)])
    return ImportedResults(
        path=path,
        model=named["model"] if named else "",
        dataset=dataset,
        samples=answers,
        kind="asr",
        task_options={"language": language[1] if language else "en"},
        notes=(*notes, TIMING_NOTE) if any(each.seconds for each in answers) else notes,
    )


def _merge_chunks(lines: Sequence[ResultLine]) -> Iterable[ResultLine]:
    """One line for each long recording: its pieces' transcripts in order, its one reference."""
    ordered = sorted(lines, key=lambda line: (str(line[1][PARENT_COLUMN]), line[1][CHUNK_COLUMN]))
    for parent, group in groupby(ordered, key=lambda line: line[1][PARENT_COLUMN]):
        pieces = list(group)
        values = [each for _, each in pieces]
        told = [each["pred_text"] for each in values]
        yield (
            pieces[0][0],
            {
                "audio_filepath": parent,
                "duration": _sum_or_none([each.get("duration") for each in values]),
                "time": _sum_or_none([each.get("time") for each in values]),
                "text": values[0]["text"],
                "pred_text": None if None in told else " ".join(filter(None, map(str.strip, told))),
            },
        )


def _sum_or_none(values: Sequence[Any]) -> float | None:
    return None if None in values else sum(values)


def _to_sample(origin: str, values: Mapping[str, Any]) -> ImportedSample:
    text, file = values["pred_text"], str(values.get("audio_filepath") or "")
    rest = {name: each for name, each in values.items() if name not in KNOWN_COLUMNS}
    row = {
        "id": values.get("id") or file or origin.rpartition(":")[2],
        "audio": file if file and not PLACEHOLDER_FILE.fullmatch(file) else None,
        "target": values["text"],
        "meta": rest,
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
