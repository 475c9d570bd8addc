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
from auricle.cli.run import DONE, FAILED
from auricle.core.errors import SampleError, SpecError
from auricle.core.types import Rejected, Sample, parts_of
from auricle.engine.factory import build
from auricle.engine.spec import Spec, parse_arguments, placed
from auricle.report.terminal import aligned
from auricle.tasks.base import Task
from auricle.tasks.benchmarks.base import Benchmark
from auricle.tasks.benchmarks.sources import Item, Published
from auricle.tasks.catalogue import TASKS

HEADER = ("name", "kind", "language", "licence", "source")
BENCHMARKS = "auricle.tasks.benchmarks."
SHOWN = 20
SLACK = 0.5  # seconds by which the last segment of a recording may be too long
AHEAD = 64  # sounds being decoded at once; those of Hugging Face are in memory


def benchmarks() -> dict[str, Benchmark]:
    """Every entry of the catalogue that is a published benchmark, by name."""
    names = sorted(name for name, each in TASKS.items() if each.path.startswith(BENCHMARKS))
    found = {name: TASKS.get(name) for name in names}
    return {name: each for name, each in found.items() if isinstance(each, Benchmark)}


def list_data(name: str | None, as_json: bool) -> None:
    """Print what is in the catalogue, or all that is known of one entry."""
    found = benchmarks()
    if name:
        found = {name: _found(name, found)}
    if as_json:
        click.echo(orjson.dumps([_plain(each) for each in found.values()], option=2))
        return
    rows = [(each, b.kind, languages_of(b), b.licence, b.source) for each, b in found.items()]
    for line in _details(found[name]) if name else aligned(HEADER, rows):
        click.echo(line)


def _found(name: str, known: Mapping[str, Benchmark]) -> Benchmark:
    if name not in known:
        near = get_close_matches(name, known, n=3)
        hint = f" Did you mean {', '.join(near)}?" if near else ""
        raise SpecError(f"No published benchmark called {name!r}.{hint} See `auricle data list`.")
    return known[name]


def _details(bench: Benchmark) -> Iterator[str]:
    """An entry, a line for each fact; the first of several values is the default."""
    splits = [f"{each} ({count:,})" if count else each for each, count in bench.splits.items()]
    hub = bench.hub
    facts = {
        "name": f"{bench.name}: {bench.title}",
        "kind": bench.kind,
        "language": ", ".join(bench.languages) or languages_of(bench),
        "split": ", ".join(splits),
        **{option: ", ".join(values) for option, values in bench.options.items()},
        "licence": bench.licence or "not stated",
        "archive": bench.source,
        "layout": bench.layout,
        "hub": f"{hub.name} at {hub.revision or 'no pinned revision'}" if hub else "no copy",
    }
    width = max(map(len, facts)) + 2
    return (f"{fact.ljust(width)}{words}" for fact, words in facts.items())


def languages_of(bench: Benchmark) -> str:
    """What is spoken, briefly."""
    if bench.any_language:
        return "any"
    codes = list(dict.fromkeys(bench.languages.values())) or [bench.language or "-"]
    return ", ".join(codes) if len(codes) <= 3 else f"{len(codes)} languages"


def _plain(bench: Benchmark) -> dict[str, Any]:
    hub = bench.hub
    return {
        **{name: getattr(bench, name) for name in (*HEADER, "title", "layout")},
        "splits": dict(bench.splits),
        "languages": dict(bench.languages),
        "options": {name: list(values) for name, values in bench.options.items()},
        "hub": {"name": hub.name, "revision": hub.revision} if hub else None,
    }


# --- is a copy whole? --------------------------------------------------------------------------


