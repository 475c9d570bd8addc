"""OpenAudioBench: five sets of spoken questions, each judged in its own way."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from auricle.tasks.benchmarks.base import Benchmark, Item, Items, Part, below, item
from auricle.tasks.benchmarks.tables import Values, made

OPEN = "alpaca_eval"


@dataclass(frozen=True)
class Subset:
    """Which columns a subset's table has, and how its answers are judged."""

    name: str
    question: str
    answer: str
    metrics: Sequence[str]
    language: str = "en"


def _read(subset: Subset, root: Path, _part: Part) -> Items:
    """`eval_datas/SUBSET/SUBSET.csv` and `audios/` beside it."""
    folder = below(root, f"eval_datas/{subset.name}", subset.name)
    listed = below(folder, f"{subset.name}.csv")

    def make(row: Values) -> Item:
        name, answer = row["audio_filename"], several(row.get(subset.answer))
        is_one_of_many = subset.name == OPEN  # to be compared with, not to be agreed with
        return item(
            Path(name).stem,
            folder / "audios" / name,
            None if is_one_of_many else answer,
            audio_content=row[subset.question],
            baseline=answer if is_one_of_many else "",
        )

    return made(listed, make)


def several(cell: Any) -> Any:
    """A cell that spells a Python list of texts as that list; anything else as it is."""
    if isinstance(cell, str) and cell.startswith("["):
        try:
            found = ast.literal_eval(cell)
        except (ValueError, SyntaxError):
            return cell
        if found and all(isinstance(each, str) for each in found):
            return list(found)
    return cell


def _set(subset: Subset) -> Benchmark:
    return Benchmark(
        name=f"openaudiobench-{subset.name.replace('_', '-')}",
        title=f"OpenAudioBench {subset.name}",
        kind="open" if subset.name == OPEN else "qa",
        language=subset.language,
        licence="",
        source="huggingface.co/datasets/baichuan-inc/OpenAudioBench",
        splits={"test": None},
        layout=f"eval_datas/{subset.name}/{subset.name}.csv and audios/ beside it",
        read=partial(_read, subset),
        asking={"metrics": list(subset.metrics)},
    )


ALIKE = ("judge-reference", "contains")
ALPACA_EVAL = _set(Subset(OPEN, "instruction", "output", ("judge-1-10",)))
LLAMA_QUESTIONS = _set(Subset("llama_questions", "Questions", "Answer", ALIKE))
TRIVIA_QA = _set(Subset("trivia_qa", "question", "answer_normalized_aliases", ALIKE))
WEB_QUESTIONS = _set(Subset("web_questions", "question", "answers", ALIKE))
REASONING_QA = _set(Subset("reasoning_qa", "Prompt", "参考答案", ("judge-solution-1-5",), "zh"))
