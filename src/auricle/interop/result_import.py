"""Results of other tools as ordinary runs: scored, shown and compared like any other."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from auricle.core.errors import DataError
from auricle.engine.spec import Spec
from auricle.interop.cmi import results_in as cmi
from auricle.interop.kimi import results_in as kimi
from auricle.interop.lmms import results_in as lmms
from auricle.interop.open_asr import results_in as open_asr
from auricle.interop.result_files import Results, Tool, lines_of
from auricle.interop.run_writer import Told as Told
from auricle.interop.run_writer import make_run
from auricle.interop.ultraeval import results_in as ultraeval
from auricle.runs.run_directory import set_aside
from auricle.text import PROFILES

TOOLS: Mapping[str, Tool] = {
    each.TOOL.name: each.TOOL for each in (cmi, kimi, lmms, open_asr, ultraeval)
}

EARLIER = "Earlier results of the same model and dataset are in the folder, and left out."


def import_results(
    path: Path, tool: str, out: Path | None, told: Told, *, fresh: bool = False
) -> Iterator[tuple[Path, str]]:
    """Make a run of each result file a path names; where it is, and a line about it."""
    found = _latest(_wanted(results(path, tool), told.only, path))
    for each in found:
        alone = out if out and len(found) == 1 else None
        folder = alone or (out or Path("runs")) / _slug(each, told)
        if fresh:
            set_aside(folder)
        spec = make_run(each, TOOLS[tool], folder, told)
        yield folder, _line(each, TOOLS[tool], folder, spec)


def _wanted(found: list[Results], only: str, path: Path) -> list[Results]:
    wanted = [each for each in found if only in ("", each.dataset)]
    if not wanted:
        names = ", ".join(dict.fromkeys(each.dataset for each in found))
        raise DataError(f"{path} has no dataset called {only!r}; it has {names}.")
    return wanted


def _latest(found: list[Results]) -> list[Results]:
    """The last file of each model and dataset; their names tell the time."""
    last = {(each.model, each.dataset): each for each in found}
    counts = Counter((each.model, each.dataset) for each in found)
    return [
        replace(each, notes=(*each.notes, EARLIER)) if counts[key] > 1 else each
        for key, each in last.items()
    ]


def _slug(found: Results, told: Told) -> str:
    """A run's folder, where none is named."""
    name = f"{found.dataset}-{told.model or found.model}"
    return re.sub(r"[^\w.+-]+", "-", name).strip("-") or "imported"


def _line(found: Results, tool: Tool, folder: Path, spec: Spec) -> str:
    count = len(found.answers)
    line = f"{count} sample{'s' * (count != 1)} of {found.dataset} by {spec.model}: {folder}."
    if not (profile := _profile(tool, spec)):
        return line
    again = f"auricle score {folder} --profile {profile}"
    if profile.endswith("-zh"):  # others call it a word error rate, whatever they count
        source = f"{found.path} --from {tool.name}"
        again = f"auricle import {source} -o {folder} -T metrics=wer --profile {profile}"
    return f"{line} Scored by Auricle's rules; as {tool.title} counts: {again}"


def _profile(tool: Tool, spec: Spec) -> str:
    """The profile that normalises a language as the tool does, where there is one."""
    names = (f"{tool.profile}-{spec.task_args.get('language', '')}", tool.profile)
    known = [name for name in names if name in PROFILES]
    return known[0] if known and spec.task == "asr" and not spec.profile else ""


def results(path: Path, tool: str) -> list[Results]:
    """The results a file holds, or each file of a folder."""
    reader = TOOLS[tool]
    return [_read(reader, each) for each in reader.files(path)]


def _read(tool: Tool, path: Path) -> Results:
    lines = lines_of(path)
    for origin, values in lines:
        if not tool.fits(values):
            raise DataError(_other(tool, path, origin, values))
    found = tool.read(path, lines)
    if not any(answer.outputs for answer in found.answers):
        first = next((each.error.message for each in found.answers if each.error), "")
        raise DataError(
            f"{path} holds no answer: all {len(found.answers)} samples failed, the first because "
            f"{first}."
        )
    return found


def _other(tool: Tool, path: Path, origin: str, values: Mapping[str, object]) -> str:
    number = origin.rpartition(":")[2]
    fitting = [each for each in TOOLS.values() if each.fits(values)]
    if fitting:
        return (
            f"{path}:{number} looks like results of {fitting[0].title}, not of {tool.title}: "
            f"try --from {fitting[0].name}."
        )
    columns = ", ".join(list(values)[:8]) or "none"
    return (
        f"{path}:{number} is no result of {tool.title}: it should have {' and '.join(tool.marks)}, "
        f"and has {columns}."
    )
