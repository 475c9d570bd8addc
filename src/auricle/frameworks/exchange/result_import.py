"""Import results of other frameworks as ordinary runs."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from hashlib import file_digest
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from auricle import api
from auricle.core.errors import AudioError, DataError, SpecError
from auricle.core.files import write_lines_atomically
from auricle.core.serialization import content_key, dumps, name_key, rows_digest
from auricle.core.types import Failure, Record, RejectedRow, Sample
from auricle.data.manifest import Manifest
from auricle.engine.catalogue import TASK_KINDS
from auricle.engine.factory import build_run_spec, build_task
from auricle.engine.spec import Spec
from auricle.frameworks.exchange import IMPORTABLE_KINDS
from auricle.frameworks.exchange.result_files import IMPORTERS, ImportedResults, ResultFormat, sum_or_none
from auricle.runs.progress import PassTiming, Progress
from auricle.runs.run_directory import Run, contains_run, find_conflict, first_usable, set_aside
from auricle.runs.run_spec import RunSpec
from auricle.text import PROFILES

EARLIER_RESULTS_NOTE = "Earlier results of the same model and dataset in the folder are ignored."


def import_results(
    path: Path, format_name: str, out: Path | None, options: ImportOptions, *, fresh: bool = False
) -> Iterator[tuple[Path, str]]:
    """Write a run for each model and dataset in a result file or folder.

    Args:
        path: Result file or folder.
        format_name: Source framework, a name in `IMPORTERS`.
        out: Run directory, or folder for several runs; by default `runs`.
        options: Options that complete or override the files.
        fresh: Move an existing run in the folder aside first.

    Yields:
        The run directory, and a line that describes the import.
    """
    result_format = IMPORTERS.get(format_name)
    if options.reference:
        result_format = result_format.with_reference(options.reference, options.options)
    all_results = [_read_results(result_format, file) for file in result_format.find_files(path)]
    selected = _select_latest(_select_dataset(all_results, options.only, path))
    for results in selected:
        name = re.sub(r"[^\w.+-]+", "-", f"{results.dataset}-{options.model or results.model}").strip("-")
        default = (out or Path("runs")) / (name or "imported")
        if out and len(selected) == 1:
            folder = out
        else:
            folder = first_usable(default, partial(_is_usable, results, result_format, options))
        if fresh:
            set_aside(folder)
        spec = write_run(results, result_format, folder, options)
        yield folder, _describe_import(results, result_format, folder, spec)


def _select_dataset(results: list[ImportedResults], dataset: str, path: Path) -> list[ImportedResults]:
    selected = [result for result in results if dataset in ("", result.dataset)]
    if not selected:
        names = ", ".join(dict.fromkeys(result.dataset for result in results))
        raise DataError(f"{path} has no dataset {dataset!r}. Available: {names}.")
    return selected


def _select_latest(results: list[ImportedResults]) -> list[ImportedResults]:
    """Select the latest file of each model and dataset; file names contain the time."""
    latest = {(result.model, result.dataset): result for result in results}
    counts = Counter((result.model, result.dataset) for result in results)
    return [
        replace(result, notes=(*result.notes, EARLIER_RESULTS_NOTE)) if counts[key] > 1 else result
        for key, result in latest.items()
    ]


def _describe_import(results: ImportedResults, result_format: ResultFormat, folder: Path, spec: Spec) -> str:
    count = len(results.samples)
    line = f"{count} sample{'s' * (count != 1)} of {results.dataset} by {spec.model}: {folder}."
    if not (profile := _find_profile(result_format, spec)):
        return line
    # Other frameworks report character errors as a word error rate.
    metrics = "-T metrics=wer " if profile.endswith("-zh") else ""
    command = f"auricle score {folder} {metrics}--profile {profile}"
    return f"{line} Scored with Auricle's rules. To score as {result_format.title} does: {command}"


def _find_profile(result_format: ResultFormat, spec: Spec) -> str:
    """Return the profile that normalises as the framework does, or "" if there is none."""
    if spec.task.startswith(f"{result_format.profile}:"):  # a task of the framework: the profile chooses its metrics
        return "" if spec.profile else result_format.profile
    names = (f"{result_format.profile}-{spec.task_args.get('language', '')}", result_format.profile)
    available = [name for name in names if name in PROFILES]
    return available[0] if available and spec.task == "asr" and not spec.profile else ""


def _read_results(result_format: ResultFormat, path: Path) -> ImportedResults:
    lines = result_format.read_lines(path)
    for origin, values in lines:
        if not result_format.matches(values):
            raise DataError(_wrong_format_message(result_format, path, origin, values))
    results = result_format.read(path, lines)
    if not any(sample.outputs for sample in results.samples):
        reason = next((sample.error.message for sample in results.samples if sample.error), "")
        raise DataError(f"{path} contains no answers: all {len(results.samples)} samples failed. First: {reason}.")
    return results


def _wrong_format_message(result_format: ResultFormat, path: Path, origin: str, values: Mapping[str, object]) -> str:
    number = origin.rpartition(":")[2]
    formats = map(IMPORTERS.get, sorted(IMPORTERS.builtin))
    if other := next((candidate for candidate in formats if candidate.matches(values)), None):
        return (
            f"{path}:{number} looks like a result of {other.title}, not of {result_format.title}. "
            f"Try --from {other.name}."
        )
    return (
        f"{path}:{number} is not a result of {result_format.title}. "
        f"Expected the columns {' and '.join(result_format.required_columns)}, "
        f"got {', '.join(list(values)[:8]) or 'none'}."
    )


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
    reference: Path | None = None
    """File or folder with the reference, for formats that have none."""
    options: Mapping[str, Any] = field(default_factory=dict)


def write_run(results: ImportedResults, result_format: ResultFormat, out: Path, options: ImportOptions) -> Spec:
    """Write a run from results, score it, and return its spec."""
    spec = build_spec(results, result_format, out, options)
    records, notes = _build_records(results, spec)
    with Run.open(out, _describe_run(spec, results, result_format)) as run:
        if not run.read_progress().complete:  # already imported
            write_lines_atomically(out / ROWS_FILE, (dumps(sample.manifest_row) for sample in results.samples))
            for record in records:
                run.append(record)
            run.flush()
            run.write_progress(_build_progress(results, records, notes))
    api.score(out)
    return spec


def _is_usable(results: ImportedResults, result_format: ResultFormat, options: ImportOptions, folder: Path) -> bool:
    """Return whether a folder is free, or contains a run of the same results."""
    if not contains_run(folder):
        return True
    spec = build_spec(results, result_format, folder, options)
    return not find_conflict(folder, _describe_run(spec, results, result_format))


def _describe_run(spec: Spec, results: ImportedResults, result_format: ResultFormat) -> RunSpec:
    """Build spec.json, with the imported files and their digests."""
    paths = (results.path, *results.extra_files)
    digests = [_compute_sha256(path) for path in paths]
    files = [{"path": str(path.resolve()), "sha256": digest} for path, digest in zip(paths, digests, strict=True)]
    task = build_task(spec)
    run_spec = build_run_spec(spec, task, task.inferencer)
    identity = {**run_spec.identity, "inferencer": f"Imported({result_format.name})", "sources": digests}
    return replace(run_spec, identity=identity, imported={"from": result_format.name, "files": files})


def build_spec(results: ImportedResults, result_format: ResultFormat, out: Path, options: ImportOptions) -> Spec:
    """Build the spec of the run; raise `SpecError` if the kind of task or the model is unknown."""
    kind = results.tasks_by_kind.get(options.kind, options.kind) or results.task or results.kind
    if not kind:
        raise SpecError(
            f"{results.path} does not identify the kind of task of {results.dataset}. "
            f"Pass --as {'|'.join(IMPORTABLE_KINDS)}."
        )
    own_tasks = (results.task, *results.tasks_by_kind.values())
    is_text = kind in IMPORTABLE_KINDS and results.kind in (*IMPORTABLE_KINDS, "")
    if kind not in (*own_tasks, results.kind) and not is_text:
        raise SpecError(f"Results of {result_format.title} cannot be imported as {kind}.")
    model = options.model or results.model
    if not model:
        raise SpecError(f"{results.path} does not name the model. Pass --model NAME.")
    # Benchmarks have their own argument names.
    is_manifest = kind in (*TASK_KINDS, *own_tasks)
    data_argument, root_argument = ("data", "root") if is_manifest else ("dataset_jsonl", "dataset_root")
    paths = {data_argument: str((out / ROWS_FILE).resolve()), root_argument: str(results.path.resolve().parent)}
    arguments = {**paths, "name": results.dataset, **results.task_options, **options.options}
    model_args = {"imported_from": result_format.name}
    return Spec(task=kind, task_args=arguments, model=model, model_args=model_args, profile=options.profile).resolved()


def _compute_sha256(path: Path) -> str:
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()


def _build_progress(results: ImportedResults, records: Sequence[Record], notes: Sequence[str]) -> Progress:
    """Build the progress of a complete pass; timing is included only if every answer has it."""
    answered = [sample for sample in results.samples if sample.outputs]
    seconds = sum_or_none([sample.seconds for sample in answered])
    audio_seconds = sum_or_none([sample.audio_seconds for sample in answered])
    passes: tuple[PassTiming, ...] = ()
    if answered and seconds is not None:
        audio_seconds = audio_seconds and round(audio_seconds, 4)
        passes = (PassTiming(round(seconds, 6), len(answered), audio_seconds, round(seconds, 6)),)
    rows = (record for record in records if record.sample.inputs)
    return Progress(
        complete=True,
        rows=len(records),
        passes=passes,
        revision=f"rows@{rows_digest(rows)[:8]}",
        notes=(*results.notes, *notes),
    )


def _build_records(results: ImportedResults, spec: Spec) -> tuple[list[Record], list[str]]:
    """Build the records of the journal, and notes on them; raise `DataError` if no row is valid for the task."""
    with TemporaryDirectory(prefix="auricle-import-") as scratch:
        path = Path(scratch) / ROWS_FILE
        write_lines_atomically(path, (dumps(sample.manifest_row) for sample in results.samples))
        data_argument = "data" if "data" in spec.task_args else "dataset_jsonl"
        scratch_arguments = {**spec.task_args, data_argument: str(path)}
        task = build_task(spec.model_copy(update={"task_args": scratch_arguments}))
        samples = task.samples
        if isinstance(samples, Manifest):
            # The question and the audio may be missing here.
            fields = replace(samples.fields, requires_media=False)
            if spec.task in TASK_KINDS:
                fields = replace(fields, default_question=fields.default_question or UNKNOWN_QUESTION)
            samples = replace(samples, fields=fields)
        items = list(samples)
        notes = task.notes(spec.model, spec.model_args) if task.derived_args else []
    if not any(isinstance(item, Sample) for item in items):
        reason = next((item.reason for item in items if isinstance(item, RejectedRow)), "there are no rows")
        raise DataError(f"{results.path}: no row can be used as {spec.task}: {reason}.")
    return [_build_record(index, item, results) for index, item in enumerate(items)], notes


def _build_record(index: int, item: Sample | RejectedRow, results: ImportedResults) -> Record:
    imported = results.samples[int(item.origin.rpartition(":")[2]) - 1]
    if isinstance(item, RejectedRow):
        sample = Sample(id=f"rejected {imported.origin}", inputs={}, origin=imported.origin)
        failure = imported.error or Failure(RejectedRow.__name__, item.reason)
        return Record(sample=sample, row=index, error=failure, seconds=None)
    return Record(
        sample=replace(item, origin=imported.origin),
        row=index,
        key=_content_key(item),
        outputs=imported.outputs,
        error=imported.error,
        seconds=imported.seconds,
        audio_seconds=imported.audio_seconds,
    )


def _content_key(sample: Sample) -> str:
    """Return the content key of a sample; if its audio is missing, a key of the audio's names."""
    try:
        return content_key(sample)
    except AudioError:
        return name_key(sample)
