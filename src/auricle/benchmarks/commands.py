"""`auricle data`: list, verify and convert benchmark corpora, and make recordings with exact times."""

from __future__ import annotations

import os
import re
import shlex
import sys
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from difflib import get_close_matches
from hashlib import blake2b
from pathlib import Path
from typing import Any

import click
import orjson

from auricle.benchmarks.base import Benchmark
from auricle.benchmarks.sources import BenchmarkSamples, Item
from auricle.cli import options as opt
from auricle.cli.output import print_result
from auricle.core.errors import DataError, ExitStatus, SampleError, SpecError
from auricle.core.types import RejectedRow, Sample
from auricle.data.duplicates import DuplicateIndex, Recording, list_recordings
from auricle.engine.catalogue import TASKS
from auricle.engine.published import Published, load_published
from auricle.engine.task import Task
from auricle.media import Audio
from auricle.report.text_table import format_table

HEADER = ("name", "kind", "language", "licence", "version", "source")
MAX_PROBLEMS_SHOWN = 20
DURATION_TOLERANCE = 0.5
"""Seconds by which the last segment of a recording may be too long."""
MAX_PENDING_DECODES = 64
"""Recordings in the decoding queue; those of Hugging Face datasets are in memory."""

root_option = opt.path(
    "--root DIR",
    "Folder of the unpacked corpus. Same as -T root=DIR. [default: read from Hugging Face, if available there]",
)


@click.group()
def data() -> None:
    """List, verify and convert benchmark corpora, and make recordings with exact times."""


@data.command(name="list")
@click.argument("name", required=False)
@opt.json_option
def data_list(name: str | None, as_json: bool) -> None:
    """List the published benchmarks and those of installed packages, or show the details of NAME."""
    benchmarks: Mapping[str, Published] = load_published()
    if name:
        benchmarks = {name: _get_benchmark(name, benchmarks)}
    rows = [_format_row(name, benchmark) for name, benchmark in benchmarks.items()]
    lines = _format_details(name, benchmarks[name]) if name else format_table(HEADER, rows)
    print_result(as_json, [_benchmark_to_dict(name, benchmark) for name, benchmark in benchmarks.items()], lines)


def _format_row(name: str, benchmark: Published) -> tuple[str, ...]:
    facts = benchmark.provenance
    return name, benchmark.kind, format_languages(benchmark), facts.licence, str(facts.version), facts.source


@data.command(name="check")
@click.argument("name")
@root_option
@opt.task_args_option
@opt.count("--limit N", "Decode only N recordings, evenly spaced over the corpus. [default: all]")
@opt.json_option
def data_check(name: str, root: Path | None, task_args: Sequence[str], limit: int | None, as_json: bool) -> None:
    """Verify a copy of a corpus: number of rows, missing files, audio decoding, duplicate recordings.

    The exit code is 3 if there are problems; duplicates are listed, but may be part of the corpus.
    """
    arguments = _task_arguments(root, task_args)
    report = check_samples(_build_task(name, arguments), limit)
    if limit is None:
        check_other_splits(name, arguments, report)
    print_result(as_json, report.to_dict(), report.format_lines())
    sys.exit(ExitStatus.FAILURES if report.problems else ExitStatus.OK)


@data.command(name="prepare")
@click.argument("name")
@root_option
@opt.task_args_option
@opt.path("-o --out FILE", "Manifest to write, a .jsonl file.", required=True)
@opt.json_option
def data_prepare(**options: Any) -> None:
    """Convert a copy of a corpus to a manifest that gives the same metrics with --as KIND."""
    sys.exit(prepare_data(**options))


@data.command(name="join")
@click.argument("clips", type=click.Path(path_type=Path))
@opt.path("-o --out FILE", "Manifest to write, a .jsonl file; the recordings are in a folder beside it.", required=True)
@opt.count("-n --number count N", "Number of recordings to make.", default=20)
@opt.count("--clips clip_count N", "Clips in each recording.", default=8)
@opt.text("--pauses MIN-MAX", "Seconds of silence before, between and after clips.", default="0.05-0.3")
@opt.text("--by FIELD", "Column whose value all clips of a recording share, such as speaker. [default: none]")
@click.option("--seed", type=int, default=0, show_default=True, help="Decides which clips are drawn, and the pauses.")
@opt.task_args_option
@opt.json_option
def data_join(**options: Any) -> None:
    """Join short recordings into longer ones whose words have exact times.

    CLIPS is a data file with one word or phrase per recording. It is read as by `--as asr`. The result is data for
    `--as timestamps`.
    """
    join_data(**options)


