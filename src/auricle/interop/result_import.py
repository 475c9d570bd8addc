"""Import results of other frameworks as ordinary runs."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from auricle.core.errors import DataError
from auricle.engine.spec import Spec
from auricle.interop.frameworks import RESULT_FORMATS
from auricle.interop.result_files import ImportedResults, ResultFormat, load_format, read_lines
from auricle.interop.run_writer import ImportOptions as ImportOptions
from auricle.interop.run_writer import write_run
from auricle.runs.run_directory import set_aside
from auricle.text import PROFILES

EARLIER_RESULTS_NOTE = "Earlier results of the same model and dataset in the folder are ignored."


def import_results(
    path: Path, format_name: str, out: Path | None, options: ImportOptions, *, fresh: bool = False
) -> Iterator[tuple[Path, str]]:
    """Write a run for each model and dataset in a result file or folder.

    Args:
        path: Result file or folder.
        format_name: Source framework, a key of `RESULT_FORMATS`.
        out: Run directory, or folder for several runs; by default `runs`.
        options: Options that complete or override the files.
        fresh: Move an existing run in the folder aside first.

    Yields:
        The run directory, and a line that describes the import.
    """
    result_format = load_format(format_name)
    selected = _select_latest(_select_dataset(read_all_results(path, format_name), options.only, path))
    for results in selected:
        single = out if out and len(selected) == 1 else None
        folder = single or (out or Path("runs")) / _run_folder_name(results, options)
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


def _run_folder_name(results: ImportedResults, options: ImportOptions) -> str:
    """Return the default name of a run directory."""
    name = f"{results.dataset}-{options.model or results.model}"
    return re.sub(r"[^\w.+-]+", "-", name).strip("-") or "imported"


def _describe_import(results: ImportedResults, result_format: ResultFormat, folder: Path, spec: Spec) -> str:
    count = len(results.samples)
    line = f"{count} sample{'s' * (count != 1)} of {results.dataset} by {spec.model}: {folder}."
    if not (profile := _find_profile(result_format, spec)):
        return line
    command = f"auricle score {folder} --profile {profile}"
    if profile.endswith("-zh"):  # other frameworks report character errors as a word error rate
        source = f"{results.path} --from {result_format.name}"
        command = f"auricle import {source} -o {folder} -T metrics=wer --profile {profile}"
    return f"{line} Scored with Auricle's rules. To score as {result_format.title} does: {command}"


def _find_profile(result_format: ResultFormat, spec: Spec) -> str:
    """Return the profile that normalises as the framework does, or "" if there is none."""
    names = (f"{result_format.profile}-{spec.task_args.get('language', '')}", result_format.profile)
    available = [name for name in names if name in PROFILES]
    return available[0] if available and spec.task == "asr" and not spec.profile else ""


def read_all_results(path: Path, format_name: str) -> list[ImportedResults]:
    """Read the results in a file, or in each result file of a folder."""
    result_format = load_format(format_name)
    return [_read_results(result_format, file) for file in result_format.find_files(path)]


def _read_results(result_format: ResultFormat, path: Path) -> ImportedResults:
    lines = read_lines(path)
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
    formats = map(load_format, sorted(RESULT_FORMATS))
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
