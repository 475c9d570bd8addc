"""Open ASR Leaderboard's manifests: a transcript, a reference and how long both took a line."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from auricle.interop.result_files import Answer, Line, Results, Tool, not_answered, said, told_apart

TIMES = "Times are those the manifest tells: of transcribing alone, without loading."
NAME = re.compile(r"MODEL_(?P<model>.+?)_DATASET_(?P<dataset>.+)")
LANGUAGE = re.compile(r"_(de|fr|it|es|pt)_test$")
"""How manifests of its other languages end."""
OWN = ("id", "audio_filepath", "duration", "time", "text", "pred_text")
PARENT, CHUNK = "parent_id", "chunk_index"
MADE_UP = re.compile(r"sample_\d+")
"""What it writes where no file is known."""


def read(path: Path, lines: Sequence[Line]) -> Results:
    """Rows as they are; pieces of a long recording are put together, as its scorer does."""
    named = NAME.fullmatch(path.stem)
    dataset = named["dataset"] if named else path.stem
    language = LANGUAGE.search(dataset)
    chunked = PARENT in lines[0][1]
    answers, notes = told_apart(
        [_answer(*line) for line in (_sessions(lines) if chunked else lines)]
    )
    return Results(
        path=path,
        model=named["model"] if named else "",
        dataset=dataset,
        answers=answers,
        kind="asr",
        options={"language": language[1] if language else "en"},
        notes=(*notes, TIMES) if any(each.seconds for each in answers) else notes,
    )


def _sessions(lines: Sequence[Line]) -> Iterable[Line]:
    """One line for each long recording: its pieces' transcripts in order, its one reference."""
    ordered = sorted(lines, key=lambda line: (str(line[1][PARENT]), line[1][CHUNK]))
    for parent, group in groupby(ordered, key=lambda line: line[1][PARENT]):
        pieces = list(group)
        values = [each for _, each in pieces]
        told = [each["pred_text"] for each in values]
        yield (
            pieces[0][0],
            {
                "audio_filepath": parent,
                "duration": _sum([each.get("duration") for each in values]),
                "time": _sum([each.get("time") for each in values]),
                "text": values[0]["text"],
                "pred_text": None if None in told else " ".join(filter(None, map(str.strip, told))),
            },
        )


def _sum(values: Sequence[Any]) -> float | None:
    return None if None in values else sum(values)


def _answer(origin: str, values: Mapping[str, Any]) -> Answer:
    text, file = values["pred_text"], str(values.get("audio_filepath") or "")
    rest = {name: each for name, each in values.items() if name not in OWN}
    row = {
        "id": values.get("id") or file or origin.rpartition(":")[2],
        "audio": file if file and not MADE_UP.fullmatch(file) else None,
        "target": values["text"],
        "meta": rest,
    }
    return Answer(
        row=row,
        origin=origin,
        outputs=() if text is None else said(str(text)),
        error=not_answered("pred_text is null") if text is None else None,
        seconds=_number(values.get("time")),
        audio_seconds=_number(values.get("duration")),
    )


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, (int, float)) and value > 0 else None


TOOL = Tool(
    "open-asr",
    "the Open ASR Leaderboard",
    ("text", "pred_text"),
    "*.jsonl",
    "MODEL_{model}_DATASET_{dataset}.jsonl with text and pred_text",
    read,
    "open-asr",
)
