"""The folder that `auricle init` writes: data, `run.yaml` and a README."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from auricle.cli.new import write_templates
from auricle.core.errors import MissingExtra, SpecError

TEMPLATE = Path(__file__).with_name("project_template")
EXAMPLE = "example"
"""The data that stands for bundled recordings."""
RUN_FOLDER = "runs/first"
DATA_NAME = "data/rows.jsonl"
CONFIG_NAME = "run.yaml"
CONFIG_HEADER = """\
# What to evaluate, and how. Every option of `auricle run` can be added under its name; see `auricle run --help`.
"""
FAKE_MODELS = ("echo", "fake-api")
REMOTE = ("hf:", "http://", "https://", "s3://", "gs://", "az://")
CHECKED_ROWS = 5
OPTIONS_PER_QUESTION = 4

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Answers:
    """What a project evaluates."""

    kind: str
    data: str
    """`example`, an absolute path or an address."""
    model: str
    task_args: Mapping[str, Any] = field(default_factory=dict)
    model_args: Mapping[str, Any] = field(default_factory=dict)

    @property
    def is_example(self) -> bool:
        return self.data == EXAMPLE

    def to_fields(self) -> dict[str, Any]:
        """Return the fields of `run.yaml`."""
        language = {"language": "en"} if self.is_example and self.kind in ("asr", "tts") else {}
        task_args = {**language, **self.task_args}
        model = [{"model": self.model, "model_args": dict(self.model_args)}]  # arguments of this model alone
        return {
            "task": DATA_NAME if self.is_example else self.data,
            "as": self.kind,
            **({"task_args": task_args} if task_args else {}),
            **({"models": model} if self.model_args else {"model": self.model}),
            "out": RUN_FOLDER,
        }


def write_project(folder: Path, answers: Answers, title: str) -> None:
    """Write the files of a project into an empty folder."""
    import yaml

    if answers.is_example:
        has_recordings = write_example(answers.kind, folder / DATA_NAME)
        speech = ", with bundled synthetic speech" if has_recordings else ""
        data_text = f"`{DATA_NAME}` lists the samples{speech}. Replace them by your own"
    else:
        data_text = f"the data is `{answers.data}`"
    is_fake = answers.model in FAKE_MODELS
    fake_text = (
        f"\nThe model `{answers.model}` only repeats its input, to try the commands: name a real one in `run.yaml`.\n"
    )
    names = {
        "title": title,
        "data_text": data_text,
        "model_text": fake_text if is_fake else "",
        "run": RUN_FOLDER,
        "other_model": FAKE_MODELS[1] if answers.model == FAKE_MODELS[0] else FAKE_MODELS[0],
    }
    write_templates(TEMPLATE, folder, names)
    text = yaml.safe_dump(answers.to_fields(), sort_keys=False, allow_unicode=True)
    (folder / CONFIG_NAME).write_text(CONFIG_HEADER + text, encoding="utf-8")


def write_example(kind: str, manifest: Path) -> bool:
    """Write example rows of a kind, and beside them the recordings that they name; return whether there are any."""
    from auricle.tasks.demo.kinds import FOLDER

    lines = (FOLDER / "manifest.jsonl").read_text(encoding="utf-8").splitlines()
    rows = EXAMPLES[kind]([json.loads(line) for line in lines])
    manifest.parent.mkdir(parents=True)
    manifest.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    recordings = sorted({row["audio"] for row in rows if "audio" in row})
    for name in recordings:
        shutil.copyfile(FOLDER / name, manifest.parent / name)
    return bool(recordings)


def _make_recognition_rows(rows: Sequence[Row]) -> list[Row]:
    columns = ("id", "audio", "text", "subset", "speaker")
    return [{column: row[column] for column in columns} for row in rows]


def _make_questions(rows: Sequence[Row]) -> list[Row]:
    clean = [row for row in rows if row["subset"] == "clean"]
    question = {"question": "Which sentence is spoken?"}
    return [{"id": row["id"], "audio": row["audio"], **question, "answer": row["text"]} for row in clean]


def _make_choices(rows: Sequence[Row]) -> list[Row]:
    """Let each question have the sentences of the next rows as its other options, in another order each time."""
    questions = _make_questions(rows)
    sentences = [row["answer"] for row in questions]
    for index, row in enumerate(questions):
        first = index - index % OPTIONS_PER_QUESTION
        row["choices"] = [sentences[(first + step) % len(sentences)] for step in range(OPTIONS_PER_QUESTION)]
        row["answer"] = "ABCD"[index % OPTIONS_PER_QUESTION]
    return questions


def _make_labels(rows: Sequence[Row]) -> list[Row]:
    labels = {row["id"]: "clean" if row["subset"] == "clean" else "noisy" for row in rows}
    return [{"id": row["id"], "audio": row["audio"], "label": labels[row["id"]]} for row in rows]


def _make_texts(rows: Sequence[Row]) -> list[Row]:
    return [{"id": row["id"], "text": row["text"]} for row in rows if row["subset"] == "clean"]


EXAMPLES: Mapping[str, Callable[[Sequence[Row]], list[Row]]] = {
    "asr": _make_recognition_rows,
    "mcq": _make_choices,
    "qa": _make_questions,
    "classify": _make_labels,
    "tts": _make_texts,
}
"""Kinds that have example data, and how their rows are made from those of the demo."""


def check_project(folder: Path, answers: Answers) -> list[str]:
    """Check that a project can be run from any folder, and return notes on what is missing.

    Raises:
        SpecError: if no row can be used, or the model cannot be evaluated on this kind of task.
    """
    from auricle.engine.config import RunConfig, read_fields
    from auricle.engine.dry_run import check_samples
    from auricle.models.availability import describe_readiness

    fields = read_fields(folder / CONFIG_NAME)
    if answers.is_example:
        fields["task"] = str(folder / DATA_NAME)
    if answers.data.startswith(REMOTE):
        return ["The data is not on this machine, so it was not checked: auricle run run.yaml --dry-run."]
    try:
        (evaluation,) = RunConfig.from_fields(fields, "auricle init").prepare()
    except MissingExtra as error:
        return [str(error)]
    usable, *problems = check_samples(evaluation.spec, evaluation.task, CHECKED_ROWS)
    if not usable.passed:
        reasons = ". ".join(line.text for line in problems or [usable])
        raise SpecError(f"{answers.data}: no row can be used as {answers.kind}. {reasons}")
    is_ready, status = describe_readiness(evaluation.model_class, answers.model_args)
    notes = [line.text for line in problems]
    return notes if is_ready else [*notes, f"{answers.model}: {status}."]
