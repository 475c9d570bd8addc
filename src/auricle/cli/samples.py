"""`auricle samples`: list the samples of a run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from auricle.cli import options as opt
from auricle.cli.output import echo
from auricle.cli.show import load_metrics
from auricle.core.errors import SpecError
from auricle.core.serialization import dumps
from auricle.core.types import Generation, Likelihood, Output, Record
from auricle.metrics.multi_answer import get_turns
from auricle.report import terminal, transcript
from auricle.report.text_format import format_likelihood
from auricle.runs.run_directory import Run
from auricle.runs.scores import ScoreLine, read_scores

MAX_TEXT, MAX_VERDICT = 2000, 600


@click.command()
@click.argument("run", type=opt.existing_directory)
@opt.count("--worst N", "List only the N worst samples by the first metric. [default: all samples, in data order]")
@opt.flag("--failed", "List only samples that failed.")
@opt.json_option
def samples(run: Path, worst: int | None, failed: bool, as_json: bool) -> None:
    """List the samples of a run with reference, output and scores."""
    if worst and failed:
        raise SpecError("Failed samples have no score, so --worst and --failed cannot be combined.")
    complete = load_metrics(run).complete
    scores = {line.id: line for line in read_scores(run)}
    for record in _select_records(run, worst, failed):
        score_line = scores.get(record.sample.id) or ScoreLine(record.sample.id, record.row)
        if as_json:
            echo(dumps(_sample_to_dict(record, score_line)), nl=False)
        else:
            echo(record.sample.id, nl=False, bold=True)
            echo("\n".join([f"  {record.sample.origin}", *_format_sample(record, score_line)]) + "\n")
    if not complete and not as_json:
        echo("The run is not finished.", err=True)


def _select_records(run: Path, worst: int | None, failed: bool) -> Iterator[Record]:
    records = Run.load(run).records()
    if worst:
        from auricle import api

        ids = api.worst_samples(run, worst)
        selected = {record.sample.id: record for record in records if record.sample.id in set(ids)}
        return iter([selected[sample_id] for sample_id in ids])
    return (record for record in sorted(records, key=lambda record: record.row) if record.error or not failed)


def _sample_to_dict(record: Record, score_line: ScoreLine) -> dict[str, Any]:
    return {
        "id": record.sample.id,
        "origin": record.sample.origin,
        "target": record.sample.target,
        "outputs": record.outputs,
        "error": record.error,
        "meta": record.sample.meta,
        "stats": score_line.stats,
        "unreadable": score_line.unreadable,
        **({"turns": turns} if (turns := get_turns(record.sample)) else {}),
        **({"verdicts": score_line.verdicts} if score_line.verdicts else {}),
    }


def _format_sample(record: Record, score_line: ScoreLine) -> list[str]:
    if record.error:
        return [f"  failed    {record.error.kind}: {terminal.to_one_line(record.error.message, MAX_TEXT)}"]
    lines = [f"  {label:<9} {terminal.to_one_line(text, MAX_TEXT)}" for label, text in _answer_lines(record)]
    lines += [f"  {name:<9} {_format_stat(stat)}" for name, stat in score_line.stats.items()]
    for verdicts in score_line.verdicts.values():
        lines += [f"  judge     {terminal.to_one_line(text, MAX_VERDICT)}" for text in verdicts]
    return [*lines, *(f"  {name:<9} {reason}" for name, reason in score_line.unreadable.items())]


def _answer_lines(record: Record) -> Iterator[tuple[str, str]]:
    """Yield the target and the outputs, or the turns of a conversation, with their labels."""
    turns = transcript.transcript_lines(record)
    if record.sample.target is not None and not any(speaker == "Reference" for speaker, _ in turns):
        yield "target", str(record.sample.target)
    for speaker, text in turns:
        yield ("target" if speaker == "Reference" else speaker.lower()), text
    for output in () if turns else record.outputs:
        yield "answer", _format_output(output)


def _format_output(output: Output) -> str:
    if isinstance(output, Likelihood):
        return format_likelihood(output)
    return output.text if isinstance(output, Generation) else str(asdict(output))


def _format_stat(stat: Any) -> str:
    """Format a statistic; for a sample with several outputs, only the value of each."""
    if isinstance(stat, list) and len(stat) == 2 and isinstance(stat[1], list):
        return ", ".join(map(str, stat[1]))
    return str(stat)
