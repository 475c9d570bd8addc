"""AIR-Bench: multiple choice (Foundation) and open questions (Chat) about audio."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from auricle.tasks.benchmarks import base
from auricle.tasks.benchmarks.tables import Values, convert_table
from auricle.tasks.kinds import MEDIA_TEMPLATE

CHOICE_COLUMNS = ("choice_a", "choice_b", "choice_c", "choice_d")
CHOICE_INSTRUCTION = (
    "Choose the most suitable answer from options A, B, C, and D to respond the question in next "
    "line, you may only choose A or B or C or D."
)


def _read(name: str, root: Path, _part: base.BenchmarkPart) -> base.Items:
    """Read a file such as `Chat/Chat_meta.json`; recordings are in folders named TASK_DATASET."""
    folder = base.find_below(root, name, "")
    table = base.find_below(folder, f"{name}_meta.json")

    def convert(row: Values) -> base.Item:
        audio = folder / f"{row['task_name']}_{row['dataset_name']}" / str(row["path"])
        if not audio.exists() and audio.with_suffix(".flac").exists():
            audio = audio.with_suffix(".flac")  # the table lists the files of Audio_Grounding as .wav
        return _convert_row({**row, "audio": audio})

    return convert_table(table, convert)


def _convert_row(row: Values) -> base.Item:
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


def _benchmark(name: str, kind: str, task_options: Mapping[str, Any], hub_splits: str) -> base.Benchmark:
    return base.Benchmark(
        **base.about(f"air-bench-{name.lower()}", f"AIR-Bench {name}", kind, language="en", licence="CC BY-NC 4.0"),
        source="huggingface.co/datasets/qyang1021/AIR-Bench-Dataset",
        citation="Yang et al., ACL 2024",
        splits={"test": None},
        layout=f"{name}/{name}_meta.json and {name}/TASK_DATASET/",
        read=partial(_read, name),
        hub=base.HubDataset(
            "lmms-lab/AIR_Bench",
            None,
            locate=lambda _part: (name, hub_splits),
            convert_row=_convert_row,
            files="{config}/{split}-*.parquet",
        ),
        task_options={**task_options, "by": ["task"]},
    )


CHOICE_OPTIONS = {"prompt": f"{MEDIA_TEMPLATE}{CHOICE_INSTRUCTION}\n{{question}}{{options}}"}
AIR_BENCH_FOUNDATION = _benchmark("Foundation", "mcq", CHOICE_OPTIONS, "speech+sound+music")
AIR_BENCH_CHAT = _benchmark("Chat", "open", {"metrics": ["judge-1-10"]}, "speech+sound+music+mixed")
