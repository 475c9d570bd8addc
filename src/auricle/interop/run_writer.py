"""Write imported results as a run; no model is called."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b, file_digest
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
from auricle.engine.factory import build_run_spec, build_task
from auricle.engine.spec import TASK_KINDS, Spec
from auricle.interop.frameworks import IMPORTABLE_KINDS
from auricle.interop.result_files import ImportedResults, ImportedSample, ResultFormat
from auricle.runs.progress import PassTiming, Progress
from auricle.runs.run_directory import Run
from auricle.runs.run_spec import RunSpec
from auricle.tasks.base import Task

ROWS_FILE = "imported.jsonl"
"""File in the run directory with the samples, without their answers."""
UNKNOWN_QUESTION = "(question not in the imported file)"


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportOptions:
    """Options that complete or override what result files contain."""

    kind: str = ""
    model: str = ""
    profile: str | None = None
    only: str = ""
    """Import only this dataset of a folder."""
    options: Mapping[str, Any] = field(default_factory=dict)


def write_run(results: ImportedResults, result_format: ResultFormat, out: Path, options: ImportOptions) -> Spec:
    """Write a run from results, score it, and return its spec."""
    spec = build_spec(results, result_format, out, options)
    records = _build_records(results, spec)
    with Run.open(out, _describe_run(spec, build_task(spec), results, result_format)) as run:
        if not run.read_progress().complete:  # already imported
            write_lines_atomically(out / ROWS_FILE, (dumps(sample.manifest_row) for sample in results.samples))
            for record in records:
                run.append(record)
            run.flush()
            run.write_progress(_build_progress(results, len(records)))
    api.score(out)
    return spec


def _describe_run(spec: Spec, task: Task, results: ImportedResults, result_format: ResultFormat) -> RunSpec:
    """Build spec.json, with the imported files and their digests."""
    sources = [_describe_source(path) for path in (results.path, *results.extra_files)]
    run_spec = build_run_spec(spec, task, task.inferencer)
    identity = {
        **run_spec.identity,
        "inferencer": f"Imported({result_format.name})",
        "sources": [source["sha256"] for source in sources],
    }
    return replace(run_spec, identity=identity, imported={"from": result_format.name, "files": sources})


def build_spec(results: ImportedResults, result_format: ResultFormat, out: Path, options: ImportOptions) -> Spec:
    """Build the spec of the run; raise `SpecError` if the kind of task or the model is unknown."""
    kind = options.kind or results.kind
    if not kind:
        raise SpecError(
            f"{results.path} does not identify the kind of task of {results.dataset}. "
            f"Pass --as {'|'.join(IMPORTABLE_KINDS)}."
        )
    if kind != results.kind and (kind not in IMPORTABLE_KINDS or results.kind not in (*IMPORTABLE_KINDS, "")):
        raise SpecError(f"Results of {result_format.title} cannot be imported as {kind}.")
    model = options.model or results.model
    if not model:
        raise SpecError(f"{results.path} does not name the model. Pass --model NAME.")
    folder = str(results.path.resolve().parent)
    data = str((out / ROWS_FILE).resolve())
    data_arguments = {"data": data, "root": folder}
    if kind not in TASK_KINDS:  # benchmarks with their own argument names
        data_arguments = {"dataset_jsonl": data, "dataset_root": folder}
    arguments = {**data_arguments, "name": results.dataset, **results.task_options, **options.options}
    return Spec(
        task=kind,
        task_args=arguments,
        model=model,
        model_args={"imported_from": result_format.name},
        profile=options.profile,
    ).resolved()


def _describe_source(path: Path) -> dict[str, Json]:
    return {"path": str(path.resolve()), "sha256": _compute_sha256(path)}


def _compute_sha256(path: Path) -> str:
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()


def _build_progress(results: ImportedResults, count: int) -> Progress:
    """Build the progress of a complete pass; timing is included only if every answer has it."""
    name, digest = results.path.name, _compute_sha256(results.path)[:8]
    return Progress(
        complete=True,
        rows=count,
        passes=_summarise_timing(results.samples),
        revision=f"{name}@{digest}",
        notes=tuple(results.notes),
    )


def _summarise_timing(samples: Sequence[ImportedSample]) -> tuple[PassTiming, ...]:
    answered = [sample for sample in samples if sample.outputs]
    durations = [sample.seconds for sample in answered if sample.seconds is not None]
    audio_durations = [sample.audio_seconds for sample in answered if sample.audio_seconds is not None]
    if not answered or len(durations) < len(answered):
        return ()
    audio_seconds = round(sum(audio_durations), 4) if len(audio_durations) == len(answered) else None
    return (PassTiming(round(sum(durations), 6), len(answered), audio_seconds),)


def _build_records(results: ImportedResults, spec: Spec) -> list[Record]:
    """Build the records of the journal; raise `DataError` if no row is valid for the task."""
    with TemporaryDirectory(prefix="auricle-import-") as scratch:
        path = Path(scratch) / ROWS_FILE
        write_lines_atomically(path, (dumps(sample.manifest_row) for sample in results.samples))
        data_argument = "data" if "data" in spec.task_args else "dataset_jsonl"
        scratch_arguments = {**spec.task_args, data_argument: str(path)}
        task = build_task(spec.model_copy(update={"task_args": scratch_arguments}))
        items = list(_iterate_samples(task))
    if not any(isinstance(item, Sample) for item in items):
        reason = next((item.reason for item in items if isinstance(item, RejectedRow)), "there are no rows")
        raise DataError(f"{results.path}: no row can be used as {spec.task}: {reason}.")
    root = Path(str(spec.task_args.get("root") or spec.task_args.get("dataset_root")))
    return [_build_record(index, item, results, root) for index, item in enumerate(items)]


def _build_record(index: int, item: Sample | RejectedRow, results: ImportedResults, root: Path) -> Record:
    imported = results.samples[int(item.origin.rpartition(":")[2]) - 1]
    if isinstance(item, RejectedRow):
        sample = Sample(id=f"rejected {imported.origin}", inputs={}, origin=imported.origin)
        failure = imported.error or Failure(RejectedRow.__name__, item.reason)
        return Record(sample=sample, row=index, error=failure, seconds=None)
    return Record(
        sample=replace(item, origin=imported.origin),
        row=index,
        key=_content_key(item, root),
        outputs=imported.outputs,
        error=imported.error,
        seconds=imported.seconds,
        audio_seconds=imported.audio_seconds,
    )


def _iterate_samples(task: Task) -> Iterator[Sample | RejectedRow]:
    """Yield the task's samples without requiring the question or the audio, which may be missing here."""
    samples = task.samples
    if isinstance(samples, Manifest):
        question = samples.fields.default_question or UNKNOWN_QUESTION
        fields = replace(samples.fields, requires_media=False, default_question=question)
        samples = replace(samples, fields=fields)
    return iter(samples)


def _content_key(sample: Sample, root: Path) -> str:
    """Return the content key of a sample; if its audio is missing, a key of the audio's names."""
    try:
        return content_key(sample)
    except AudioError:
        named_inputs = {name: _name_media(value, root) for name, value in sample.inputs.items()}
        return blake2b(dumps(named_inputs), digest_size=16).hexdigest()


def _name_media(value: Any, root: Path) -> Any:
    if isinstance(value, Audio):
        return {"named": value.uri.removeprefix(f"{root}/"), "start": value.start, "end": value.end}
    if isinstance(value, (list, tuple)):
        return [_name_media(item, root) for item in value]
    return value
