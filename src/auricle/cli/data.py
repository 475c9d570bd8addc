"""`auricle data`: which corpora there are, whether a copy is whole, and a manifest of one."""

from __future__ import annotations

import os
import re
import shlex
from collections import Counter, deque
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from difflib import get_close_matches
from hashlib import blake2b
from pathlib import Path
from typing import Any

import click
import orjson

from auricle.audio import Audio
from auricle.cli.run import EXIT_FAILURES, EXIT_OK
from auricle.core.errors import SampleError, SpecError
from auricle.core.types import RejectedRow, Sample, list_parts
from auricle.engine.factory import build_task
from auricle.engine.spec import Spec, parse_arguments, resolve_paths
from auricle.report.terminal import format_table
from auricle.tasks.base import Task
from auricle.tasks.benchmarks.base import Benchmark
from auricle.tasks.benchmarks.sources import BenchmarkSamples, Item
from auricle.tasks.catalogue import TASKS

HEADER = ("name", "kind", "language", "licence", "source")
BENCHMARKS_PACKAGE = "auricle.tasks.benchmarks."
MAX_PROBLEMS_SHOWN = 20
DURATION_TOLERANCE = 0.5  # seconds by which the last segment of a recording may be too long
MAX_PENDING_DECODES = 64  # sounds being decoded at once; those of Hugging Face are in memory


def load_benchmarks() -> dict[str, Benchmark]:
    """Every entry of the catalogue that is a published benchmark, by name."""
    names = sorted(name for name, each in TASKS.builtin.items() if each.path.startswith(BENCHMARKS_PACKAGE))
    found = {name: TASKS.get(name) for name in names}
    return {name: each for name, each in found.items() if isinstance(each, Benchmark)}


def list_data(name: str | None, as_json: bool) -> None:
    """Print what is in the catalogue, or all that is known of one entry."""
    found = load_benchmarks()
    if name:
        found = {name: _get_benchmark(name, found)}
    if as_json:
        click.echo(orjson.dumps([_benchmark_to_dict(each) for each in found.values()], option=2))
        return
    rows = [(each, b.kind, format_languages(b), b.licence, b.source) for each, b in found.items()]
    for line in _format_details(found[name]) if name else format_table(HEADER, rows):
        click.echo(line)


def _get_benchmark(name: str, available: Mapping[str, Benchmark]) -> Benchmark:
    if name not in available:
        near = get_close_matches(name, available, n=3)
        hint = f" Did you mean {', '.join(near)}?" if near else ""
        raise SpecError(f"No published benchmark called {name!r}.{hint} See `auricle data list`.")
    return available[name]


def _format_details(benchmark: Benchmark) -> Iterator[str]:
    """An entry, a line for each fact; the first of several values is the default."""
    splits = [f"{each} ({count:,})" if count else each for each, count in benchmark.splits.items()]
    hub = benchmark.hub
    facts = {
        "name": f"{benchmark.name}: {benchmark.title}",
        "kind": benchmark.kind,
        "language": ", ".join(benchmark.languages) or format_languages(benchmark),
        "split": ", ".join(splits),
        **{option: ", ".join(values) for option, values in benchmark.options.items()},
        "licence": benchmark.licence or "not stated",
        "archive": benchmark.source,
        "layout": benchmark.layout,
        "hub": f"{hub.name} at {hub.revision or 'no pinned revision'}" if hub else "no copy",
    }
    width = max(map(len, facts)) + 2
    return (f"{fact.ljust(width)}{words}" for fact, words in facts.items())


def format_languages(benchmark: Benchmark) -> str:
    """What is spoken, briefly."""
    if benchmark.any_language:
        return "any"
    codes = list(dict.fromkeys(benchmark.languages.values())) or [benchmark.language or "-"]
    return ", ".join(codes) if len(codes) <= 3 else f"{len(codes)} languages"


def _benchmark_to_dict(benchmark: Benchmark) -> dict[str, Any]:
    hub = benchmark.hub
    return {
        **{name: getattr(benchmark, name) for name in (*HEADER, "title", "layout")},
        "splits": dict(benchmark.splits),
        "languages": dict(benchmark.languages),
        "options": {name: list(values) for name, values in benchmark.options.items()},
        "hub": {"name": hub.name, "revision": hub.revision} if hub else None,
    }


# --- is a copy whole? --------------------------------------------------------------------------