def join_data(
    clips: Path, out: Path, pauses: str, by: str | None, task_args: Sequence[str], as_json: bool, **numbers: int
) -> None:
    """Write joined recordings and their manifest."""
    from auricle.tasks.timestamps.joining import JoinOptions, join_recordings

    _require_jsonl(out)
    rows = list(_build_task("asr", {**_task_arguments(None, task_args), "data": str(clips)}).samples)
    if rejected := next((row for row in rows if isinstance(row, RejectedRow)), None):
        raise DataError(f"{rejected.origin}: {rejected.reason}.")
    options = JoinOptions(numbers["count"], numbers["clip_count"], _parse_pauses(pauses), numbers["seed"])
    samples = [row for row in rows if isinstance(row, Sample)]
    joined = join_recordings(samples, out.parent / out.stem, options, by or "")
    _write_rows((orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE) for row in joined), out)
    sentence = f"Joined {len(samples):,} clips into {len(joined):,} recordings in {out}"
    _print_timed_data(out, sentence, len(joined), as_json)


@data.command(name="speak")
@click.argument("texts", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@opt.path("-o --out FILE", "Manifest to write, a .jsonl file; the recordings are in a folder beside it.", required=True)
@opt.text("--voice NAME", "Voice of eSpeak NG; `espeak-ng --voices` lists them.", default="en-us")
@opt.json_option
def data_speak(texts: Path, out: Path, voice: str, as_json: bool) -> None:
    """Speak texts with a synthesiser that knows the times of its words.

    TEXTS has one text per line. The result is data for `--as timestamps`. Needs the library of eSpeak NG, which the
    package manager of most systems has.
    """
    from auricle.tasks.timestamps.spoken_texts import speak_texts

    _require_jsonl(out)
    lines = [line.strip() for line in texts.read_text(encoding="utf-8").splitlines() if line.strip()]
    rows = speak_texts(lines, out.parent / out.stem, voice)
    _write_rows((orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE) for row in rows), out)
    _print_timed_data(out, f"Spoke {len(rows):,} texts in {out}", len(rows), as_json)


def _print_timed_data(out: Path, sentence: str, rows: int, as_json: bool) -> None:
    command = shlex.join(["auricle", "run", str(out), "--as", "timestamps", "-m"]) + " MODEL"
    document = {"path": str(out), "rows": rows, "command": command}
    print_result(as_json, document, [sentence, f"Run it with: {command}"])


def _parse_pauses(text: str) -> tuple[float, float]:
    shortest, _, longest = text.partition("-")
    try:
        return float(shortest), float(longest or shortest)
    except ValueError:
        raise SpecError(f"Invalid pauses {text!r}: expected seconds, such as 0.05-0.3.") from None


def _require_jsonl(out: Path) -> None:
    if out.suffix.lower() != ".jsonl":
        raise SpecError(f"The manifest is written as JSON lines: {out} must end in .jsonl.")


def load_benchmarks() -> dict[str, Benchmark]:
    """Return the published benchmarks of the task catalogue, by name."""
    return {name: entry for name, entry in load_published().items() if isinstance(entry, Benchmark)}


def _get_benchmark(name: str, available: Mapping[str, Published]) -> Published:
    if name not in available:
        near = get_close_matches(name, available, n=3)
        hint = f" Did you mean {', '.join(near)}?" if near else ""
        raise SpecError(f"Unknown benchmark {name!r}.{hint} See `auricle data list`.")
    return available[name]


def _format_details(name: str, benchmark: Published) -> Iterator[str]:
    """Format each property of a benchmark as a line; the first of several values is the default."""
    facts = benchmark.provenance
    properties = {
        "name": f"{name}: {facts.description}" if facts.description else name,
        "kind": benchmark.kind,
        "language": format_languages(benchmark),
        **(_list_parts(benchmark) if isinstance(benchmark, Benchmark) else {}),
        "version": str(facts.version),
        "licence": facts.licence or "not stated",
        "source": facts.source or "not stated",
        "citation": facts.citation or "not stated",
        **(_describe_copies(benchmark) if isinstance(benchmark, Benchmark) else {}),
    }
    width = max(map(len, properties)) + 2
    return (f"{name.ljust(width)}{value}" for name, value in properties.items())


