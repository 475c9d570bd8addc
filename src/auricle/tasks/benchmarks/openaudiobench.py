"""OpenAudioBench: five sets of spoken questions, scored by judges."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from auricle.tasks.benchmarks.base import Benchmark, BenchmarkPart, Item, Items, about, find_below, make_item
from auricle.tasks.benchmarks.tables import Values, convert_table

OPEN_SUBSET = "alpaca_eval"


@dataclass(frozen=True)
class Subset:
    """The columns and metrics of a subset."""

    name: str
    question: str
    answer: str
    metrics: Sequence[str]
    language: str = "en"


def _read(subset: Subset, root: Path, _part: BenchmarkPart) -> Items:
    """Read `eval_datas/SUBSET/SUBSET.csv`, with `audios/` beside it."""
    folder = find_below(root, f"eval_datas/{subset.name}", subset.name)
    table = find_below(folder, f"{subset.name}.csv")

    def convert(row: Values) -> Item:
        name, answer = row["audio_filename"], parse_list_cell(row.get(subset.answer))
        is_baseline = subset.name == OPEN_SUBSET  # one possible answer, not a reference
        return make_item(
            Path(name).stem,
            folder / "audios" / name,
            None if is_baseline else answer,
            audio_content=row[subset.question],
            baseline=answer if is_baseline else "",
        )

    return convert_table(table, convert)


def parse_list_cell(cell: Any) -> Any:
    """Parse a cell with a Python list of strings; return any other cell unchanged."""
    if isinstance(cell, str) and cell.startswith("["):
        try:
            items = ast.literal_eval(cell)
        except (ValueError, SyntaxError):
            return cell
        if items and all(isinstance(item, str) for item in items):
            return list(items)
    return cell


def _benchmark(subset: Subset) -> Benchmark:
    return Benchmark(
        **about(
            f"openaudiobench-{subset.name.replace('_', '-')}",
            f"OpenAudioBench {subset.name}",
            "open" if subset.name == OPEN_SUBSET else "qa",
            language=subset.language,
        ),
        source="huggingface.co/datasets/baichuan-inc/OpenAudioBench",
        citation="Li et al., arXiv:2502.17239",
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
