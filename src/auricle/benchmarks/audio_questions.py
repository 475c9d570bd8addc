"""Questions about audio, and spoken questions: AIR-Bench, MMAU, MMAU-Pro and OpenAudioBench."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from auricle.benchmarks import base, sources
from auricle.engine.kinds import MEDIA_TEMPLATE

# --- AIR-Bench: multiple choice (Foundation) and open questions (Chat) about audio -------------

CHOICE_COLUMNS = ("choice_a", "choice_b", "choice_c", "choice_d")
CHOICE_INSTRUCTION = (
    "Choose the most suitable answer from options A, B, C, and D to respond the question in next "
    "line, you may only choose A or B or C or D."
)


def _read_air_bench(name: str, root: Path, _part: sources.BenchmarkPart) -> sources.Items:
    """Read a file such as `Chat/Chat_meta.json`; recordings are in folders named TASK_DATASET."""
    folder = sources.find_below(root, name, "")

    def convert(row: sources.Values) -> sources.Item:
        audio = folder / f"{row['task_name']}_{row['dataset_name']}" / str(row["path"])
        if not audio.exists() and audio.with_suffix(".flac").exists():
            audio = audio.with_suffix(".flac")  # the table lists the files of Audio_Grounding as .wav
        return _convert_air_bench_row({**row, "audio": audio})

    return sources.convert_table(sources.find_below(folder, f"{name}_meta.json"), convert)


def _convert_air_bench_row(row: sources.Values) -> sources.Item:
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


def _read_mmau(root: Path, part: sources.BenchmarkPart) -> sources.Items:
    """Read `mmau-test-mini.json`, whose `audio_id` is a path in the audio archive."""
    table = sources.find_below(root, f"mmau-{part['split']}.json", f"data/mmau-{part['split']}.json")

    def convert(row: sources.Values) -> sources.Item:
        meta = {name: row[name] for name in META_COLUMNS if row.get(name)}
        audio = table.parent / str(row["audio_id"])
        return base.make_item(
            str(row["id"]), audio, row["answer"], question=row["question"], choices=row["choices"], **meta
        )

    return sources.convert_table(table, convert)


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


def _read_mmau_pro(question_kind: str, root: Path, _part: sources.BenchmarkPart) -> sources.Items:
    """Read `test.parquet`, beside the unpacked `data.zip`; a question may refer to several recordings."""
    table = sources.find_below(root, "test.parquet", "data/test.parquet")

    def convert(row: sources.Values) -> sources.Item | None:
        # Instruction-following rows would need rules to score them.
        is_closed = row["category"] not in (OPEN, "instruction following") and len(row.get("choices") or ()) > 1
        if not (row["category"] == OPEN if question_kind == OPEN else is_closed):
            return None
        paths = row["audio_path"]
        audio = [str(root / path) for path in ([paths] if isinstance(paths, str) else paths)]
        meta: dict[str, Any] = {name: row[name] for name in PRO_META_COLUMNS if row.get(name)}
        choices = [] if question_kind == OPEN else row["choices"]
        return base.make_item(str(row["id"]), audio, row["answer"], question=row["question"], choices=choices, **meta)

    return sources.convert_table(table, convert)


def _pro_benchmark(name: str, kind: str, question_kind: str, metrics: list[str]) -> base.Benchmark:
    return base.Benchmark(
        **base.about(name, f"MMAU-Pro {question_kind}", kind, language="en", licence="CC BY-NC 4.0"),
        source="huggingface.co/datasets/gamma-lab-umd/MMAU-Pro",
        citation="Kumar et al., arXiv:2508.13992",
        splits={"test": None},
        layout="test.parquet and data/NAME.wav (from data.zip)",
        read=partial(_read_mmau_pro, question_kind),
        task_options={"metrics": metrics, "by": ["category", "length_type"]},
    )


MMAU_PRO = _pro_benchmark("mmau-pro", "mcq", "closed", ["option_accuracy", "word_match"])
MMAU_PRO_OPEN = _pro_benchmark("mmau-pro-open", "open", OPEN, ["judge-1-5"])


# --- OpenAudioBench: five sets of spoken questions, scored by judges ---------------------------


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


def _openaudiobench(
    subset: str, question: str, answer: str, metrics: Sequence[str], language: str = "en"
) -> base.Benchmark:
    """Declare a subset, given the columns of its questions and answers."""
    is_open = subset == "alpaca_eval"  # its answers are possible ones, not references

    def read(root: Path, _part: sources.BenchmarkPart) -> sources.Items:
        folder = sources.find_below(root, f"eval_datas/{subset}", subset)

        def convert(row: sources.Values) -> sources.Item:
            name, target = row["audio_filename"], parse_list_cell(row.get(answer))
            roles = {"target": None, "baseline": target} if is_open else {"target": target}
            return base.make_item(Path(name).stem, folder / "audios" / name, audio_content=row[question], **roles)

        return sources.convert_table(sources.find_below(folder, f"{subset}.csv"), convert)

    name = f"openaudiobench-{subset.replace('_', '-')}"
    return base.Benchmark(
        **base.about(name, f"OpenAudioBench {subset}", "open" if is_open else "qa", language=language),
        source="huggingface.co/datasets/baichuan-inc/OpenAudioBench",
        citation="Li et al., arXiv:2502.17239",
        splits={"test": None},
        layout=f"eval_datas/{subset}/{subset}.csv and audios/ beside it",
        read=read,
        task_options={"metrics": list(metrics)},
    )


QA_METRICS = ("judge-reference", "contains")
ALPACA_EVAL = _openaudiobench("alpaca_eval", "instruction", "output", ("judge-1-10",))
LLAMA_QUESTIONS = _openaudiobench("llama_questions", "Questions", "Answer", QA_METRICS)
TRIVIA_QA = _openaudiobench("trivia_qa", "question", "answer_normalized_aliases", QA_METRICS)
WEB_QUESTIONS = _openaudiobench("web_questions", "question", "answers", QA_METRICS)
REASONING_QA = _openaudiobench("reasoning_qa", "Prompt", "参考答案", ("judge-solution-1-5",), "zh")