@dataclass
class Findings:
    """What was seen of a copy, and what is wrong with it."""

    title: str
    expected: int | None
    rows: int = 0
    files: set[str] = field(default_factory=set)
    decoded: int = 0
    seconds: float = 0.0
    wrong: list[tuple[str, str, str]] = field(default_factory=list)
    """Kind, id and words of each fault."""

    def lines(self) -> Iterator[str]:
        """The findings in words, faults by kind and no more than a page of each."""
        published = "" if self.expected is None else f" of {self.expected:,} published"
        yield f"{self.title}: {self.rows:,}{published} rows, {len(self.files):,} files"
        yield f"{self.decoded:,} sounds decoded, {_length(self.seconds)}"
        for kind, number in Counter(kind for kind, _, _ in self.wrong).items():
            those = [(name, words) for each, name, words in self.wrong if each == kind]
            yield from (f"{kind}  {name}: {words}" for name, words in those[:SHOWN])
            if number > SHOWN:
                yield f"{kind}  and {number - SHOWN:,} more"
        yield self.verdict()

    def verdict(self) -> str:
        if not self.wrong:
            return "Nothing is wrong."
        counted = Counter(kind for kind, _, _ in self.wrong)
        told = ", ".join(f"{kind} {number:,}" for kind, number in counted.items())
        return f"Wrong: {told}."

    def plain(self) -> dict[str, Any]:
        wrong = [{"kind": kind, "id": name, "reason": words} for kind, name, words in self.wrong]
        return {
            "title": self.title,
            "expected": self.expected,
            "rows": self.rows,
            "files": len(self.files),
            "decoded": self.decoded,
            "seconds": round(self.seconds, 3),
            "wrong": wrong,
        }


def check_data(
    name: str, root: Path | None, task_args: Sequence[str], limit: int | None, as_json: bool
) -> int:
    """Count a copy's rows, decode its sounds, and say what is missing or broken."""
    task = _task(name, _arguments(root, task_args))
    found = examined(task, limit)
    if as_json:
        click.echo(orjson.dumps(found.plain(), option=orjson.OPT_INDENT_2))
    else:
        for line in found.lines():
            click.echo(line)
    return FAILED if found.wrong else DONE


def examined(task: Task, limit: int | None = None) -> Findings:
    """Look at every row of a task and decode its sounds: all, or some spread over the set."""
    samples: Any = task.samples
    published = isinstance(samples, Published)
    found = Findings(
        samples.title if published else task.name,
        samples.bench.expected(samples.part) if published else None,
    )
    chosen = spread(len(samples), limit)
    seen: set[str] = set()
    with ThreadPoolExecutor(os.cpu_count() or 1) as threads:
        pending: deque[tuple[str, Future[float | str]]] = deque()
        for at, sample in enumerate(samples):
            found.rows += 1
            if isinstance(sample, Rejected):
                found.wrong.append(("unreadable", sample.origin, sample.reason))
                continue
            if sample.id in seen:
                found.wrong.append(("doubled", sample.id, "this id is there more than once"))
            seen.add(sample.id)
            sounds = list(_present(sample, found))
            if at in chosen:
                pending += [(sample.id, threads.submit(_decoded, each)) for each in sounds]
            while len(pending) > AHEAD:
                _count(*pending.popleft(), found)
        for name, came in pending:
            _count(name, came, found)
    if found.expected is not None and found.rows != found.expected:
        words = f"{found.rows:,} rows are here, {found.expected:,} are published"
        found.wrong.append(("count", found.title, words))
    return found


def spread(total: int, limit: int | None) -> set[int]:
    """So many places spread evenly over a set, the first and the last among them; or all."""
    if limit is None or limit >= total:
        return set(range(total))
    return {round(each * (total - 1) / max(1, limit - 1)) for each in range(limit)}


def _present(sample: Sample, found: Findings) -> Iterator[Audio]:
    """The sounds of a row; a file that is not there is told, whether or not it was chosen."""
    for value in sample.inputs.values():
        for sound in parts_of(value):
            if not isinstance(sound, Audio):
                continue
            if sound.path and str(sound.path) not in found.files:
                if not sound.path.exists():
                    found.wrong.append(("missing", sample.id, str(sound.path)))
                    continue
                found.files.add(str(sound.path))
            yield sound


def _decoded(sound: Audio) -> float | str:
    """How long a sound is once decoded, or why it cannot be."""
    try:
        seconds = len(sound.decode()) / sound.info().rate
    except SampleError as error:
        return str(error)
    due = 0.0 if sound.end is None else sound.end - sound.start
    if seconds < due - SLACK:
        return f"{sound.uri} ends too early: {seconds:.2f} s are there of {due:.2f} s"
    return seconds


def _count(name: str, pending: Future[float | str], found: Findings) -> None:
    came = pending.result()
    if isinstance(came, str):
        found.wrong.append(("broken", name, came))
    else:
        found.decoded += 1
        found.seconds += came


def _length(seconds: float) -> str:
    return f"{seconds / 3600:,.2f} h" if seconds >= 3600 else f"{seconds:,.1f} s"