def _list_parts(benchmark: Benchmark) -> dict[str, str]:
    """List the languages, splits and further options of a benchmark."""
    splits = [f"{split} ({count:,})" if count else split for split, count in benchmark.splits.items()]
    return {
        "language": ", ".join(benchmark.languages) or format_languages(benchmark),
        "split": ", ".join(splits),
        **{option: ", ".join(values) for option, values in benchmark.options.items()},
    }


def _describe_copies(benchmark: Benchmark) -> dict[str, str]:
    hub = benchmark.hub
    copy = f"{hub.name} at {hub.revision or 'no pinned revision'}" if hub else "no copy"
    return {"layout": benchmark.layout, "hub": copy}


def format_languages(benchmark: Published) -> str:
    """Return the language codes of a benchmark, or their number if there are more than three."""
    if isinstance(benchmark, Benchmark) and benchmark.any_language:
        return "any"
    codes = benchmark.provenance.languages or ("-",)
    return ", ".join(codes) if len(codes) <= 3 else f"{len(codes)} languages"


def _benchmark_to_dict(name: str, benchmark: Published) -> dict[str, Any]:
    facts = {"name": name, "kind": benchmark.kind, **asdict(benchmark.provenance)}
    if not isinstance(benchmark, Benchmark):
        return facts
    hub = benchmark.hub
    return {
        **facts,
        "language": benchmark.language,
        "title": benchmark.title,
        "layout": benchmark.layout,
        "splits": dict(benchmark.splits),
        "languages": dict(benchmark.languages),
        "options": {name: list(values) for name, values in benchmark.options.items()},
        "hub": {"name": hub.name, "revision": hub.revision} if hub else None,
    }


@dataclass
class CorpusReport:
    """The number of rows, files and recordings of a copy of a corpus, and its problems."""

    title: str
    expected_rows: int | None
    rows: int = 0
    files: set[str] = field(default_factory=set)
    decoded_count: int = 0
    seconds: float = 0.0
    problems: list[tuple[str, str, str]] = field(default_factory=list)
    """Kind, sample id and reason of each problem."""
    recordings: DuplicateIndex = field(default_factory=DuplicateIndex)
    """The decoded recordings, and those that occur under several ids."""
    notes: list[str] = field(default_factory=list)
    """What was noticed while the folder was read, such as files that were left out."""

    def format_lines(self) -> Iterator[str]:
        """Format the report, with at most `MAX_PROBLEMS_SHOWN` problems of each kind."""
        published = "" if self.expected_rows is None else f" of {self.expected_rows:,} published"
        yield f"{self.title}: {self.rows:,}{published} rows, {len(self.files):,} files"
        yield f"{self.decoded_count:,} recordings decoded, {_format_duration(self.seconds)}"
        counts = Counter(kind for kind, _, _ in self.problems)
        for kind in counts:
            yield from _format_kind(
                kind, [f"{name}: {reason}" for other, name, reason in self.problems if other == kind]
            )
        if duplicates := self.recordings.duplicates:
            yield from _format_kind("duplicate", list(map(str, duplicates)))
            yield f"Duplicates: {len(duplicates):,}. The same recording has several ids."
        yield from (f"note  {note}" for note in self.notes)
        totals = ", ".join(f"{kind} {count:,}" for kind, count in counts.items())
        yield f"Problems: {totals}." if totals else "No problems."

    def to_dict(self) -> dict[str, Any]:
        return {
            "title": self.title,
            "expected": self.expected_rows,
            "rows": self.rows,
            "files": len(self.files),
            "decoded": self.decoded_count,
            "seconds": round(self.seconds, 3),
            "duplicates": [
                {"id": duplicate.second.id, "first_id": duplicate.first.id, "split": duplicate.split}
                for duplicate in self.recordings.duplicates
            ],
            "notes": self.notes,
            "wrong": [{"kind": kind, "id": name, "reason": reason} for kind, name, reason in self.problems],
        }


def _format_kind(kind: str, lines: Sequence[str]) -> Iterator[str]:
    yield from (f"{kind}  {line}" for line in lines[:MAX_PROBLEMS_SHOWN])
    if len(lines) > MAX_PROBLEMS_SHOWN:
        yield f"{kind}  and {len(lines) - MAX_PROBLEMS_SHOWN:,} more"


