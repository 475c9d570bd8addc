"""OpenAudioBench: five sets of spoken questions, each judged in its own way."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from auricle.tasks.benchmarks.base import Benchmark, BenchmarkPart, Item, Items, find_below, make_item
from auricle.tasks.benchmarks.tables import Values, convert_table

OPEN_SUBSET = "alpaca_eval"


@dataclass(frozen=True)
class Subset:
    """Which columns a subset's table has, and how its answers are judged."""

    name: str
    question: str
    answer: str
    metrics: Sequence[str]
    language: str = "en"


def _read(subset: Subset, root: Path, _part: BenchmarkPart) -> Items:
    """`eval_datas/SUBSET/SUBSET.csv` and `audios/` beside it."""
    folder = find_below(root, f"eval_datas/{subset.name}", subset.name)
    listed = find_below(folder, f"{subset.name}.csv")

    def make(row: Values) -> Item:
        name, answer = row["audio_filename"], parse_list_cell(row.get(subset.answer))
        is_one_of_many = subset.name == OPEN_SUBSET  # to be compared with, not to be agreed with
        return make_item(
            Path(name).stem,
            folder / "audios" / name,
            None if is_one_of_many else answer,
            audio_content=row[subset.question],
            baseline=answer if is_one_of_many else "",
        )

    return convert_table(listed, make)


def parse_list_cell(cell: Any) -> Any:
    """A cell that spells a Python list of texts as that list; anything else as it is."""
    if isinstance(cell, str) and cell.startswith("["):
        try:
            found = ast.literal_eval(cell)
        except (ValueError, SyntaxError):
            return cell
        if found and all(isinstance(each, str) for each in found):
            return list(found)
    return cell


def _benchmark(subset: Subset) -> Benchmark:
    return Benchmark(
        name=f"openaudiobench-{subset.name.replace('_', '-')}",
        title=f"OpenAudioBench {subset.name}",
        kind="open" if subset.name == OPEN_SUBSET else "qa",
        language=subset.language,
        licence="",
        source="huggingface.co/datasets/baichuan-inc/OpenAudioBench",
        splits={"test": None},
        layout=f"eval_datas/{subset.name}/{subset.name}.csv and audios/ beside it",
        read=partial(_read, subset),
        task_options={"metrics": list(subset.metrics)},
    )


QA_METRICS = ("judge-reference", "contains")
ALPACA_EVAL = _benchmark(Subset(OPEN_SUBSET, "instruction", "output", ("judge-1-10",)))
LLAMA_QUESTIONS = _benchmark(Subset("llama_questions", "Questions", "Answer", QA_METRICS))
TRIVIA_QA = _benchmark(Subset("trivia_qa", "question", "answer_normalized_aliases", QA_METRICS))
WEB_QUESTIONS = _benchmark(Subset("web_questions", "question", "answers", QA_METRICS))
REASONING_QA = _benchmark(Subset("reasoning_qa", "Prompt", "参考答案", ("judge-solution-1-5",), "zh"))
