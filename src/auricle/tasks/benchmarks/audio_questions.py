"""Questions about audio, and spoken questions: AIR-Bench, MMAU, MMAU-Pro and OpenAudioBench."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from auricle.tasks.benchmarks import base
from auricle.tasks.benchmarks.sources import Values, convert_table
from auricle.tasks.kinds import MEDIA_TEMPLATE

# --- AIR-Bench: multiple choice (Foundation) and open questions (Chat) about audio -------------

CHOICE_COLUMNS = ("choice_a", "choice_b", "choice_c", "choice_d")
CHOICE_INSTRUCTION = (
    "Choose the most suitable answer from options A, B, C, and D to respond the question in next "
    "line, you may only choose A or B or C or D."
)


def _read_air_bench(name: str, root: Path, _part: base.BenchmarkPart) -> base.Items:
    """Read a file such as `Chat/Chat_meta.json`; recordings are in folders named TASK_DATASET."""
    folder = base.find_below(root, name, "")

    def convert(row: Values) -> base.Item:
        audio = folder / f"{row['task_name']}_{row['dataset_name']}" / str(row["path"])
        if not audio.exists() and audio.with_suffix(".flac").exists():
            audio = audio.with_suffix(".flac")  # the table lists the files of Audio_Grounding as .wav
        return _convert_air_bench_row({**row, "audio": audio})

    return convert_table(base.find_below(folder, f"{name}_meta.json"), convert)


def _convert_air_bench_row(row: Values) -> base.Item:
    task = row["task_name"]
    return base.make_item(
        f"{task}-{row['uniq_id']}",
        row["audio"],
        row["answer_gt"],
        question=row["question"],
        choices=[str(row[column]) for column in CHOICE_COLUMNS if row.get(column)],
        task=task,
        dataset=row["dataset_name"],
        audio_content=row.get("meta_info"),
    )


def _air_bench(name: str, kind: str, task_options: Mapping[str, Any], hub_splits: str) -> base.Benchmark:
    return base.Benchmark(
        **base.about(f"air-bench-{name.lower()}", f"AIR-Bench {name}", kind, language="en", licence="CC BY-NC 4.0"),
        source="huggingface.co/datasets/qyang1021/AIR-Bench-Dataset",
        citation="Yang et al., ACL 2024",
        splits={"test": None},
        layout=f"{name}/{name}_meta.json and {name}/TASK_DATASET/",
        read=partial(_read_air_bench, name),
        hub=base.HubDataset(
            "lmms-lab/AIR_Bench",
            None,
            locate=lambda _part: (name, hub_splits),
            convert_row=_convert_air_bench_row,
            files="{config}/{split}-*.parquet",
        ),
        task_options={**task_options, "by": ["task"]},
    )


CHOICE_OPTIONS = {"prompt": f"{MEDIA_TEMPLATE}{CHOICE_INSTRUCTION}\n{{question}}{{options}}"}
AIR_BENCH_FOUNDATION = _air_bench("Foundation", "mcq", CHOICE_OPTIONS, "speech+sound+music")
AIR_BENCH_CHAT = _air_bench("Chat", "open", {"metrics": ["judge-1-10"]}, "speech+sound+music+mixed")


# --- MMAU and MMAU-Pro: reasoning questions about sounds, music and speech ---------------------

META_COLUMNS = ("dataset", "task", "category", "sub-category", "difficulty")


def _read_mmau(root: Path, part: base.BenchmarkPart) -> base.Items:
    """Read `mmau-test-mini.json`, whose `audio_id` is a path in the audio archive."""
    table = base.find_below(root, f"mmau-{part['split']}.json", f"data/mmau-{part['split']}.json")

    def convert(row: Values) -> base.Item:
        meta = {name: row[name] for name in META_COLUMNS if row.get(name)}
        audio = table.parent / str(row["audio_id"])
        return base.make_item(
            str(row["id"]), audio, row["answer"], question=row["question"], choices=row["choices"], **meta
        )

    return convert_table(table, convert)


MMAU = base.Benchmark(
    **base.about("mmau", "MMAU", "mcq", language="en", licence="CC BY-NC 4.0"),
    source="github.com/Sakshi113/MMAU",
    citation="Sakshi et al., ICLR 2025",
    splits={"test-mini": 1000},
    layout="mmau-test-mini.json and test-mini-audios/ID.wav",
    read=_read_mmau,
    task_options={"metrics": ["option_accuracy", "word_match"], "by": ["task", "difficulty", "sub-category"]},
)

PRO_META_COLUMNS = ("category", "sub-cat", "length_type", "task_classification")
OPEN = "open"


def _read_mmau_pro(question_kind: str, root: Path, _part: base.BenchmarkPart) -> base.Items:
    """Read `test.parquet`, beside the unpacked `data.zip`; a question may refer to several recordings."""
    table = base.find_below(root, "test.parquet", "data/test.parquet")

    def convert(row: Values) -> base.Item | None:
        # Instruction-following rows would need rules to score them.
        is_closed = row["category"] not in (OPEN, "instruction following") and len(row.get("choices") or ()) > 1
        if not (row["category"] == OPEN if question_kind == OPEN else is_closed):
            return None
        paths = row["audio_path"]
        audio = [str(root / path) for path in ([paths] if isinstance(paths, str) else paths)]
        meta: dict[str, Any] = {name: row[name] for name in PRO_META_COLUMNS if row.get(name)}
        choices = [] if question_kind == OPEN else row["choices"]
        return base.make_item(str(row["id"]), audio, row["answer"], question=row["question"], choices=choices, **meta)

    return convert_table(table, convert)


def _pro_benchmark(name: str, kind: str, question_kind: str, metrics: list[str]) -> base.Benchmark:
    return base.Benchmark(
        **base.about(name, f"MMAU-Pro {question_kind}", kind, language="en", licence="CC BY-NC 4.0"),
        source="huggingface.co/datasets/gamma-lab-umd/MMAU-Pro",
        splits={"test": None},
        layout="test.parquet and data/NAME.wav (from data.zip)",
        read=partial(_read_mmau_pro, question_kind),
        task_options={"metrics": metrics, "by": ["category", "length_type"]},
    )


MMAU_PRO = _pro_benchmark("mmau-pro", "mcq", "closed", ["option_accuracy", "word_match"])
MMAU_PRO_OPEN = _pro_benchmark("mmau-pro-open", "open", OPEN, ["judge-1-5"])


# --- OpenAudioBench: five sets of spoken questions, scored by judges ---------------------------

OPEN_SUBSET = "alpaca_eval"


@dataclass(frozen=True)
class Subset:
    """The columns and metrics of a subset."""

    name: str
    question: str
    answer: str
    metrics: Sequence[str]
    language: str = "en"


def _read_openaudiobench(subset: Subset, root: Path, _part: base.BenchmarkPart) -> base.Items:
    """Read `eval_datas/SUBSET/SUBSET.csv`, with `audios/` beside it."""
    folder = base.find_below(root, f"eval_datas/{subset.name}", subset.name)

    def convert(row: Values) -> base.Item:
        name, answer = row["audio_filename"], parse_list_cell(row.get(subset.answer))
        is_baseline = subset.name == OPEN_SUBSET  # one possible answer, not a reference
        return base.make_item(
            Path(name).stem,
            folder / "audios" / name,
            None if is_baseline else answer,
            audio_content=row[subset.question],
            baseline=answer if is_baseline else "",
        )

    return convert_table(base.find_below(folder, f"{subset.name}.csv"), convert)


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


def _openaudiobench(subset: Subset) -> base.Benchmark:
    return base.Benchmark(
        **base.about(
            f"openaudiobench-{subset.name.replace('_', '-')}",
            f"OpenAudioBench {subset.name}",
            "open" if subset.name == OPEN_SUBSET else "qa",
            language=subset.language,
        ),
        source="huggingface.co/datasets/baichuan-inc/OpenAudioBench",
        citation="Li et al., arXiv:2502.17239",
        splits={"test": None},
        layout=f"eval_datas/{subset.name}/{subset.name}.csv and audios/ beside it",
        read=partial(_read_openaudiobench, subset),
        task_options={"metrics": list(subset.metrics)},
    )


QA_METRICS = ("judge-reference", "contains")
ALPACA_EVAL = _openaudiobench(Subset(OPEN_SUBSET, "instruction", "output", ("judge-1-10",)))
LLAMA_QUESTIONS = _openaudiobench(Subset("llama_questions", "Questions", "Answer", QA_METRICS))
TRIVIA_QA = _openaudiobench(Subset("trivia_qa", "question", "answer_normalized_aliases", QA_METRICS))
WEB_QUESTIONS = _openaudiobench(Subset("web_questions", "question", "answers", QA_METRICS))
REASONING_QA = _openaudiobench(Subset("reasoning_qa", "Prompt", "参考答案", ("judge-solution-1-5",), "zh"))