def check_samples(task: Task, limit: int | None = None) -> CorpusReport:
    """Read every row of a task and decode its recordings: all, or `limit` evenly spaced ones."""
    samples: Any = task.samples
    published = samples if isinstance(samples, BenchmarkSamples) else None
    report = CorpusReport(published.title, published.expected_rows) if published else CorpusReport(task.name, None)
    selected = evenly_spaced_indices(len(samples), limit)
    ids: set[str] = set()
    with ThreadPoolExecutor(os.cpu_count() or 1) as threads:
        pending: deque[tuple[str, Future[Recording | str]]] = deque()
        for index, sample in enumerate(samples):
            report.rows += 1
            if isinstance(sample, RejectedRow):
                report.problems.append(("unreadable", sample.origin, sample.reason))
                continue
            if sample.id in ids:
                report.problems.append(("doubled", sample.id, "this id occurs more than once"))
            ids.add(sample.id)
            recordings = list(_existing_audio(sample, report))
            if index in selected:
                pending += [(sample.id, threads.submit(_decode, sample, audio)) for audio in recordings]
            while len(pending) > MAX_PENDING_DECODES:
                _record_decode(*pending.popleft(), report)
        for sample_id, future in pending:
            _record_decode(sample_id, future, report)
    if published:
        _check_published(published, report)
    return report


def _check_published(samples: BenchmarkSamples, report: CorpusReport) -> None:
    """Add the notes of the reader, and a problem if the number of rows is not the published one."""
    report.notes += samples.reader_notes()
    if mismatch := samples.count_mismatch(report.rows):
        report.problems.append(("count", report.title, mismatch))


def evenly_spaced_indices(total: int, limit: int | None) -> set[int]:
    """Return `limit` evenly spaced indices, including the first and the last; or all."""
    if limit is None or limit >= total:
        return set(range(total))
    return {round(step * (total - 1) / max(1, limit - 1)) for step in range(limit)}


def _existing_audio(sample: Sample, report: CorpusReport) -> Iterator[Audio]:
    """Yield the recordings of a sample, and report files that do not exist."""
    for audio in list_recordings(sample):
        if audio.path and str(audio.path) not in report.files:
            if not audio.path.exists():
                report.problems.append(("missing", sample.id, str(audio.path)))
                continue
            report.files.add(str(audio.path))
        yield audio


def _decode(sample: Sample, audio: Audio) -> Recording | str:
    """Decode a recording, or return why that failed."""
    try:
        recording = Recording.decode(sample, audio)
    except SampleError as error:
        return str(error)
    expected = 0.0 if audio.end is None else audio.end - audio.start
    if recording.seconds < expected - DURATION_TOLERANCE:
        return f"{audio.uri} is too short: {recording.seconds:.2f} s of {expected:.2f} s"
    return recording


def _record_decode(sample_id: str, future: Future[Recording | str], report: CorpusReport) -> None:
    result = future.result()
    if isinstance(result, str):
        report.problems.append(("broken", sample_id, result))
    else:
        report.decoded_count += 1
        report.seconds += result.seconds
        report.recordings.add(result)


def check_other_splits(name: str, arguments: Mapping[str, Any], report: CorpusReport) -> None:
    """Report recordings that also occur, under another id, in another split of an unpacked archive."""
    benchmark = TASKS.get(name)
    if not isinstance(benchmark, Benchmark) or not arguments.get("root"):
        return
    split = str(arguments.get("split") or next(iter(benchmark.splits)))
    for other in benchmark.splits:
        if other != split:
            with suppress(DataError, SpecError):  # the copy may lack the other split
                report.recordings.add_split(other, benchmark(**{**arguments, "split": other}).samples)


def _format_duration(seconds: float) -> str:
    return f"{seconds / 3600:,.2f} h" if seconds >= 3600 else f"{seconds:,.1f} s"


