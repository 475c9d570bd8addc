"""`auricle samples`: list the samples of a run."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import click

from auricle.cli import options as opt
from auricle.cli.output import echo, print_json_array
from auricle.cli.show import load_metrics
from auricle.core.errors import AuricleError, SpecError
from auricle.core.judge_roles import JudgeRole
from auricle.core.serialization import dumps
from auricle.core.signature import JUDGE_MARK
from auricle.core.types import Generation, Json, Likelihood, Outcome, Output, Prediction, Record, list_parts
from auricle.media import Audio
from auricle.metrics.base import COMPANION_SUFFIXES, Metric
from auricle.metrics.capabilities import Judged, Stratified
from auricle.metrics.multi_answer import AnswerAggregator, get_turns
from auricle.report import terminal, transcript
from auricle.report.text_format import format_likelihood, format_number, format_reading
from auricle.runs.run_directory import Run
from auricle.runs.scores import READINGS, REFUSED, TRUNCATED, UNREAD, ScoreLine, read_scores, restore_stat
from auricle.runs.sound_measures import read_signals

MAX_TEXT, MAX_VERDICT = 2000, 600
MAX_STAT_PARTS = 4
"""Numbers of a statistic that are shown if they make no value."""
ONLY_FOR_SEVERAL = "only defined for several samples"
OUTCOMES = tuple(outcome.value for outcome in Outcome)
STRENGTHS = tuple(reading.replace("_", "-") for reading in READINGS if reading not in (REFUSED, TRUNCATED, UNREAD))


@click.command()
@click.argument("run", type=opt.existing_directory)
@opt.text("--metric NAME", "List only the scores of this metric, and take --worst from it. [default: all; the first]")
@opt.repeated(
    "--where conditions FILTER",
    "List only samples that match, as on the app's page Samples: 'label=happy predicted=sad duration>5 speaker=s1', or "
    "words in id, reference or answer; repeat for several.",
)
@opt.text(
    "--sort NAME",
    "Sort by a metric (worst first), metadata field, id, seconds, wait_seconds or audio_seconds. [default: data order]",
)
@opt.count("--worst N", "List only the N worst samples by the metric. [default: all]")
@opt.choice("--outcome", "List only samples with this outcome. [default: all]", OUTCOMES)
@opt.choice("--strength", "List only samples whose reply states its answer this firmly. [default: all]", STRENGTHS)
@opt.flag("--disagree", "List only samples on which several judges disagree.")
@opt.flag("--failed", "List only samples that failed; the same as --outcome failed, with those that were skipped.")
@opt.flag("--open is_open", "Play the audio of the first listed sample with the system's player.")
@opt.json_option
def samples(run: Path, metric: str | None, worst: int | None, is_open: bool, as_json: bool, **options: Any) -> None:
    """List the samples of a run with reference, output and scores."""
    if worst and options["failed"]:
        raise SpecError("Failed samples have no score, so --worst and --failed cannot be combined.")
    listing = Listing(run, metric)
    records = _select_records(listing, options)
    if worst or options["sort"]:
        records = listing.sort(records, options["sort"] or listing.first_metric)[:worst]
    if as_json:
        print_json_array(dumps(_sample_to_dict(record, listing.scores_of(record))) for record in records)
    else:
        _print_records(listing, records)
    if is_open:
        _play(records)


def _print_records(listing: Listing, records: Sequence[Record]) -> None:
    for record in records:
        echo(record.sample.id, nl=False, bold=True)
        echo("\n".join([f"  {record.sample.origin}", *listing.format(record)]) + "\n")
    if not records:
        echo("No sample matches.", err=True)
    if not listing.is_complete:
        echo("The run is not finished.", err=True)


def _select_records(listing: Listing, options: Mapping[str, Any]) -> list[Record]:
    records = listing.select(options["conditions"], failed=options["failed"])
    records = listing.select_read(records, options["outcome"], options["strength"])
    return listing.select_disputed(records) if options["disagree"] else records


class Listing:
    """The records of a run with their scores, and the metrics that made them.

    Args:
        run: Run directory.
        metric: Name of the only metric to show, if not all are.
    """

    def __init__(self, run: Path, metric: str | None = None) -> None:
        metrics = load_metrics(run)
        self.is_complete = metrics.complete
        self._numbers = metrics.overall
        self._units = {number.metric: number.unit for number in metrics.numbers}
        self._run = Run.load(run)
        self._scores = {line.id: line for line in read_scores(run)}
        self._names = list(dict.fromkeys(name for line in self._scores.values() for name in line.stats))
        if metric and metric not in self._names:
            raise SpecError(f"The run has no metric {metric!r}. Metrics: {', '.join(self._names) or 'none'}.")
        self._shown = [metric] if metric else [name for name in self._names if not name.endswith(COMPANION_SUFFIXES)]

    @cached_property
    def _metrics(self) -> dict[str, Metric]:
        """The metrics of the scores by name; none if the task was moved. Loading them takes a tenth of a second."""
        from auricle import Spec, api

        try:
            return {metric.name: metric for metric in api.build_task(Spec.as_scored(self._run)).metrics}
        except AuricleError:
            return {}

    @property
    def first_metric(self) -> str:
        if not self._shown:
            raise SpecError("No sample of this run has a score.")
        return self._shown[0]

    def scores_of(self, record: Record) -> ScoreLine:
        line = self._scores.get(record.sample.id) or ScoreLine(record.sample.id, record.row)
        return replace(line, stats={name: line.stats[name] for name in self._shown if name in line.stats})

    def select(self, conditions: Sequence[str], *, failed: bool) -> list[Record]:
        """Return the records that match all filters, in the order of the data."""
        records = sorted(self._run.records(), key=lambda record: record.row)
        if conditions:
            matching = self._find_matching(" ".join(conditions))
            records = [record for record in records if record.sample.id in matching]
        return [record for record in records if record.error or not failed]

    def _find_matching(self, text: str) -> set[str]:
        """Return the ids of the samples that match a filter."""
        from auricle.scoring.sample_filter import SampleColumns
        from auricle.scoring.sample_table import build_signal_columns, read_sample_table

        columns = read_sample_table(self._run.outputs_path, self._scores).columns
        if measures := read_signals(self._run.path):
            columns |= build_signal_columns(measures, columns["key"])
        number = next((number for number in self._numbers if number.metric in self._shown), None)
        mask = SampleColumns(columns, self._numbers, number).match(text)
        return {sample_id for sample_id, is_match in zip(columns["id"], mask, strict=True) if is_match}

    def select_read(self, records: Sequence[Record], outcome: str | None, strength: str | None) -> list[Record]:
        """Return the records with an outcome, and with answers that were read with a strength."""
        selected = []
        for record in records:
            line = self.scores_of(record)
            has_outcome = outcome is None or line.resolve_outcome(record.outcome) == outcome
            if has_outcome and (strength is None or line.reading == strength.replace("-", "_")):
                selected.append(record)
        return selected

    def select_disputed(self, records: Sequence[Record]) -> list[Record]:
        """Return the records to which judges gave different scores.

        Raises:
            SpecError: if the run has no metric that several judges scored.
        """
        by_metric: dict[str, list[str]] = {}
        for name in self._names:
            metric, mark, _ = name.partition(JUDGE_MARK)
            if mark:
                by_metric.setdefault(metric, []).append(name)
        if not by_metric:
            raise SpecError("--disagree needs the verdicts of several judges: auricle score RUN --judge A --judge B.")

        def is_disputed(line: ScoreLine) -> bool:
            scores = ({str(line.stats[name]) for name in names if name in line.stats} for names in by_metric.values())
            return any(len(different) > 1 for different in scores)

        return [record for record in records if (line := self._scores.get(record.sample.id)) and is_disputed(line)]

    def sort(self, records: Sequence[Record], name: str) -> list[Record]:
        """Sort by a metric, worst first and without records that have no score, or by another field."""
        if name in self._names:
            stats = {line.id: line.stats[name] for line in self._scores.values() if name in line.stats}
            scored = [record for record in records if record.sample.id in stats]
            ratings = dict(zip(stats, self._rate(name, list(stats.values())), strict=True))
            return sorted(scored, key=lambda record: -ratings[record.sample.id])
        values = [_field_value(record, name) for record in records]
        if not any(value is not None for value in values):
            raise SpecError(
                f"Cannot sort by {name!r}: it is neither a metric ({', '.join(self._names) or 'none'}), nor a metadata "
                "field, nor id, seconds, wait_seconds or audio_seconds."
            )
        order = sorted(range(len(records)), key=lambda index: (values[index] is None, *_sort_key(values[index])))
        return [records[index] for index in order]

    def format(self, record: Record) -> list[str]:
        """Return the lines on a record: its audio, target, answer and scores."""
        lines = [f"  audio     {clip.uri}" for clip in _list_audio(record) if clip.uri]
        if record.error:
            return [*lines, f"  failed    {record.error.kind}: {terminal.to_one_line(record.error.message, MAX_TEXT)}"]
        scores = self.scores_of(record)
        answers = self._list_shown(record) or _answer_lines(record)
        lines += [f"  {label:<9} {terminal.to_one_line(text, MAX_TEXT)}" for label, text in answers]
        lines += [f"  speech    {clip.uri}" for clip in _list_speech(record)]
        lines += [f"  {name:<9} {self._format_stat(name, stat)}" for name, stat in scores.stats.items()]
        for label, text in self._list_verdicts(scores):
            lines.append(f"  {label:<9} {terminal.to_one_line(text, MAX_VERDICT)}")
        if scores.reading:
            lines.append(f"  read      {format_reading(scores.reading)}")
        return [*lines, *(f"  {name:<9} {reason}" for name, reason in scores.unreadable.items())]

    def _list_shown(self, record: Record) -> list[tuple[str, str]]:
        """Return the texts that a feature shows in place of scored segments; none if it has no other texts."""
        if not any(isinstance(output, Generation) and output.segments is not None for output in record.outputs):
            return []
        from auricle.report.figures import load_figure_sources
        from auricle.report.sample_view import SampleView

        metric = next((metric for metric in self._metrics.values() if hasattr(metric, "threshold")), None)
        view = SampleView(record.sample.id)
        for source in load_figure_sources():
            view = source.show(view, record, metric, is_page=False)
        return [] if view.target is None else [("target", view.target), ("answer", view.answer)]

    def _list_verdicts(self, scores: ScoreLine) -> list[tuple[str, str]]:
        """Return the verdicts with the role of the model; several metrics may have the same."""
        verdicts: dict[tuple[str, str], None] = {}
        for name, texts in scores.verdicts.items():
            metric, one_of_several = self._find_metric(name), name.partition(JUDGE_MARK)[2]
            role = metric.judge_role if isinstance(metric, Judged) else JudgeRole.JUDGE
            label = role.noun if role.is_judge else one_of_several or role.noun
            verdicts |= dict.fromkeys((label, text) for text in texts)
        return list(verdicts)

    def _find_metric(self, name: str) -> Metric | None:
        """Return a metric by name, also that of one of several judges."""
        return self._metrics.get(name) or self._metrics.get(name.partition(JUDGE_MARK)[0])

    def _rate(self, name: str, stats: Sequence[Any]) -> Sequence[float]:
        if metric := self._find_metric(name):
            return metric.rate_stats(stats, stats)
        return [-stat if isinstance(stat, (int, float)) else 0.0 for stat in stats]

    def _format_stat(self, name: str, stat: Any) -> str:
        """Format a score as a number with its error counts; for several outputs, only the value of each."""
        if isinstance(stat, list) and [isinstance(part, list) for part in stat] == [False, True]:
            return ", ".join(self._format_answer(name, part) for part in stat[1])
        if isinstance(stat, (int, float)):
            return format_number(stat, self._units.get(name, ""))
        if not (metric := self._find_metric(name)):
            return str(stat)
        value, details = metric.sample_value(stat), metric.details([restore_stat(stat)])
        if "silence" in details:  # there is nothing that the errors could be a share of
            return f"{details['insertions']} inserted on silence (profile {metric.profile})"
        if math.isnan(value):
            return ONLY_FOR_SEVERAL if isinstance(metric, Stratified) else _format_undefined(stat)
        number = format_number(value, metric.unit)
        if "substitutions" not in details:
            return number
        kinds = (("substitutions", "sub"), ("deletions", "del"), ("insertions", "ins"))
        counts = ", ".join(f"{details[kind]} {short}" for kind, short in kinds)
        profile = f", profile {metric.profile}" if metric.profile else ""
        return f"{number} ({counts} of {details['reference_length']}{profile})"

    def _format_answer(self, name: str, stat: Any) -> str:
        """Format the statistic of one of several answers."""
        metric = self._metrics.get(name)
        if metric is None or not isinstance(metric.aggregate, AnswerAggregator) or isinstance(stat, (int, float)):
            return str(stat)
        value = metric.aggregate.inner([stat])
        return str(stat) if math.isnan(value) else format_number(value, metric.unit)


def _format_undefined(stat: Sequence[Any]) -> str:
    """Format the statistic of a sample that has no number of its own."""
    return str(stat) if len(stat) <= MAX_STAT_PARTS else ONLY_FOR_SEVERAL


def _field_value(record: Record, name: str) -> Any:
    if name == "id":
        return record.sample.id
    is_own_field = name in ("seconds", "wait_seconds", "audio_seconds")
    return getattr(record, name) if is_own_field else record.sample.meta.get(name)


def _sort_key(value: Any) -> tuple[Any, ...]:
    """Return a key that sorts numbers before texts."""
    is_number = isinstance(value, (int, float))
    return (not is_number, value if is_number else 0, str(value))


def _list_speech(record: Record) -> list[Audio]:
    """Return the spoken answers of a sample."""
    return [output.audio for output in record.outputs if isinstance(output, Generation) and output.audio]


def _list_audio(record: Record) -> list[Audio]:
    return [part for value in record.sample.inputs.values() for part in list_parts(value) if isinstance(part, Audio)]


def _play(records: Sequence[Record]) -> None:
    clips = (clip for record in records for clip in (*_list_speech(record), *_list_audio(record)))
    paths = [clip.path for clip in clips if clip.path]
    if not paths:
        raise SpecError("None of the listed samples has an audio file.")
    click.launch(str(paths[0]))


def _sample_to_dict(record: Record, score_line: ScoreLine) -> dict[str, Any]:
    return {
        "id": record.sample.id,
        "origin": record.sample.origin,
        "target": record.sample.target,
        "outputs": record.outputs,
        "error": record.error,
        "meta": record.sample.meta,
        "stats": score_line.stats,
        "outcome": score_line.resolve_outcome(record.outcome),
        "reading": score_line.reading,
        "unreadable": score_line.unreadable,
        **({"turns": turns} if (turns := get_turns(record.sample)) else {}),
        **({"verdicts": score_line.verdicts} if score_line.verdicts else {}),
    }


def _answer_lines(record: Record) -> Iterator[tuple[str, str]]:
    """Yield the target and the outputs, or the turns of a conversation, with their labels."""
    turns = transcript.transcript_lines(record)
    if record.sample.target is not None and not any(speaker == "Reference" for speaker, _ in turns):
        yield "target", _format_target(record.sample.target)
    has_texts = any(text.strip() for _, text in turns) or not _list_speech(record)
    for speaker, text in turns if has_texts else ():
        yield ("target" if speaker == "Reference" else speaker.lower()), text
    for output in () if turns else record.outputs:
        if not (isinstance(output, Generation) and output.audio and not output.text):
            yield "answer", _format_output(output)


def _format_target(target: Json) -> str:
    if isinstance(target, list) and all(isinstance(item, str) for item in target):
        return ", ".join(map(str, target)) or "none"
    return str(target)


def _format_output(output: Output) -> str:
    if isinstance(output, Likelihood):
        return format_likelihood(output)
    if isinstance(output, Prediction):
        return ", ".join(f"{name} {value:.4g}" for name, value in output.values.items())
    return output.text if isinstance(output, Generation) else str(asdict(output))
