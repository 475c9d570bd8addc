"""Answers that are known already as a run: its journal is written, nobody is asked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from auricle import api
from auricle.audio import Audio
from auricle.core.errors import AudioError, DataError, SpecError
from auricle.core.files import write_lines
from auricle.core.serialization import content_key, dumps
from auricle.core.types import Failure, Json, Record, Rejected, Sample
from auricle.data.manifest import Manifest
from auricle.engine.factory import build, description
from auricle.engine.spec import KINDS, Spec
from auricle.interop.result_files import Answer, Results, Tool, digest_of
from auricle.runs.run_directory import Run
from auricle.tasks.base import Task

ROWS = "imported.jsonl"
"""The samples, in the run's own folder: what was asked, without the answers."""
NOT_TOLD = "(the file does not tell what was asked)"
FLAT = ("asr", "mcq", "qa", "open", "classify")
"""Kinds that other tools' rows can be."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What the user says of results that their file does not, or says otherwise."""

    kind: str = ""
    model: str = ""
    profile: str | None = None
    only: str = ""
    """One dataset of a folder that holds several."""
    options: Mapping[str, Any] = field(default_factory=dict)


def make_run(found: Results, tool: Tool, out: Path, told: Told) -> Spec:
    """Write a run of these results, and every file that is derived from it; what it is of."""
    spec = spec_of(found, tool, out, told)
    records = _records(found, spec)
    with Run.open(out, _about(spec, build(spec), found, tool)) as run:
        if not run.progress().get("complete"):  # the same files are not written twice
            write_lines(out / ROWS, (dumps(each.row) for each in found.answers))
            for record in records:
                run.append(record)
            run.flush()
            run.write_progress(_progress(found, len(records)))
    api.score(out)
    return spec


def _about(spec: Spec, task: Task, found: Results, tool: Tool) -> dict[str, Json]:
    """As any run's description, but that nobody was asked; which files it came from."""
    sources = [_source(each) for each in (found.path, *found.beside)]
    about = description(spec, task, task.inferencer)
    identity = about["identity"]
    assert isinstance(identity, dict)
    own = {"inferencer": f"Imported({tool.name})", "sources": [s["sha256"] for s in sources]}
    return {
        **about,
        "identity": {**identity, **own},
        "imported": {"from": tool.name, "files": sources},
    }


def spec_of(found: Results, tool: Tool, out: Path, told: Told) -> Spec:
    """The task and the model of a run, or which of them nobody told."""
    kind = told.kind or found.kind
    if not kind:
        raise SpecError(
            f"{found.path} does not tell what {found.dataset} is: say it with "
            f"--as {'|'.join(FLAT)}."
        )
    if kind != found.kind and (kind not in FLAT or found.kind not in (*FLAT, "")):
        raise SpecError(f"Results of {tool.title} cannot be taken as {kind}.")
    model = told.model or found.model
    if not model:
        raise SpecError(f"{found.path} does not tell whose answers it holds: --model NAME.")
    folder = str(found.path.resolve().parent)
    data = str((out / ROWS).resolve())
    places = {"data": data, "root": folder}
    if kind not in KINDS:  # upstream's own names for the same
        places = {"dataset_jsonl": data, "dataset_root": folder}
    arguments = {**places, "name": found.dataset, **found.options, **told.options}
    return Spec(
        task=kind,
        task_args=arguments,
        model=model,
        model_args={"imported_from": tool.name},
        profile=told.profile,
    ).settled()


def _source(path: Path) -> dict[str, Json]:
    return {"path": str(path.resolve()), "sha256": digest_of(path)}


def _progress(found: Results, count: int) -> dict[str, Json]:
    """As after a pass over the data; what it took is told only where every answer tells it."""
    name, digits = found.path.name, digest_of(found.path)[:8]
    return {
        "complete": True,
        "rows": count,
        "passes": _passes(found.answers),
        "revision": f"{name}@{digits}",
        "notes": list(found.notes),
    }


def _passes(answers: Sequence[Answer]) -> list[dict[str, Json]]:
    given = [each for each in answers if each.outputs]
    took = [each.seconds for each in given if each.seconds is not None]
    heard = [each.audio_seconds for each in given if each.audio_seconds is not None]
    if not given or len(took) < len(given):
        return []
    audio = round(sum(heard), 4) if len(heard) == len(given) else None
    return [{"wall_seconds": round(sum(took), 6), "samples": len(given), "audio_seconds": audio}]


def _records(found: Results, spec: Spec) -> list[Record]:
    """What became of each sample; refused as a whole where none of them can be scored."""
    with TemporaryDirectory(prefix="auricle-import-") as scratch:
        path = Path(scratch) / ROWS
        write_lines(path, (dumps(each.row) for each in found.answers))
        place = "data" if "data" in spec.task_args else "dataset_jsonl"
        apart = {**spec.task_args, place: str(path)}
        task = build(spec.model_copy(update={"task_args": apart}))
        items = list(_samples(task))
    if not any(isinstance(each, Sample) for each in items):
        why = next((each.reason for each in items if isinstance(each, Rejected)), "there is none")
        raise DataError(f"{found.path}: no row can be taken as {spec.task}: {why}.")
    root = Path(str(spec.task_args.get("root") or spec.task_args.get("dataset_root")))
    return [_record(at, each, found, root) for at, each in enumerate(items)]


def _record(at: int, item: Sample | Rejected, found: Results, root: Path) -> Record:
    answer = found.answers[int(item.origin.rpartition(":")[2]) - 1]
    if isinstance(item, Rejected):
        sample = Sample(id=f"rejected {answer.origin}", inputs={}, origin=answer.origin)
        failure = answer.error or Failure("RejectedRow", item.reason)
        return Record(sample=sample, row=at, error=failure, seconds=None)
    return Record(
        sample=replace(item, origin=answer.origin),
        row=at,
        key=_key(item, root),
        outputs=answer.outputs,
        error=answer.error,
        seconds=answer.seconds,
        audio_seconds=answer.audio_seconds,
    )


def _samples(task: Task) -> Iterator[Sample | Rejected]:
    """The task's samples; what was asked elsewhere need not be told here, nor its sound be here."""
    samples = task.samples
    if isinstance(samples, Manifest):
        asked = samples.fields.default_question or NOT_TOLD
        fields = replace(samples.fields, media_needed=False, default_question=asked)
        samples = replace(samples, fields=fields)
    return iter(samples)


def _key(sample: Sample, root: Path) -> str:
    """What was asked about: by content where the sounds are here, else by what they are called."""
    try:
        return content_key(sample)
    except AudioError:
        named = {name: _called(value, root) for name, value in sample.inputs.items()}
        return blake2b(dumps(named), digest_size=16).hexdigest()


def _called(value: Any, root: Path) -> Any:
    if isinstance(value, Audio):
        return {"named": value.uri.removeprefix(f"{root}/"), "start": value.start, "end": value.end}
    if isinstance(value, (list, tuple)):
        return [_called(each, root) for each in value]
    return value
