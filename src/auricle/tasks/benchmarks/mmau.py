"""MMAU and MMAU-Pro: reasoning questions about sounds, music and speech."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

from auricle.tasks.benchmarks.base import Benchmark, BenchmarkPart, Item, Items, about, find_below, make_item
from auricle.tasks.benchmarks.tables import Values, convert_table

META_COLUMNS = ("dataset", "task", "category", "sub-category", "difficulty")


def _read_mmau(root: Path, part: BenchmarkPart) -> Items:
    """Read `mmau-test-mini.json`, whose `audio_id` is a path in the audio archive."""
    table = find_below(root, f"mmau-{part['split']}.json", f"data/mmau-{part['split']}.json")

    def convert(row: Values) -> Item:
        meta = {name: row[name] for name in META_COLUMNS if row.get(name)}
        audio = table.parent / str(row["audio_id"])
        return make_item(str(row["id"]), audio, row["answer"], question=row["question"], choices=row["choices"], **meta)

    return convert_table(table, convert)


MMAU = Benchmark(
    **about("mmau", "MMAU", "mcq", language="en", licence="CC BY-NC 4.0"),
    source="github.com/Sakshi113/MMAU",
    citation="Sakshi et al., ICLR 2025",
    splits={"test-mini": 1000},
    layout="mmau-test-mini.json and test-mini-audios/ID.wav",
    read=_read_mmau,
    task_options={"metrics": ["option_accuracy", "word_match"], "by": ["task", "difficulty", "sub-category"]},
)

PRO_META_COLUMNS = ("category", "sub-cat", "length_type", "task_classification")
OPEN, INSTRUCTION_FOLLOWING = "open", "instruction following"


def _read_mmau_pro(question_kind: str, root: Path, _part: BenchmarkPart) -> Items:
    """Read `test.parquet`, beside the unpacked `data.zip`; a question may refer to several recordings."""
    table = find_below(root, "test.parquet", "data/test.parquet")

    def convert(row: Values) -> Item | None:
        is_selected = row["category"] == OPEN if question_kind == OPEN else _is_closed(row)
        if not is_selected:
            return None
        paths = row["audio_path"]
        audio = [str(root / path) for path in ([paths] if isinstance(paths, str) else paths)]
        meta: dict[str, Any] = {name: row[name] for name in PRO_META_COLUMNS if row.get(name)}
        choices = [] if question_kind == OPEN else row["choices"]
        return make_item(str(row["id"]), audio, row["answer"], question=row["question"], choices=choices, **meta)

    return convert_table(table, convert)


def _is_closed(row: Values) -> bool:
    """Return whether a question is multiple choice; instruction-following rows would need rules to score them."""
    return row["category"] not in (OPEN, INSTRUCTION_FOLLOWING) and len(row.get("choices") or ()) > 1


def _pro_benchmark(name: str, kind: str, question_kind: str, metrics: list[str]) -> Benchmark:
    return Benchmark(
        **about(name, f"MMAU-Pro {question_kind}", kind, language="en", licence="CC BY-NC 4.0"),
        source="huggingface.co/datasets/gamma-lab-umd/MMAU-Pro",
        splits={"test": None},
        layout="test.parquet and data/NAME.wav (from data.zip)",
        read=partial(_read_mmau_pro, question_kind),
        task_options={"metrics": metrics, "by": ["category", "length_type"]},
    )


MMAU_PRO = _pro_benchmark("mmau-pro", "mcq", "closed", ["option_accuracy", "word_match"])
MMAU_PRO_OPEN = _pro_benchmark("mmau-pro-open", "open", OPEN, ["judge-1-5"])
