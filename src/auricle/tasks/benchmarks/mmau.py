"""MMAU and MMAU-Pro: questions about sounds, music and speech that take reasoning."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

from auricle.tasks.benchmarks.base import Benchmark, BenchmarkPart, Item, Items, find_below, make_item
from auricle.tasks.benchmarks.tables import Values, convert_table

META_COLUMNS = ("dataset", "task", "category", "sub-category", "difficulty")


def _read_mmau(root: Path, part: BenchmarkPart) -> Items:
    """`mmau-test-mini.json`; its `audio_id` names a file of the audio archive."""
    listed = find_below(root, f"mmau-{part['split']}.json", f"data/mmau-{part['split']}.json")

    def make(row: Values) -> Item:
        known = {name: row[name] for name in META_COLUMNS if row.get(name)}
        sound = listed.parent / str(row["audio_id"])
        return make_item(
            str(row["id"]), sound, row["answer"], question=row["question"], choices=row["choices"], **known
        )

    return convert_table(listed, make)


MMAU = Benchmark(
    name="mmau",
    title="MMAU",
    kind="mcq",
    language="en",
    licence="CC BY-NC 4.0",
    source="github.com/Sakshi113/MMAU",
    splits={"test-mini": 1000},
    layout="mmau-test-mini.json and test-mini-audios/ID.wav",
    read=_read_mmau,
    task_options={"metrics": ["option_accuracy", "word_match"], "by": ["task", "difficulty", "sub-category"]},
)

PRO_META_COLUMNS = ("category", "sub-cat", "length_type", "task_classification")
OPEN, INSTRUCTION_FOLLOWING = "open", "instruction following"


def _read_mmau_pro(question_kind: str, root: Path, _part: BenchmarkPart) -> Items:
    """`test.parquet` beside the unpacked `data.zip`; a question may be about several sounds."""
    listed = find_below(root, "test.parquet", "data/test.parquet")

    def make(row: Values) -> Item | None:
        wanted = row["category"] == OPEN if question_kind == OPEN else _is_closed(row)
        if not wanted:
            return None
        paths = row["audio_path"]
        sounds = [paths] if isinstance(paths, str) else list(paths)
        known: dict[str, Any] = {name: row[name] for name in PRO_META_COLUMNS if row.get(name)}
        choices = [] if question_kind == OPEN else row["choices"]
        return make_item(
            str(row["id"]),
            [str(root / each) for each in sounds],
            row["answer"],
            question=row["question"],
            choices=choices,
            **known,
        )

    return convert_table(listed, make)


def _is_closed(row: Values) -> bool:
    """Options to choose from; instructions to be followed have rules of their own."""
    return row["category"] not in (OPEN, INSTRUCTION_FOLLOWING) and len(row.get("choices") or ()) > 1


def _pro_benchmark(name: str, kind: str, question_kind: str, metrics: list[str]) -> Benchmark:
    return Benchmark(
        name=name,
        title=f"MMAU-Pro {question_kind}",
        kind=kind,
        language="en",
        licence="CC BY-NC 4.0",
        source="huggingface.co/datasets/gamma-lab-umd/MMAU-Pro",
        splits={"test": None},
        layout="test.parquet and data/NAME.wav (from data.zip)",
        read=partial(_read_mmau_pro, question_kind),
        task_options={"metrics": metrics, "by": ["category", "length_type"]},
    )


MMAU_PRO = _pro_benchmark("mmau-pro", "mcq", "closed", ["option_accuracy", "word_match"])
MMAU_PRO_OPEN = _pro_benchmark("mmau-pro-open", "open", OPEN, ["judge-1-5"])
