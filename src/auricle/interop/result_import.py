"""Results of other tools as ordinary runs: scored, shown and compared like any other."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from auricle.core.errors import DataError
from auricle.engine.spec import Spec
from auricle.interop.cmi import import_results as cmi
from auricle.interop.kimi import import_results as kimi
from auricle.interop.lmms import import_results as lmms
from auricle.interop.open_asr import import_results as open_asr
from auricle.interop.result_files import ImportedResults, ResultFormat, read_lines
from auricle.interop.run_writer import ImportOptions as ImportOptions
from auricle.interop.run_writer import write_run
from auricle.interop.ultraeval import import_results as ultraeval
from auricle.runs.run_directory import set_aside
from auricle.text import PROFILES

RESULT_FORMATS: Mapping[str, ResultFormat] = {
    module.FORMAT.name: module.FORMAT for module in (cmi, kimi, lmms, open_asr, ultraeval)
}

EARLIER_RESULTS_NOTE = "Earlier results of the same model and dataset are in the folder, and left out."


def import_results(
    path: Path, format_name: str, out: Path | None, options: ImportOptions, *, fresh: bool = False
) -> Iterator[tuple[Path, str]]:
    """Make a run of each result file a path names; where it is, and a line about it."""
    found = _select_latest(_select_dataset(read_all_results(path, format_name), options.only, path))
    for each in found:
        alone = out if out and len(found) == 1 else None
        folder = alone or (out or Path("runs")) / _run_folder_name(each, options)
        if fresh:
            set_aside(folder)
        spec = write_run(each, RESULT_FORMATS[format_name], folder, options)
        yield folder, _describe_import(each, RESULT_FORMATS[format_name], folder, spec)


def _select_dataset(results: list[ImportedResults], dataset: str, path: Path) -> list[ImportedResults]:
    wanted = [each for each in results if dataset in ("", each.dataset)]
    if not wanted:
        names = ", ".join(dict.fromkeys(each.dataset for each in results))
        raise DataError(f"{path} has no dataset called {dataset!r}; it has {names}.")
    return wanted


def _select_latest(results: list[ImportedResults]) -> list[ImportedResults]:
    """The last file of each model and dataset; their names tell the time."""
    last = {(each.model, each.dataset): each for each in results}
    counts = Counter((each.model, each.dataset) for each in results)
    return [
        replace(each, notes=(*each.notes, EARLIER_RESULTS_NOTE)) if counts[key] > 1 else each
        for key, each in last.items()
    ]


def _run_folder_name(results: ImportedResults, options: ImportOptions) -> str:
    """A run's folder, where none is named."""
    name = f"{results.dataset}-{options.model or results.model}"
    return re.sub(r"[^\w.+-]+", "-", name).strip("-") or "imported"


def _describe_import(results: ImportedResults, result_format: ResultFormat, folder: Path, spec: Spec) -> str:
    count = len(results.samples)
    line = f"{count} sample{'s' * (count != 1)} of {results.dataset} by {spec.model}: {folder}."
    if not (profile := _find_profile(result_format, spec)):
        return line
    again = f"auricle score {folder} --profile {profile}"
    if profile.endswith("-zh"):  # others call it a word error rate, whatever they count
        source = f"{results.path} --from {result_format.name}"
        again = f"auricle import {source} -o {folder} -T metrics=wer --profile {profile}"
    return f"{line} Scored by Auricle's rules; as {result_format.title} counts: {again}"


def _find_profile(result_format: ResultFormat, spec: Spec) -> str:
    """The profile that normalises a language as the tool does, where there is one."""
    names = (f"{result_format.profile}-{spec.task_args.get('language', '')}", result_format.profile)
    known = [name for name in names if name in PROFILES]
    return known[0] if known and spec.task == "asr" and not spec.profile else ""


def read_all_results(path: Path, format_name: str) -> list[ImportedResults]:
    """The results a file holds, or each file of a folder."""
    reader = RESULT_FORMATS[format_name]
    return [_read_results(reader, each) for each in reader.find_files(path)]


def _read_results(result_format: ResultFormat, path: Path) -> ImportedResults:
    lines = read_lines(path)
    for origin, values in lines:
        if not result_format.matches(values):
            raise DataError(_wrong_format_message(result_format, path, origin, values))
    found = result_format.read(path, lines)
    if not any(answer.outputs for answer in found.samples):
        first = next((each.error.message for each in found.samples if each.error), "")
        raise DataError(f"{path} holds no answer: all {len(found.samples)} samples failed, the first because {first}.")
    return found


def _wrong_format_message(result_format: ResultFormat, path: Path, origin: str, values: Mapping[str, object]) -> str:
    number = origin.rpartition(":")[2]
    fitting = [each for each in RESULT_FORMATS.values() if each.matches(values)]
    if fitting:
        return (
            f"{path}:{number} looks like results of {fitting[0].title}, not of {result_format.title}: "
            f"try --from {fitting[0].name}."
        )
    columns = ", ".join(list(values)[:8]) or "none"
    return (
        f"{path}:{number} is no result of {result_format.title}: it should have "
        f"{' and '.join(result_format.required_columns)}, "
        f"and has {columns}."
    )
