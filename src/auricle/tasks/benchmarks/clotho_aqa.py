"""ClothoAQA: questions about sounds with one-word answers of three annotators."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from auricle.data.file_formats import Row
from auricle.tasks.benchmarks.base import Benchmark, BenchmarkPart, Items, about, find_below, make_item
from auricle.tasks.benchmarks.tables import split_valid_rows
from auricle.tasks.kinds import MEDIA_TEMPLATE

MIN_AGREEMENT = {"majority": 2, "unanimous": 3, "any": 1}
"""How many of the three annotators must have given an answer for it to be accepted."""


def _read(root: Path, part: BenchmarkPart) -> Items:
    """Read `clotho_aqa_test.csv`, which has three rows per question, one for each annotator."""
    table = find_below(root, f"clotho_aqa_{part['split']}.csv")
    audio_folder = find_below(root, "audio_files", "")
    question_counts: Counter[str] = Counter()
    rows, rejected = split_valid_rows(table, "file_name", "QuestionText", "answer")
    yield from rejected
    for (name, question), answers in _group_answers(rows):
        question_counts[name] += 1
        votes = Counter(answers)
        accepted = [answer for answer, count in votes.items() if count >= MIN_AGREEMENT[part["agreement"]]]
        kind = "yes-no" if set(answers) <= {"yes", "no"} else "single-word"
        if accepted and part["questions"] in ("all", kind):
            row_id, agreement = f"{Path(name).stem}#{question_counts[name]}", str(max(votes.values()))
            yield make_item(row_id, audio_folder / name, accepted, question=question, kind=kind, agreement=agreement)


def _group_answers(rows: list[Row]) -> Iterator[tuple[tuple[str, str], list[str]]]:
    """Yield each question with its answers; the rows of a question are adjacent."""
    keys = [(str(row.values["file_name"]), str(row.values["QuestionText"])) for row in rows]
    answers = [str(row.values["answer"]).strip().lower() for row in rows]
    for key, group in groupby(zip(keys, answers, strict=True), key=lambda pair: pair[0]):
        yield key, [answer for _, answer in group]


CLOTHO_AQA = Benchmark(
    **about("clotho-aqa", "ClothoAQA", "qa", language="en"),
    source="doi.org/10.5281/zenodo.6473207",
    splits={"test": None, "val": None, "train": None},
    options={"agreement": tuple(MIN_AGREEMENT), "questions": ("all", "yes-no", "single-word")},
    counts={"test/majority/all": 2476, "test/majority/yes-no": 1892, "test/unanimous/all": 1312, "test/any/all": 2838},
    layout="clotho_aqa_test.csv and audio_files/",
    read=_read,
    task_options={
        "prompt": f"{MEDIA_TEMPLATE}{{question}}\nAnswer with one word.",
        "metrics": ["exact_match", "contains"],
        "by": ["kind", "agreement"],
    },
)