def prepare_data(name: str, root: Path | None, task_args: Sequence[str], out: Path, as_json: bool) -> int:
    """Write the rows of a corpus as a manifest with relative paths, and return the exit code."""
    _require_jsonl(out)
    arguments = _task_arguments(root, task_args)
    samples = _build_task(name, arguments).samples
    benchmark = TASKS.get(name)
    if not isinstance(samples, BenchmarkSamples) or not isinstance(benchmark, Benchmark):
        raise SpecError(f"{name} is not a published benchmark. Choose one of: {', '.join(load_benchmarks())}.")
    rows, rejected = _write_manifest(samples, out)
    command = _format_run_command(*benchmark.prepared_task(str(out), arguments))
    lines = [f"{samples.title}: wrote {rows:,} rows to {out}", f"Run it with: {command}"]
    if rejected:
        lines.append(f"{rejected:,} unreadable rows were left out. See `auricle data check {name}`.")
    print_result(as_json, {"path": str(out), "rows": rows, "rejected": rejected, "command": command}, lines)
    return ExitStatus.FAILURES if rejected else ExitStatus.OK


def _write_manifest(samples: BenchmarkSamples, out: Path) -> tuple[int, int]:
    """Write all rows or none; return the numbers of written and rejected rows."""
    rejected = 0

    def list_lines() -> Iterator[bytes]:
        nonlocal rejected
        for row in samples.items():
            if isinstance(row, RejectedRow):
                rejected += 1
            else:
                yield orjson.dumps(_make_paths_relative(row, samples, out), option=orjson.OPT_APPEND_NEWLINE)

    return _write_rows(list_lines(), out), rejected


def _write_rows(lines: Iterable[bytes], out: Path) -> int:
    """Write all lines or none, and return their number."""
    rows = 0
    out.parent.mkdir(parents=True, exist_ok=True)
    unfinished = out.with_name(f"{out.name}.unfinished")
    with unfinished.open("wb") as file:
        for line in lines:
            rows += 1
            file.write(line)
    unfinished.replace(out)
    return rows


def _make_paths_relative(row: Item, samples: BenchmarkSamples, out: Path) -> Item:
    """Make the audio paths of a row relative to the folder of the manifest."""
    base, manifest_folder = samples.root or Path(), out.resolve().parent

    def relative(value: Any) -> Any:
        if isinstance(value, list):
            return [relative(item) for item in value]
        if isinstance(value, Mapping) and value.get("bytes"):
            return _extract_audio(value, str(row["id"]), out)
        if not isinstance(value, str):
            raise SpecError(f"{samples.title}: the audio of row {row.get('id')} is neither a file nor bytes.")
        return Path(os.path.relpath((base / value).resolve(), manifest_folder)).as_posix()

    if row.get("turns"):  # a conversation: each turn has its own audio
        return {**row, "turns": [{**turn, "audio": relative(turn["audio"])} for turn in row["turns"]]}
    return {**row, **{name: relative(row[name]) for name in samples.media_columns if row.get(name)}}


def _extract_audio(audio: Mapping[str, Any], row_id: str, out: Path) -> str:
    """Write embedded audio to a folder beside the manifest and return its relative path."""
    content = bytes(audio["bytes"])
    suffix = Path(audio.get("path") or "").suffix or ".wav"
    digest = blake2b(content, digest_size=4).hexdigest()  # row ids may repeat, and a row may have several recordings
    name = re.sub(r"[^\w-]+", "_", row_id)
    path = Path(out.stem) / f"{name}-{digest}{suffix}"
    (out.parent / path).parent.mkdir(exist_ok=True)
    (out.parent / path).write_bytes(content)
    return path.as_posix()


def _format_run_command(task: Sequence[str], task_args: Mapping[str, Any]) -> str:
    words = ["auricle", "run", *task]
    for option, value in task_args.items():
        if option not in ("name", "licence", "citation") and value and (option, value) != ("version", 1):
            words += ["-T", f"{option}={','.join(value) if isinstance(value, (list, tuple)) else value}"]
    return shlex.join([*words, "-m"]) + " MODEL"


def _task_arguments(root: Path | None, task_args: Sequence[str]) -> dict[str, Any]:
    from auricle.engine.spec import parse_arguments
    from auricle.engine.task_files import resolve_paths

    arguments = parse_arguments(task_args)
    return resolve_paths({**arguments, "root": str(root)} if root else arguments, Path())


def _build_task(name: str, arguments: dict[str, Any]) -> Task:
    from auricle import Spec
    from auricle.engine.factory import build_task

    task = build_task(Spec(task=name, task_args=arguments, model="echo").resolved())
    if not hasattr(task.samples, "__len__"):
        raise SpecError(f"{name} has no known number of rows, so its data cannot be checked for completeness.")
    return task