@dataclass
class CorpusReport:
    """What was seen of a copy, and what is wrong with it."""

    title: str
    expected_rows: int | None
    rows: int = 0
    files: set[str] = field(default_factory=set)
    decoded_count: int = 0
    seconds: float = 0.0
    problems: list[tuple[str, str, str]] = field(default_factory=list)
    """Kind, id and words of each fault."""

    def format_lines(self) -> Iterator[str]:
        """The findings in words, faults by kind and no more than a page of each."""
        published = "" if self.expected_rows is None else f" of {self.expected_rows:,} published"
        yield f"{self.title}: {self.rows:,}{published} rows, {len(self.files):,} files"
        yield f"{self.decoded_count:,} sounds decoded, {_format_duration(self.seconds)}"
        for kind, number in Counter(kind for kind, _, _ in self.problems).items():
            those = [(name, words) for each, name, words in self.problems if each == kind]
            yield from (f"{kind}  {name}: {words}" for name, words in those[:MAX_PROBLEMS_SHOWN])
            if number > MAX_PROBLEMS_SHOWN:
                yield f"{kind}  and {number - MAX_PROBLEMS_SHOWN:,} more"
        yield self.summary_line()

    def summary_line(self) -> str:
        if not self.problems:
            return "Nothing is wrong."
        counted = Counter(kind for kind, _, _ in self.problems)
        told = ", ".join(f"{kind} {number:,}" for kind, number in counted.items())
        return f"Wrong: {told}."

    def to_dict(self) -> dict[str, Any]:
        wrong = [{"kind": kind, "id": name, "reason": words} for kind, name, words in self.problems]
        return {
            "title": self.title,
            "expected": self.expected_rows,
            "rows": self.rows,
            "files": len(self.files),
            "decoded": self.decoded_count,
            "seconds": round(self.seconds, 3),
            "wrong": wrong,
        }


def check_data(name: str, root: Path | None, task_args: Sequence[str], limit: int | None, as_json: bool) -> int:
    """Count a copy's rows, decode its sounds, and say what is missing or broken."""
    task = _build_task(name, _task_arguments(root, task_args))
    found = check_samples(task, limit)
    if as_json:
        click.echo(orjson.dumps(found.to_dict(), option=orjson.OPT_INDENT_2))
    else:
        for line in found.format_lines():
            click.echo(line)
    return EXIT_FAILURES if found.problems else EXIT_OK


def check_samples(task: Task, limit: int | None = None) -> CorpusReport:
    """Look at every row of a task and decode its sounds: all, or some spread over the set."""
    samples: Any = task.samples
    published = isinstance(samples, BenchmarkSamples)
    found = CorpusReport(
        samples.title if published else task.name, samples.bench.expected_rows(samples.part) if published else None
    )
    chosen = evenly_spaced_indices(len(samples), limit)
    seen: set[str] = set()
    with ThreadPoolExecutor(os.cpu_count() or 1) as threads:
        pending: deque[tuple[str, Future[float | str]]] = deque()
        for at, sample in enumerate(samples):
            found.rows += 1
            if isinstance(sample, RejectedRow):
                found.problems.append(("unreadable", sample.origin, sample.reason))
                continue
            if sample.id in seen:
                found.problems.append(("doubled", sample.id, "this id is there more than once"))
            seen.add(sample.id)
            sounds = list(_existing_audio(sample, found))
            if at in chosen:
                pending += [(sample.id, threads.submit(_decode_duration, each)) for each in sounds]
            while len(pending) > MAX_PENDING_DECODES:
                _record_decode(*pending.popleft(), found)
        for name, came in pending:
            _record_decode(name, came, found)
    if found.expected_rows is not None and found.rows != found.expected_rows:
        words = f"{found.rows:,} rows are here, {found.expected_rows:,} are published"
        found.problems.append(("count", found.title, words))
    return found


def evenly_spaced_indices(total: int, limit: int | None) -> set[int]:
    """So many places spread evenly over a set, the first and the last among them; or all."""
    if limit is None or limit >= total:
        return set(range(total))
    return {round(each * (total - 1) / max(1, limit - 1)) for each in range(limit)}


def _existing_audio(sample: Sample, report: CorpusReport) -> Iterator[Audio]:
    """The sounds of a row; a file that is not there is told, whether or not it was chosen."""
    for value in sample.inputs.values():
        for sound in list_parts(value):
            if not isinstance(sound, Audio):
                continue
            if sound.path and str(sound.path) not in report.files:
                if not sound.path.exists():
                    report.problems.append(("missing", sample.id, str(sound.path)))
                    continue
                report.files.add(str(sound.path))
            yield sound


def _decode_duration(audio: Audio) -> float | str:
    """How long a sound is once decoded, or why it cannot be."""
    try:
        seconds = len(audio.decode()) / audio.info().rate
    except SampleError as error:
        return str(error)
    due = 0.0 if audio.end is None else audio.end - audio.start
    if seconds < due - DURATION_TOLERANCE:
        return f"{audio.uri} ends too early: {seconds:.2f} s are there of {due:.2f} s"
    return seconds


def _record_decode(sample_id: str, future: Future[float | str], report: CorpusReport) -> None:
    came = future.result()
    if isinstance(came, str):
        report.problems.append(("broken", sample_id, came))
    else:
        report.decoded_count += 1
        report.seconds += came


