"""Score files of segments without a model, and export the answers of a run as such files.

The format of a hypothesis and that of its reference may differ: RTTM can be scored against STM.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from auricle.core.errors import DataError, SpecError, Unreadable
from auricle.core.files import write_atomically
from auricle.core.segments import join_texts
from auricle.core.types import Generation, Record, Segment
from auricle.data.folder_scan import AUDIO_SUFFIXES
from auricle.engine.spec import Spec
from auricle.frameworks.exchange.result_files import ImportedResults, ImportedSample, Notify, ResultFormat, ResultLine
from auricle.runs.run_directory import Run
from auricle.tasks.meetings.metrics.turns import read_answer, read_reference
from auricle.tasks.meetings.segment_files import (
    FORMATTERS,
    SUFFIXES,
    Region,
    SegmentFile,
    format_uem,
    iter_rows,
    read_segments,
)

FILE_SUFFIXES = {"rttm": ".rttm", "stm": ".stm", "ctm": ".ctm", "seglst": ".json"}
TITLES = {"rttm": "RTTM", "stm": "STM", "ctm": "CTM", "seglst": "SegLST"}
MAX_NAMES = 5
"""Most recordings that a note names."""


# --- import --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class SegmentFormat(ResultFormat):
    """Files of segments, which have no reference of their own."""

    def with_reference(self, reference: Path, options: Mapping[str, Any]) -> SegmentFormat:
        """Return the format with the reference that all of its files are scored against.

        Args:
            reference: A file of segments, or a folder of them.
            options: Options of the task; `root` is the folder of the recordings.
        """
        folder = reference if reference.is_dir() else reference.parent
        root = Path(str(options.get("root") or folder))
        return replace(self, read=partial(_read_results, self.name, reference, root))

    def matches(self, values: Mapping[str, Any]) -> bool:
        """Return False: these files have no rows with columns."""
        return False

    def find_files(self, path: Path) -> list[Path]:
        """Return the path itself: a file, or a folder whose files are one hypothesis."""
        if isinstance(self.read, partial):
            list_files(path, self.name)
            return [path]
        raise SpecError(f"{self.title} files have no reference. Add --reference FILE.")

    def read_lines(self, path: Path) -> list[ResultLine]:
        """Return nothing: a file is read as a whole."""
        return []


def list_files(path: Path, format_name: str = "") -> list[Path]:
    """Return a file, or the files of segments in a folder.

    Raises:
        DataError: if there is none.
    """
    if path.is_file():
        return [path]
    if not path.exists():
        raise DataError(f"There is no file or folder {path}.")
    suffixes = {FILE_SUFFIXES[format_name], f".{format_name}"} if format_name else {*SUFFIXES}
    files = sorted(file for file in path.rglob("*") if file.is_file() and file.suffix.lower() in suffixes)
    if not files:
        raise DataError(f"{path} contains no files that end in {', '.join(sorted(suffixes))}.")
    return files


def merge_files(files: Iterable[SegmentFile]) -> SegmentFile:
    """Return the recordings of several files; turns of a recording in two files are put together."""
    merged = SegmentFile({})
    for file in files:
        recordings = {**merged.recordings}
        for name, segments in file.recordings.items():
            recordings[name] = (*recordings.get(name, ()), *segments)
        merged = SegmentFile(recordings, {**merged.ignored, **file.ignored}, {**merged.zero_length, **file.zero_length})
    return merged


def _read_results(
    format_name: str, reference_path: Path, root: Path, path: Path, lines: Sequence[ResultLine]
) -> ImportedResults:
    files, reference_files = list_files(path, format_name), list_files(reference_path)
    _check_no_reference(path, files, reference_files)
    parts = [read_segments(file, format_name) for file in files]
    hypothesis = merge_files(parts)
    reference = merge_files(map(read_segments, reference_files))
    if not set(reference.recordings) & set(hypothesis.recordings):
        names = ", ".join(list(hypothesis.recordings)[:MAX_NAMES])
        raise DataError(
            f"{path} and {reference_path} have no recording in common: {names or 'none'} in the first, "
            f"{', '.join(list(reference.recordings)[:MAX_NAMES]) or 'none'} in the second."
        )
    return ImportedResults(
        path=files[0],
        model=path.stem,
        dataset=reference_path.stem,
        samples=[
            _to_sample(row.origin, dict(row.values), hypothesis.recordings.get(row.values["id"], ()), root)
            for row in iter_rows(reference_path, reference)
        ],
        kind="meeting",
        task_options={"root": str(root.resolve())},
        extra_files=(*files[1:], *reference_files),
        notes=(*reference.notes(), *_list_merged(parts), *_compare_names(hypothesis, reference)),
    )


def _check_no_reference(path: Path, files: Sequence[Path], references: Sequence[Path]) -> None:
    """Raise `DataError` if the files of a folder include a reference, which would count as answers."""
    if not path.is_dir():
        return
    resolved = {reference.resolve() for reference in references}
    exported = {file.with_stem("reference") for file in files if file.stem == "hypothesis"}  # as `export` names them
    if file := next((file for file in files if file.resolve() in resolved or file in exported), None):
        raise DataError(f"{path} contains the reference {file.name}. Import the file of the answers, not its folder.")


def _list_merged(parts: Sequence[SegmentFile]) -> Iterable[str]:
    """Yield a note on recordings whose turns are in several files."""
    counts = Counter(name for part in parts for name in part.recordings)
    if merged := [name for name, count in counts.items() if count > 1]:
        yield f"Put together from several files: {_list_names(merged)}."


def _to_sample(origin: str, row: dict[str, Any], segments: Sequence[Segment], root: Path) -> ImportedSample:
    names = (f"{row['id']}{suffix}" for suffix in AUDIO_SUFFIXES)
    row["audio"] = next((name for name in names if (root / name).exists()), None)
    answer = Generation(text=join_texts(segments), segments=tuple(segments))
    return ImportedSample(manifest_row=row, origin=origin, outputs=(answer,))


def _compare_names(hypothesis: SegmentFile, reference: SegmentFile) -> Iterable[str]:
    """Yield notes on recordings that only one side has."""
    if missing := [name for name in reference.recordings if name not in hypothesis.recordings]:
        yield f"Scored as recordings without turns, because the answers have none: {_list_names(missing)}."
    if additional := [name for name in hypothesis.recordings if name not in reference.recordings]:
        yield f"Not scored, because the reference does not have them: {_list_names(additional)}."


def _list_names(names: Sequence[str]) -> str:
    others = f" and {len(names) - MAX_NAMES} others" if len(names) > MAX_NAMES else ""
    return ", ".join(names[:MAX_NAMES]) + others


def _make_format(name: str) -> SegmentFormat:
    suffix = FILE_SUFFIXES[name]

    def read(path: Path, lines: Sequence[ResultLine]) -> ImportedResults:
        raise SpecError(f"{TITLES[name]} files have no reference. Add --reference FILE.")

    return SegmentFormat(name, TITLES[name], (), f"*{suffix}", f"a file that ends in {suffix}", read)


RTTM, STM, CTM, SEGLST = map(_make_format, FILE_SUFFIXES)


# --- export --------------------------------------------------------------------------------------


def export(format_name: str, run: Path, out: Path, notify: Notify) -> list[Path]:
    """Write the answers of a run, its references and the regions that were scored.

    Args:
        format_name: A name in `FORMATTERS`.
        run: Run directory.
        out: Output folder.
        notify: Called with notes for the user.

    Returns:
        `hypothesis`, and `reference` and `scored.uem` if the samples have segments as references.
    """
    loaded = Run.load(run)
    records = sorted(loaded.records(), key=lambda record: record.row)
    answers = {record.sample.id: segments for record in records if (segments := _find_segments(record)) is not None}
    if not answers:
        raise SpecError(f"{run} has no answers with segments, which {TITLES[format_name]} needs.")
    if others := len(records) - len(answers):
        notify(f"{others} samples without segments are left out.")
    references = {record.sample.id: read_reference(record.sample) for record in records}
    known = {name: reference for name, reference in references.items() if reference.segments is not None}
    suffix, formatter = FILE_SUFFIXES[format_name], FORMATTERS[format_name]
    contents = {f"hypothesis{suffix}": formatter(answers)}
    if known:
        contents[f"reference{suffix}"] = formatter({name: item.segments or () for name, item in known.items()})
        convention = str(Spec.from_run(loaded).task_args.get("convention", ""))
        regions = {
            name: _find_regions(item.regions, item.segments or (), answers.get(name, ()), convention)
            for name, item in known.items()
        }
        contents["scored.uem"] = format_uem(regions)
    out.mkdir(parents=True, exist_ok=True)
    for name, content in contents.items():
        write_atomically(out / name, content.encode())
    return [out / name for name in contents]


def _find_segments(record: Record) -> tuple[Segment, ...] | None:
    last = record.outputs[-1] if record.outputs else None
    if not isinstance(last, Generation):
        return None
    try:
        return read_answer(last)
    except Unreadable:
        return None


def _find_regions(
    regions: Sequence[Region] | None, reference: Sequence[Segment], answer: Sequence[Segment], convention: str
) -> Sequence[Region]:
    """Return the UEM of a recording, or the extent that is scored without one."""
    if regions is not None:
        return regions
    segments = [*reference, *(() if convention == "md-eval" else answer)]
    if not segments:
        return ()
    return (Region(min(segment.start for segment in segments), max(segment.end for segment in segments)),)


export_rttm, export_stm, export_ctm, export_seglst = (partial(export, name) for name in FILE_SUFFIXES)
