"""Draw replies of a run to check how their answers were read, and exchange them with people as a CSV sheet."""

from __future__ import annotations

import csv
import io
import random
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from auricle.core.csv_text import read_escaped, render_csv
from auricle.core.errors import DataError, SpecError
from auricle.core.files import read_regular_file
from auricle.core.types import Generation, Record, Sample, list_parts
from auricle.metrics.base import Metric
from auricle.metrics.capabilities import ReadsReply
from auricle.metrics.targets import get_choices
from auricle.metrics.unread_judge import UnreadScorer
from auricle.report.text_format import format_reading
from auricle.runs.scores import JUDGED, REFUSED, TRUNCATED, UNREAD
from auricle.scoring.judge_panel import JudgePanel
from auricle.scoring.score_table import ScoreTable, list_readings
from auricle.studies.readings.document import STATEMENT, Audit, AuditItem, AuditLabel
from auricle.tasks.labels.metrics import format_option

SHEET_COLUMNS = ("id", "question", "options", "reply", "read", "strength", "label")
DELIMITERS = ",;\t"


def choose_metric(metrics: Sequence[Metric], name: str | None) -> Metric:
    """Return the metric whose reader is audited: the one of a name, or the first that reads replies."""
    readers = [metric for metric in metrics if isinstance(metric, ReadsReply)]
    if not readers:
        names = ", ".join(metric.name for metric in metrics)
        raise SpecError(f"No metric of this run reads answers from replies; its metrics are {names}.")
    for metric in readers:
        if name in (None, metric.name):
            return metric
    names = ", ".join(metric.name for metric in readers)
    raise SpecError(f"The metric {name!r} does not read answers from replies. Metrics that do: {names}.")


def draw_audit(
    records: Iterable[Record], metric: Metric, *, count: int, seed: int, verdicts: JudgePanel | None = None
) -> Audit:
    """Draw `count` of the replies that were read from a statement, and `count` of the others, at random.

    Args:
        records: The records of a run.
        metric: Metric whose reader is audited.
        count: Number of replies of each kind to draw; all if there are not so many.
        seed: Seed of the draw. The same replies are drawn again with the same seed.
        verdicts: What a judge read, if it reads what the rules cannot read.
    """
    assert isinstance(metric, ReadsReply)
    table = ScoreTable([metric], verdicts=verdicts)
    replies = sorted(_list_replies(records, metric, table), key=lambda reply: reply[0])
    if table.columns[0].refusal_reason:
        raise SpecError(f"{metric.name} cannot be computed: {table.columns[0].refusal_reason}.")
    items = [item for _, item in replies]
    draw, drawn = random.Random(seed), set()
    for is_stated in (False, True):
        kind = [index for index, item in enumerate(items) if (item.reading == STATEMENT) == is_stated]
        drawn.update(draw.sample(kind, min(count, len(kind))))
    counts = Counter(item.reading for item in items)
    return Audit(
        metric=metric.name,
        signature=metric.signature,
        seed=seed,
        readings={reading: counts[reading] for reading in list_readings(metric)},
        items=tuple(item for index, item in enumerate(items) if index in drawn),
    )


def _list_replies(records: Iterable[Record], metric: Metric, table: ScoreTable) -> Iterator[tuple[int, AuditItem]]:
    """Yield the position and the reading of every reply that the metric read, or tried to."""
    assert isinstance(metric, ReadsReply)
    answered = (record for record in records if not record.error)
    for record in answered:
        line = table.add(record)
        if not line.reading:
            continue
        value: str | None = ""
        if line.reading == JUDGED:
            value = UnreadScorer(metric).read_verdict(record.sample, line.verdicts[metric.name][-1])
        elif line.reading not in (REFUSED, TRUNCATED, UNREAD):
            value = metric.reader(record.sample, *record.outputs).value
        yield record.row, AuditItem(record.sample.id, line.reading, value or "")


# --- the sheet --------------------------------------------------------------------------------------


def build_sheet(audit: Audit, records: Iterable[Record]) -> bytes:
    """Return the replies of an audit as CSV, with a column for labels; the right answers are left out."""
    items = {item.id: item for item in audit.items}
    record_by_id = {record.sample.id: record for record in records if record.sample.id in items}
    rows = (
        (item.id, *describe_reply(record), item.value, format_reading(item.reading), item.label)
        for item in audit.items
        if (record := record_by_id.get(item.id))
    )
    return render_csv([SHEET_COLUMNS, *rows]).encode("utf-8-sig")  # with the mark, spreadsheets recognise the encoding


def describe_reply(record: Record) -> tuple[str, str, str]:
    """Return the question, the options and the reply of a record as text."""
    choices = get_choices(record.sample) if record.sample.inputs.get("choices") else []
    options = " | ".join(format_option(index, choices) for index in range(len(choices)))
    reply = " | ".join(output.text for output in record.outputs if isinstance(output, Generation))
    return _question_text(record.sample), options, reply


def _question_text(sample: Sample) -> str:
    inputs = {name: value for name, value in sample.inputs.items() if name != "choices"}
    question = inputs.get("question")
    if isinstance(question, str):
        return question
    return " ".join(part for value in inputs.values() for part in list_parts(value) if isinstance(part, str))


def read_sheet(path: Path) -> dict[str, str]:
    """Read the labels of a sheet by id; rows without a label are left out.

    Raises:
        DataError: if the file is not a sheet.
        SpecError: if a label is unknown.
    """
    try:
        text = read_regular_file(path).decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"{path} cannot be read as UTF-8 text: {error}.") from error
    header = text.partition("\n")[0]
    delimiter = max(DELIMITERS, key=header.count)  # some spreadsheets write semicolons
    rows = csv.DictReader(io.StringIO(text), delimiter=delimiter)
    if not {"id", "label"} <= set(rows.fieldnames or ()):
        raise DataError(f"{path} has no columns 'id' and 'label'. Use the sheet that `auricle audit RUN` wrote.")
    labels: dict[str, str] = {}
    for row in rows:
        try:
            label = AuditLabel.read(row["label"] or "")
        except SpecError as error:
            raise SpecError(f"{path}:{rows.line_num}: {error}") from error
        if label:
            labels[read_escaped(row["id"])] = label
    return labels