def _format_duration(seconds: float) -> str:
    return f"{seconds / 3600:,.2f} h" if seconds >= 3600 else f"{seconds:,.1f} s"


# --- a manifest of a copy ----------------------------------------------------------------------


def prepare_data(name: str, root: Path | None, task_args: Sequence[str], out: Path, as_json: bool) -> int:
    """Write a copy's rows as a manifest, with paths from where that lies."""
    if out.suffix.lower() != ".jsonl":
        raise SpecError(f"{out} should end in .jsonl: a manifest is written one object a line.")
    arguments = _task_arguments(root, task_args)
    samples = _build_task(name, arguments).samples
    bench = TASKS.get(name)
    if not isinstance(samples, BenchmarkSamples) or not isinstance(bench, Benchmark):
        known = ", ".join(load_benchmarks())
        raise SpecError(f"{name} is no published benchmark; those that can be prepared: {known}.")
    rows, rejected = _write_manifest(samples, out)
    part, rest = bench.resolve_part(arguments)
    command = _format_run_command(out, bench.kind, bench.task_arguments(part, rest))
    if as_json:
        told = {"path": str(out), "rows": rows, "rejected": rejected, "command": command}
        click.echo(orjson.dumps(told, option=orjson.OPT_INDENT_2))
    else:
        click.echo(f"{samples.title}: {rows:,} rows in {out}")
        click.echo(f"Run it: {command}")
        if rejected:
            click.echo(f"{rejected:,} rows could not be read and are left out: auricle data check.")
    return EXIT_FAILURES if rejected else EXIT_OK


def _write_manifest(samples: BenchmarkSamples, out: Path) -> tuple[int, int]:
    """Write all rows or none; how many there are, and how many could not be read."""
    rows = rejected = 0
    out.parent.mkdir(parents=True, exist_ok=True)
    unfinished = out.with_name(f"{out.name}.unfinished")
    with unfinished.open("wb") as file:
        for each in samples.items():
            if isinstance(each, RejectedRow):
                rejected += 1
                continue
            rows += 1
            file.write(orjson.dumps(_make_paths_relative(each, samples, out), option=orjson.OPT_APPEND_NEWLINE))
    unfinished.replace(out)
    return rows, rejected


def _make_paths_relative(row: Item, samples: BenchmarkSamples, out: Path) -> Item:
    """A row whose sounds are files, with their paths taken from the manifest's folder."""
    base, home = samples.root or Path(), out.resolve().parent

    def moved(value: Any) -> Any:
        if isinstance(value, list):
            return [moved(each) for each in value]
        if isinstance(value, Mapping) and value.get("bytes"):
            return _extract_audio(value, str(row["id"]), out)
        if not isinstance(value, str):
            raise SpecError(f"{samples.title}: a sound of {row['id']} is neither file nor bytes.")
        return Path(os.path.relpath((base / value).resolve(), home)).as_posix()

    if row.get("turns"):  # a conversation, each turn of which is a sound
        return {**row, "turns": [{**turn, "audio": moved(turn["audio"])} for turn in row["turns"]]}
    return {**row, "audio": moved(row["audio"])} if row.get("audio") else row


def _extract_audio(audio: Mapping[str, Any], row_id: str, out: Path) -> str:
    """Write a sound that lay inside another file beside the manifest; its path from there."""
    held = bytes(audio["bytes"])
    suffix = Path(audio.get("path") or "").suffix or ".wav"
    digest = blake2b(held, digest_size=4).hexdigest()  # rows may be named alike, and have several
    called = re.sub(r"[^\w-]+", "_", row_id)
    place = Path(out.stem) / f"{called}-{digest}{suffix}"
    (out.parent / place).parent.mkdir(exist_ok=True)
    (out.parent / place).write_bytes(held)
    return place.as_posix()


def _format_run_command(out: Path, kind: str, recipe: Mapping[str, Any]) -> str:
    words = ["auricle", "run", str(out), "--as", kind]
    for option, value in recipe.items():
        if option not in ("name", "licence") and value:
            said = ",".join(value) if isinstance(value, (list, tuple)) else value
            words += ["-T", f"{option}={said}"]
    return shlex.join([*words, "-m"]) + " MODEL"


def _task_arguments(root: Path | None, task_args: Sequence[str]) -> dict[str, Any]:
    given = parse_arguments(task_args)
    return resolve_paths({**given, "root": str(root)} if root else given, Path())


def _build_task(name: str, arguments: dict[str, Any]) -> Task:
    task = build_task(Spec(task=name, task_args=arguments, model="echo").resolved())
    if not hasattr(task.samples, "__len__"):
        raise SpecError(f"{name} does not say how many rows it has, so none can be missing.")
    return task
