"""Measure the scoring of 1,000 meetings of one hour with intervals, compared with pyannote.metrics on a few of them.

The meetings have four to eight speakers and about 900 turns each; a system that shifts boundaries, misses turns and
confuses speakers has answered. `auricle import` reads both RTTM files, writes the run with its report, and computes all
metrics of speakers.
"""

from __future__ import annotations

import random
import sys
import tempfile
import warnings
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from measure import Sheet, at_most, measure_cost

from auricle.core.types import Generation, Record, Sample, Segment
from auricle.frameworks.exchange.result_import import ImportOptions, import_results
from auricle.metrics.base import resolve_metrics
from auricle.scoring.score_table import ScoreTable, score_records
from auricle.scoring.summary import summarise
from auricle.tasks.meetings.metrics.catalogue import SPEAKER_METRICS
from auricle.tasks.meetings.metrics.turns import REFERENCE_FIELD, Reference, store_reference
from auricle.tasks.meetings.segment_files import format_rttm, read_segments

MEETINGS = 1000
SECONDS = 3600
PEER_MEETINGS = 5
TARGET = 60.0
Turns = list[Segment]


def make_meeting(rng: random.Random) -> Turns:
    """Make the turns of a meeting: most follow each other, some overlap."""
    speakers = [f"speaker{number}" for number in range(rng.randint(4, 8))]
    turns, time = [], 0.0
    while time < SECONDS:
        length = rng.uniform(0.5, 7.0)
        turns.append(Segment(round(time, 3), round(time + length, 3), "", rng.choice(speakers)))
        time += max(0.1, length + rng.gauss(0.3, 0.8))
    return turns


def answer_meeting(turns: Turns, rng: random.Random) -> Turns:
    """Make the answer of a system that is about 15 % wrong."""
    speakers = sorted({turn.speaker for turn in turns})
    answer = []
    for turn in turns:
        if rng.random() < 0.05:
            continue
        start = max(0.0, round(turn.start + rng.gauss(0, 0.1), 3))
        end = max(start + 0.1, round(turn.end + rng.gauss(0, 0.1), 3))
        speaker = rng.choice(speakers) if rng.random() < 0.08 else turn.speaker
        answer.append(replace(turn, start=start, end=end, speaker=f"cluster-{speaker}"))
    return answer


def score_in_memory(pairs: list[tuple[Turns, Turns]]) -> Callable[[], None]:
    """Return a function that scores records with all metrics of speakers and computes intervals."""
    records = [
        Record(
            sample=Sample(
                id=str(row), inputs={}, target="", meta={REFERENCE_FIELD: store_reference(Reference(tuple(turns)))}
            ),
            row=row,
            outputs=(Generation(text="", segments=tuple(answer)),),
        )
        for row, (turns, answer) in enumerate(pairs)
    ]

    def run() -> None:
        table = ScoreTable([metric for name in SPEAKER_METRICS for metric in resolve_metrics(name)])
        for _ in score_records(records, table):
            pass
        summarise(table)

    return run


def score_with_pyannote(pairs: list[tuple[Turns, Turns]]) -> Callable[[], None]:
    """Return a function that computes DER and JER of these meetings with pyannote.metrics, without intervals."""
    from pyannote.core import Annotation
    from pyannote.core import Segment as Interval
    from pyannote.metrics.diarization import DiarizationErrorRate, JaccardErrorRate

    def convert(turns: Turns) -> Annotation:
        annotation = Annotation()
        for number, turn in enumerate(turns):
            annotation[Interval(turn.start, turn.end), number] = turn.speaker
        return annotation

    def run() -> None:
        metrics = DiarizationErrorRate(), JaccardErrorRate()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it asks for a UEM
            for turns, answer in pairs:
                reference, hypothesis = convert(turns), convert(answer)
                for metric in metrics:
                    metric(reference, hypothesis)

    return run


def main() -> int:
    rng = random.Random(0)
    meetings = [make_meeting(rng) for _ in range(MEETINGS)]
    pairs = [(turns, answer_meeting(turns, rng)) for turns in meetings]
    sheet = Sheet(f"{MEETINGS:,} meetings of one hour, {sum(map(len, meetings)):,} turns, scored with intervals")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        paths = folder / "reference.rttm", folder / "hypothesis.rttm"
        for path, side in zip(paths, zip(*pairs, strict=True), strict=True):
            path.write_text(format_rttm({f"meeting{row}": turns for row, turns in enumerate(side)}))
        reading = measure_cost(lambda: [read_segments(path) for path in paths])
        options = ImportOptions(reference=paths[0])
        command = measure_cost(lambda: list(import_results(paths[1], "rttm", folder / "run", options)))
    scoring = measure_cost(score_in_memory(pairs))
    peer = measure_cost(score_with_pyannote(pairs[:PEER_MEETINGS])).wall * MEETINGS / PEER_MEETINGS
    sheet.line(f"pyannote.metrics, DER and JER, {PEER_MEETINGS} meetings extrapolated", peer, "s")
    sheet.line("reading both RTTM files", reading.wall, "s", None, reading.wall / peer, reading)
    sheet.line("seven metrics of speakers in memory", scoring.wall, "s", at_most(TARGET), scoring.wall / peer, scoring)
    sheet.line("`auricle import` with journal and report", command.wall, "s", None, command.wall / peer, command)
    return sheet.exit_code


if __name__ == "__main__":
    sys.exit(main())
