"""Commands that only look: numbers, samples and names, printed from what is there already.

They load no model, no task and no numbers library, unless a run has yet to be scored.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click
import orjson

from auricle.core.errors import SpecError
from auricle.core.registry import Registry
from auricle.core.serialization import dumps
from auricle.core.types import Generation, Likelihood, Output, Record
from auricle.metrics.catalogue import METRICS
from auricle.metrics.conversation import get_turns
from auricle.models.catalogue import MODELS
from auricle.prompts.catalogue import ENCODERS, RETRIEVERS
from auricle.report import terminal, transcript
from auricle.report.text_format import format_likelihood
from auricle.report.usage_text import format_usage_line
from auricle.runs.run_directory import Run
from auricle.tasks.catalogue import INFERENCERS, TASKS


def load_metrics(run: Path) -> dict[str, Any]:
    """Everything `metrics.json` says of a run; scored first where it says nothing, or old news."""
    published = Run.load(run).read_metrics()
    if published is None:
        from auricle import api

        return api.load_metrics(run)
    return published


def show_runs(runs: Sequence[Path], by: Sequence[str], as_json: bool) -> None:
    documents = [load_metrics(each) for each in runs]
    for field in by:
        known = {number["field"] for document in documents for number in document["numbers"]}
        if field not in known:
            choices = ", ".join(sorted(known - {""})) or "none"
            raise SpecError(
                f"No numbers by {field!r}; there are numbers by {choices}. A field is broken down "
                "if it has from 2 to 50 values, and not another one for every sample."
            )
    print_runs(runs, as_json, by)


def print_runs(runs: Sequence[Path], as_json: bool, by: Sequence[str] = ()) -> None:
    documents = [load_metrics(each) for each in runs]
    if as_json:
        whole = [{"run": str(run), **each} for run, each in zip(runs, documents, strict=True)]
        click.echo(orjson.dumps(whole, option=orjson.OPT_INDENT_2))
        return
    fields = by or sorted({n["field"] for d in documents for n in d["numbers"]} & {"subset"})
    for line in terminal.format_metrics(documents, fields):
        click.echo(line)
    for run, document in zip(runs, documents, strict=True):
        if not document["complete"]:
            so_far = document["outcomes"]["total"]
            click.echo(f"\n{run} is not finished: these numbers are over the {so_far} samples so far.")
        for line in (*terminal.format_failures(document), *terminal.format_notes(document)):
            click.echo(line)
    for line in _usage_lines(documents):
        click.echo(f"\n{line}")
    click.echo()
    for run in runs:
        click.echo(f"Report: {(run / 'report.html').resolve()}")


def _usage_lines(documents: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """What each run took; of several, whose it is."""
    for document in documents:
        if line := format_usage_line(document):
            whose = f"{document['model']['name']} on {document['task']['name']}: "
            yield f"{whose}{line}" if len(documents) > 1 else line


def list_samples(run: Path, worst: int | None, failed: bool, as_json: bool) -> None:
    if worst and failed:
        raise SpecError("Failed samples have no score to be worst by: --worst or --failed.")
    complete = load_metrics(run)["complete"]
    scores = {line["id"]: line for line in _read_scores(run)}
    for record in _select_records(run, worst, failed):
        line = scores.get(record.sample.id, {})
        if as_json:
            click.echo(dumps(_sample_to_dict(record, line)), nl=False)
        else:
            click.echo("\n".join(_format_sample(record, line)) + "\n")
    if not complete and not as_json:
        click.echo("The run is not finished.", err=True)


def _read_scores(run: Path) -> Iterator[dict[str, Any]]:
    with (run / "scores.jsonl").open("rb") as lines:
        yield from map(orjson.loads, lines)


def _select_records(run: Path, worst: int | None, failed: bool) -> Iterator[Record]:
    held = Run.load(run)
    if worst:
        from auricle import api

        ids = api.worst_samples(run, worst)
        found = {r.sample.id: r for r in held.records() if r.sample.id in set(ids)}
        return iter([found[each] for each in ids])
    everyone = sorted(held.records(), key=lambda record: record.row)
    return (record for record in everyone if record.error or not failed)


def _sample_to_dict(record: Record, score_line: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "id": record.sample.id,
        "origin": record.sample.origin,
        "target": record.sample.target,
        "outputs": record.outputs,
        "error": record.error,
        "meta": record.sample.meta,
        "stats": score_line.get("stats", {}),
        "unreadable": score_line.get("unreadable", {}),
        **({"turns": turns} if (turns := get_turns(record.sample)) else {}),
        **({"verdicts": score_line["verdicts"]} if "verdicts" in score_line else {}),
    }


def _format_sample(record: Record, score_line: Mapping[str, Any]) -> list[str]:
    lines = [click.style(record.sample.id, bold=True) + f"  {record.sample.origin}"]
    if record.error:
        message = terminal.to_one_line(record.error.message, 2000)
        return [*lines, f"  failed    {record.error.kind}: {message}"]
    lines += [f"  {who:<9} {terminal.to_one_line(text, 2000)}" for who, text in _answer_lines(record)]
    lines += [f"  {name:<9} {_format_stat(stat)}" for name, stat in score_line.get("stats", {}).items()]
    for said in score_line.get("verdicts", {}).values():
        lines += [f"  judge     {terminal.to_one_line(text, 600)}" for text in said]
    return [*lines, *(f"  {name:<9} {why}" for name, why in score_line.get("unreadable", {}).items())]


def _answer_lines(record: Record) -> Iterator[tuple[str, str]]:
    """The target and the answers, or a conversation turn by turn with both in their places."""
    said = transcript.transcript_lines(record)
    if record.sample.target is not None and not any(who == "Reference" for who, _ in said):
        yield "target", str(record.sample.target)
    for who, text in said:
        yield ("target" if who == "Reference" else who.lower()), text
    for output in () if said else record.outputs:
        yield "answer", _format_output(output)


def _format_output(output: Output) -> str:
    if isinstance(output, Likelihood):
        return format_likelihood(output)
    return output.text if isinstance(output, Generation) else str(asdict(output))


def _format_stat(stat: Any) -> str:
    """A stat as it is; that of several answers without what was noted beside."""
    if isinstance(stat, list) and len(stat) == 2 and isinstance(stat[1], list):
        return ", ".join(map(str, stat[1]))
    return str(stat)


def compare_runs(
    runs: tuple[Path, Path], metrics: Sequence[str], by: str | None, flips: int, html: Path | None, as_json: bool
) -> None:
    """How B differs from A, and how surely; what cannot be compared is explained."""
    if any((run / "perf.json").exists() for run in runs):
        compare_measurements(runs, as_json)
        return
    from auricle.api import compare
    from auricle.report.compare import text as compare_text

    found = compare(*runs, metrics, by, most_flips=flips)
    document = found.document()
    if html:
        from auricle.report.compare.page import render_page

        html.parent.mkdir(parents=True, exist_ok=True)
        html.write_text(render_page(found), encoding="utf-8")
    if as_json:
        click.echo(orjson.dumps(document, option=orjson.OPT_INDENT_2))
        return
    for line in (*compare_text.format_comparison(document), *compare_text.format_samples(document)):
        click.echo(line)
    if html:
        click.echo(f"\nPage: {html.resolve()}")


def compare_measurements(runs: tuple[Path, Path], as_json: bool) -> None:
    """How B serves beside A, load by load."""
    from auricle.perf.compare import build_comparison, format_comparison, is_measurement

    for run, other in (runs, runs[::-1]):
        if not is_measurement(run):
            raise SpecError(
                f"{other} is a measurement of `auricle perf`, and {run} is not. Its points are "
                f"ordinary runs: compare with a folder in {other}."
            )
    document = build_comparison(*runs)
    if as_json:
        click.echo(orjson.dumps(document, option=orjson.OPT_INDENT_2))
        return
    click.echo("\n".join(format_comparison(document)))


def _registry(kind: str) -> Registry[Any]:
    registries = (TASKS, MODELS, METRICS, INFERENCERS, RETRIEVERS, ENCODERS)
    return {f"{registry.kind}s": registry for registry in registries}[kind]


def list_names(kind: str, as_json: bool) -> None:
    """What can be named, with a line about each."""
    if kind == "profiles":
        from auricle.text import PROFILES

        about = {name: each.description for name, each in PROFILES.items()}
    else:
        table = _registry(kind)
        about = {name: table.summary(name) for name in table} | table.adapters()
    if as_json:
        click.echo(orjson.dumps(about, option=orjson.OPT_INDENT_2))
        return
    width = max(map(len, about))
    for name, line in about.items():
        click.echo(f"{name:<{width}}  {line}")
