"""Export a run as files of another framework; runs with one text per sample share most of it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import orjson

from auricle import api
from auricle.core.errors import SpecError
from auricle.core.files import write_atomically, write_lines_atomically
from auricle.core.types import Generation, Json, Record, RejectedRow, list_parts
from auricle.engine.factory import model_name
from auricle.engine.spec import Spec
from auricle.engine.task import Task
from auricle.frameworks.exchange.result_files import EXPORTERS, Notify
from auricle.media import Audio
from auricle.runs.run_directory import Run


def export_run(run: Path, format_name: str, out: Path | None = None, notify: Notify = lambda _: None) -> list[Path]:
    """Write a run in another framework's format.

    Args:
        run: Run directory.
        format_name: A name in `EXPORTERS`.
        out: Output folder; by default a folder in the run named after the format.
        notify: Called with notes for the user.

    Returns:
        The files written.
    """
    return EXPORTERS.get(format_name)(run, out or run / format_name, notify)


@dataclass(frozen=True, slots=True)
class TextRun:
    """A run whose outputs are texts."""

    run: Run
    task: Task
    kind: str
    model: str
    records: Sequence[Record]
    """Records in the order of the data, without rejected rows."""

    @classmethod
    def load(cls, path: Path, format_name: str) -> TextRun:
        run = Run.load(path)
        spec = Spec.from_run(run)
        records = [record for record in run.records() if not record.error or record.error.kind != RejectedRow.__name__]
        for record in records:
            kinds = [type(output).__name__ for output in record.outputs]
            if not record.error and kinds != [Generation.__name__]:
                raise SpecError(
                    f"{path}: sample {record.sample.id} has {len(kinds)} outputs ({', '.join(dict.fromkeys(kinds))}). "
                    f"The format {format_name} stores one text per sample."
                )
        records.sort(key=lambda record: record.row)
        task = api.build_task(spec)
        kind = str(task.extra_context.get("kind") or spec.task)
        return cls(run, task, kind, model_name(run), records)

    @property
    def created(self) -> datetime:
        return datetime.fromisoformat(str(self.run.spec.created))

    @property
    def model_folder(self) -> str:
        return to_file_name(self.model)

    @property
    def dataset(self) -> str:
        return to_file_name(self.task.name)

    def metric_values(self) -> dict[str, Json]:
        """Return the values of the metrics over all samples."""
        return {number.metric: number.value for number in api.load_metrics(self.run.path).overall}

    def answered_records(self) -> list[Record]:
        return [record for record in self.records if not record.error]

    def note_failures(self, notify: Notify, consequence: str) -> None:
        """Note what becomes of failed samples, if there are any."""
        if failed := len(self.records) - len(self.answered_records()):
            notify(f"{failed} failed samples {consequence}")


def to_file_name(name: str) -> str:
    """Replace characters that file names must not contain."""
    return re.sub(r"[\"<>:/|\\?*\s]+", "-", name).strip("-")


def get_text(record: Record) -> str:
    """Return the text of a record's only output."""
    (output,) = record.outputs
    assert isinstance(output, Generation)
    return output.text


def get_audio_uris(record: Record) -> list[str]:
    """Return the paths or URLs of a sample's audio."""
    return [
        part.uri for value in record.sample.inputs.values() for part in list_parts(value) if isinstance(part, Audio)
    ]


def get_question(record: Record) -> str:
    question = record.sample.inputs.get("question", "")
    return question if isinstance(question, str) else ""


def number_records(records: Sequence[Record]) -> list[tuple[int, Record]]:
    """Return the records with an integer each: the id if all ids are integers, else the position."""
    ids = [record.sample.id for record in records]
    are_integers = all(sample_id.isdecimal() and str(int(sample_id)) == sample_id for sample_id in ids)
    return list(zip(map(int, ids) if are_integers else range(len(ids)), records, strict=True))


def write_json(path: Path, document: Mapping[str, Any]) -> Path:
    """Write an indented JSON document."""
    write_atomically(path, orjson.dumps(document, option=orjson.OPT_INDENT_2))
    return path


def write_jsonl(path: Path, rows: Sequence[Mapping[str, Any]]) -> Path:
    """Write rows as JSON lines, creating the folder if needed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_lines_atomically(path, (orjson.dumps(row) + b"\n" for row in rows))
    return path
