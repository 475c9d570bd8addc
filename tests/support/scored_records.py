"""Score small lists of records."""

from typing import Any

from auricle import Generation, Sample
from auricle.core.types import Record
from auricle.scoring.score_table import ScoreTable, score_records
from auricle.scoring.summary import summarise
from auricle.tasks.asr.error_rates import wer


def make_record(row: Any, target: str | None = "a b", answer: str = "a b", error: Any = None, **meta: Any) -> Any:
    sample = Sample(id=str(row), inputs={}, target=target, meta=meta)
    outputs = () if error else (Generation(text=answer),)
    return Record(sample=sample, row=row, outputs=outputs, error=error)


def score_and_summarise(records: Any, metrics: Any = (wer,), cluster: str = "") -> Any:
    board = ScoreTable(metrics, cluster)
    lines = list(score_records(records, board))
    assert len(lines) == len(records)
    return board, summarise(board)


def overall_results(results: Any) -> Any:
    return {number.metric: number for number in results if not number.field}


def make_mixed_records(count: int = 60) -> Any:
    return [make_record(at, answer="a b" if at % 3 else "a x", part=at % 4) for at in range(count)]