# --- a manifest of a copy ----------------------------------------------------------------------


def prepare_data(
    name: str, root: Path | None, task_args: Sequence[str], out: Path, as_json: bool
) -> int:
    """Write a copy's rows as a manifest, with paths from where that lies."""
    if out.suffix.lower() != ".jsonl":
        raise SpecError(f"{out} should end in .jsonl: a manifest is written one object a line.")
    arguments = _arguments(root, task_args)
    samples = _task(name, arguments).samples
    bench = TASKS.get(name)
    if not isinstance(samples, Published) or not isinstance(bench, Benchmark):
        known = ", ".join(benchmarks())
        raise SpecError(f"{name} is no published benchmark; those that can be prepared: {known}.")
    rows, rejected = _written(samples, out)
    part, rest = bench.part(arguments)
    command = _command(out, bench.kind, bench.recipe(part, rest))
    if as_json:
        told = {"path": str(out), "rows": rows, "rejected": rejected, "command": command}
        click.echo(orjson.dumps(told, option=orjson.OPT_INDENT_2))
    else:
        click.echo(f"{samples.title}: {rows:,} rows in {out}")
        click.echo(f"Run it: {command}")
        if rejected:
            click.echo(f"{rejected:,} rows could not be read and are left out: auricle data check.")
    return FAILED if rejected else DONE


def _written(samples: Published, out: Path) -> tuple[int, int]:
    """Write all rows or none; how many there are, and how many could not be read."""
    rows = rejected = 0
    out.parent.mkdir(parents=True, exist_ok=True)
    unfinished = out.with_name(f"{out.name}.unfinished")
    with unfinished.open("wb") as file:
        for each in samples.items():
            if isinstance(each, Rejected):
                rejected += 1
                continue
            rows += 1
            file.write(
                orjson.dumps(_portable(each, samples, out), option=orjson.OPT_APPEND_NEWLINE)
            )
    unfinished.replace(out)
    return rows, rejected


def _portable(row: Item, samples: Published, out: Path) -> Item:
    """A row whose sounds are files, with their paths taken from the manifest's folder."""
    base, home = samples.root or Path(), out.resolve().parent

    def moved(value: Any) -> Any:
        if isinstance(value, list):
            return [moved(each) for each in value]
        if isinstance(value, Mapping) and value.get("bytes"):
            return _unpacked(value, str(row["id"]), out)
        if not isinstance(value, str):
            raise SpecError(f"{samples.title}: a sound of {row['id']} is neither file nor bytes.")
        return Path(os.path.relpath((base / value).resolve(), home)).as_posix()

    if row.get("turns"):  # a conversation, each turn of which is a sound
        return {**row, "turns": [{**turn, "audio": moved(turn["audio"])} for turn in row["turns"]]}
    return {**row, "audio": moved(row["audio"])} if row.get("audio") else row


def _unpacked(sound: Mapping[str, Any], name: str, out: Path) -> str:
    """Write a sound that lay inside another file beside the manifest; its path from there."""
    held = bytes(sound["bytes"])
    suffix = Path(sound.get("path") or "").suffix or ".wav"
    digest = blake2b(held, digest_size=4).hexdigest()  # rows may be named alike, and have several
    called = re.sub(r"[^\w-]+", "_", name)
    place = Path(out.stem) / f"{called}-{digest}{suffix}"
    (out.parent / place).parent.mkdir(exist_ok=True)
    (out.parent / place).write_bytes(held)
    return place.as_posix()


def _command(out: Path, kind: str, recipe: Mapping[str, Any]) -> str:
    words = ["auricle", "run", str(out), "--as", kind]
    for option, value in recipe.items():
        if option not in ("name", "licence") and value:
            said = ",".join(value) if isinstance(value, (list, tuple)) else value
            words += ["-T", f"{option}={said}"]
    return shlex.join([*words, "-m"]) + " MODEL"


def _arguments(root: Path | None, task_args: Sequence[str]) -> dict[str, Any]:
    given = parse_arguments(task_args)
    return placed({**given, "root": str(root)} if root else given, Path())


def _task(name: str, arguments: dict[str, Any]) -> Task:
    task = build(Spec(task=name, task_args=arguments, model="echo").settled())
    if not hasattr(task.samples, "__len__"):
        raise SpecError(f"{name} does not say how many rows it has, so none can be missing.")
    return task
