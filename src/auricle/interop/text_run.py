"""What the exports of written answers share: the samples of a run, in order, and their names."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import orjson

from auricle import api
from auricle.audio import Audio
from auricle.core.errors import SpecError
from auricle.core.files import write_lines_atomically
from auricle.core.types import Generation, Json, Record, list_parts
from auricle.engine.factory import display_name
from auricle.engine.spec import Spec
from auricle.runs.run_directory import Run
from auricle.tasks.base import Task

REJECTED_ROW = "RejectedRow"
Notify = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class TextRun:
    """A run whose answers are texts, as other tools keep them."""

    run: Run
    task: Task
    kind: str
    model: str
    records: Sequence[Record]
    """In the order of the data, without rows that could not be asked about."""

    @classmethod
    def load(cls, path: Path, format_name: str) -> TextRun:
        run = Run.load(path)
        spec = Spec.from_run(run)
        held = [each for each in run.records() if not _is_rejected(each)]
        for record in held:
            if not record.error and not _is_text(record):
                raise SpecError(
                    f"{path}: sample {record.sample.id} was answered by {_describe_outputs(record)}; {format_name} "
                    "keeps one text a sample."
                )
        records = sorted(held, key=lambda record: record.row)
        return cls(run, api.build_task(spec), spec.task, display_name(spec.model), records)

    @property
    def created(self) -> datetime:
        return datetime.fromisoformat(str(self.run.spec["created"]))

    @property
    def model_folder(self) -> str:
        """The model's name where it has to be a folder's."""
        return to_file_name(self.model)

    @property
    def dataset(self) -> str:
        return to_file_name(self.task.name)

    def metric_values(self) -> dict[str, Json]:
        """What Auricle counted, by metric."""
        return {each["metric"]: each["value"] for each in api.summary(self.run.path) if not each["field"]}

    def answered_records(self) -> list[Record]:
        return [record for record in self.records if not record.error]


def _is_rejected(record: Record) -> bool:
    return record.error is not None and record.error.kind == REJECTED_ROW


def _is_text(record: Record) -> bool:
    return len(record.outputs) == 1 and isinstance(record.outputs[0], Generation)


def _describe_outputs(record: Record) -> str:
    kinds = ", ".join(dict.fromkeys(type(each).__name__ for each in record.outputs))
    return f"{len(record.outputs)} outputs ({kinds})"


def to_file_name(name: str) -> str:
    """A name without what no folder's name may hold."""
    return re.sub(r"[\"<>:/|\\?*\s]+", "-", name).strip("-")


def get_text(record: Record) -> str:
    """What was answered."""
    (output,) = record.outputs
    assert isinstance(output, Generation)
    return output.text


def get_audio_uris(record: Record) -> list[str]:
    """Where a sample's sounds are."""
    return [
        part.uri for value in record.sample.inputs.values() for part in list_parts(value) if isinstance(part, Audio)
    ]


def get_question(record: Record) -> str:
    question = record.sample.inputs.get("question", "")
    return question if isinstance(question, str) else ""


def get_choices(record: Record) -> dict[str, Any]:
    """A sample's options, if it has any."""
    choices = record.sample.inputs.get("choices")
    return {"choices": list(choices)} if isinstance(choices, (list, tuple)) and choices else {}


def number_records(records: Sequence[Record]) -> list[int]:
    """A whole number for each sample: its id where all ids are such numbers, else its place."""
    ids = [each.sample.id for each in records]
    whole = all(each.isdecimal() and str(int(each)) == each for each in ids)
    return [int(each) for each in ids] if whole else list(range(len(ids)))


def write_jsonl(path: Path, rows: Sequence[Mapping[str, Any]]) -> Path:
    """JSON lines, in a folder that is made if it is not there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_lines_atomically(path, (orjson.dumps(row) + b"\n" for row in rows))
    return path
