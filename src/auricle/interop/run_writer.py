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
from auricle.core.files import write_lines_atomically
from auricle.core.serialization import content_key, dumps
from auricle.core.types import Failure, Json, Record, RejectedRow, Sample
from auricle.data.manifest import Manifest
from auricle.engine.factory import build_spec_document, build_task
from auricle.engine.spec import TASK_KINDS, Spec
from auricle.interop.result_files import ImportedResults, ImportedSample, ResultFormat, compute_sha256
from auricle.runs.run_directory import Run
from auricle.tasks.base import Task

ROWS_FILE = "imported.jsonl"
"""The samples, in the run's own folder: what was asked, without the answers."""
UNKNOWN_QUESTION = "(the file does not tell what was asked)"
IMPORTABLE_KINDS = ("asr", "mcq", "qa", "open", "classify")
"""Kinds that other tools' rows can be."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportOptions:
    """What the user says of results that their file does not, or says otherwise."""

    kind: str = ""
    model: str = ""
    profile: str | None = None
    only: str = ""
    """One dataset of a folder that holds several."""
    options: Mapping[str, Any] = field(default_factory=dict)


def write_run(results: ImportedResults, result_format: ResultFormat, out: Path, options: ImportOptions) -> Spec:
    """Write a run of these results, and every file that is derived from it; what it is of."""
    spec = build_spec(results, result_format, out, options)
    records = _build_records(results, spec)
    with Run.open(out, _describe_run(spec, build_task(spec), results, result_format)) as run:
        if not run.read_progress().get("complete"):  # the same files are not written twice
            write_lines_atomically(out / ROWS_FILE, (dumps(each.manifest_row) for each in results.samples))
            for record in records:
                run.append(record)
            run.flush()
            run.write_progress(_build_progress(results, len(records)))
    api.score(out)
    return spec


def _describe_run(spec: Spec, task: Task, results: ImportedResults, result_format: ResultFormat) -> dict[str, Json]:
    """As any run's description, but that nobody was asked; which files it came from."""
    sources = [_describe_source(each) for each in (results.path, *results.extra_files)]
    about = build_spec_document(spec, task, task.inferencer)
    identity = about["identity"]
    assert isinstance(identity, dict)
    own = {"inferencer": f"Imported({result_format.name})", "sources": [s["sha256"] for s in sources]}
    return {**about, "identity": {**identity, **own}, "imported": {"from": result_format.name, "files": sources}}


def build_spec(results: ImportedResults, result_format: ResultFormat, out: Path, options: ImportOptions) -> Spec:
    """The task and the model of a run, or which of them nobody told."""
    kind = options.kind or results.kind
    if not kind:
        raise SpecError(
            f"{results.path} does not tell what {results.dataset} is: say it with --as {'|'.join(IMPORTABLE_KINDS)}."
        )
    if kind != results.kind and (kind not in IMPORTABLE_KINDS or results.kind not in (*IMPORTABLE_KINDS, "")):
        raise SpecError(f"Results of {result_format.title} cannot be taken as {kind}.")
    model = options.model or results.model
    if not model:
        raise SpecError(f"{results.path} does not tell whose answers it holds: --model NAME.")
    folder = str(results.path.resolve().parent)
    data = str((out / ROWS_FILE).resolve())
    places = {"data": data, "root": folder}
    if kind not in TASK_KINDS:  # upstream's own names for the same
        places = {"dataset_jsonl": data, "dataset_root": folder}
    arguments = {**places, "name": results.dataset, **results.task_options, **options.options}
    return Spec(
        task=kind,
        task_args=arguments,
        model=model,
        model_args={"imported_from": result_format.name},
        profile=options.profile,
    ).resolved()


def _describe_source(path: Path) -> dict[str, Json]:
    return {"path": str(path.resolve()), "sha256": compute_sha256(path)}


def _build_progress(results: ImportedResults, count: int) -> dict[str, Json]:
    """As after a pass over the data; what it took is told only where every answer tells it."""
    name, digits = results.path.name, compute_sha256(results.path)[:8]
    return {
        "complete": True,
        "rows": count,
        "passes": _summarise_timing(results.samples),
        "revision": f"{name}@{digits}",
        "notes": list(results.notes),
    }


def _summarise_timing(samples: Sequence[ImportedSample]) -> list[dict[str, Json]]:
    given = [each for each in samples if each.outputs]
    took = [each.seconds for each in given if each.seconds is not None]
    heard = [each.audio_seconds for each in given if each.audio_seconds is not None]
    if not given or len(took) < len(given):
        return []
    audio = round(sum(heard), 4) if len(heard) == len(given) else None
    return [{"wall_seconds": round(sum(took), 6), "samples": len(given), "audio_seconds": audio}]


def _build_records(results: ImportedResults, spec: Spec) -> list[Record]:
    """What became of each sample; refused as a whole where none of them can be scored."""
    with TemporaryDirectory(prefix="auricle-import-") as scratch:
        path = Path(scratch) / ROWS_FILE
        write_lines_atomically(path, (dumps(each.manifest_row) for each in results.samples))
        place = "data" if "data" in spec.task_args else "dataset_jsonl"
        apart = {**spec.task_args, place: str(path)}
        task = build_task(spec.model_copy(update={"task_args": apart}))
        items = list(_iterate_samples(task))
    if not any(isinstance(each, Sample) for each in items):
        why = next((each.reason for each in items if isinstance(each, RejectedRow)), "there is none")
        raise DataError(f"{results.path}: no row can be taken as {spec.task}: {why}.")
    root = Path(str(spec.task_args.get("root") or spec.task_args.get("dataset_root")))
    return [_build_record(at, each, results, root) for at, each in enumerate(items)]


def _build_record(index: int, item: Sample | RejectedRow, results: ImportedResults, root: Path) -> Record:
    answer = results.samples[int(item.origin.rpartition(":")[2]) - 1]
    if isinstance(item, RejectedRow):
        sample = Sample(id=f"rejected {answer.origin}", inputs={}, origin=answer.origin)
        failure = answer.error or Failure("RejectedRow", item.reason)
        return Record(sample=sample, row=index, error=failure, seconds=None)
    return Record(
        sample=replace(item, origin=answer.origin),
        row=index,
        key=_content_key(item, root),
        outputs=answer.outputs,
        error=answer.error,
        seconds=answer.seconds,
        audio_seconds=answer.audio_seconds,
    )


def _iterate_samples(task: Task) -> Iterator[Sample | RejectedRow]:
    """The task's samples; what was asked elsewhere need not be told here, nor its sound be here."""
    samples = task.samples
    if isinstance(samples, Manifest):
        asked = samples.fields.default_question or UNKNOWN_QUESTION
        fields = replace(samples.fields, requires_media=False, default_question=asked)
        samples = replace(samples, fields=fields)
    return iter(samples)


def _content_key(sample: Sample, root: Path) -> str:
    """What was asked about: by content where the sounds are here, else by what they are called."""
    try:
        return content_key(sample)
    except AudioError:
        named = {name: _name_media(value, root) for name, value in sample.inputs.items()}
        return blake2b(dumps(named), digest_size=16).hexdigest()


def _name_media(value: Any, root: Path) -> Any:
    if isinstance(value, Audio):
        return {"named": value.uri.removeprefix(f"{root}/"), "start": value.start, "end": value.end}
    if isinstance(value, (list, tuple)):
        return [_name_media(each, root) for each in value]
    return value
