"""MMAU and MMAU-Pro: questions about sounds, music and speech that take reasoning."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

from auricle.tasks.benchmarks.base import Benchmark, Item, Items, Part, below, item
from auricle.tasks.benchmarks.tables import Values, made

FACTS = ("dataset", "task", "category", "sub-category", "difficulty")


def _mmau(root: Path, part: Part) -> Items:
    """`mmau-test-mini.json`; its `audio_id` names a file of the audio archive."""
    listed = below(root, f"mmau-{part['split']}.json", f"data/mmau-{part['split']}.json")

    def make(row: Values) -> Item:
        known = {name: row[name] for name in FACTS if row.get(name)}
        sound = listed.parent / str(row["audio_id"])
        return item(
            str(row["id"]),
            sound,
            row["answer"],
            question=row["question"],
            choices=row["choices"],
            **known,
        )

    return made(listed, make)


MMAU = Benchmark(
    name="mmau",
    title="MMAU",
    kind="mcq",
    language="en",
    licence="CC BY-NC 4.0",
    source="github.com/Sakshi113/MMAU",
    splits={"test-mini": 1000},
    layout="mmau-test-mini.json and test-mini-audios/ID.wav",
    read=_mmau,
    asking={
        "metrics": ["option_accuracy", "word_match"],
        "by": ["task", "difficulty", "sub-category"],
    },
)

PRO_FACTS = ("category", "sub-cat", "length_type", "task_classification")
OPEN, FOLLOWING = "open", "instruction following"


def _mmau_pro(kinds: str, root: Path, _part: Part) -> Items:
    """`test.parquet` beside the unpacked `data.zip`; a question may be about several sounds."""
    listed = below(root, "test.parquet", "data/test.parquet")

    def make(row: Values) -> Item | None:
        wanted = row["category"] == OPEN if kinds == OPEN else _is_closed(row)
        if not wanted:
            return None
        paths = row["audio_path"]
        sounds = [paths] if isinstance(paths, str) else list(paths)
        known: dict[str, Any] = {name: row[name] for name in PRO_FACTS if row.get(name)}
        choices = [] if kinds == OPEN else row["choices"]
        return item(
            str(row["id"]),
            [str(root / each) for each in sounds],
            row["answer"],
            question=row["question"],
            choices=choices,
            **known,
        )

    return made(listed, make)


def _is_closed(row: Values) -> bool:
    """Options to choose from; instructions to be followed have rules of their own."""
    return row["category"] not in (OPEN, FOLLOWING) and len(row.get("choices") or ()) > 1


def _pro(name: str, kind: str, wanted: str, metrics: list[str]) -> Benchmark:
    return Benchmark(
        name=name,
        title=f"MMAU-Pro {wanted}",
        kind=kind,
        language="en",
        licence="CC BY-NC 4.0",
        source="huggingface.co/datasets/gamma-lab-umd/MMAU-Pro",
        splits={"test": None},
        layout="test.parquet and data/NAME.wav (from data.zip)",
        read=partial(_mmau_pro, wanted),
        asking={"metrics": metrics, "by": ["category", "length_type"]},
    )


MMAU_PRO = _pro("mmau-pro", "mcq", "closed", ["option_accuracy", "word_match"])
MMAU_PRO_OPEN = _pro("mmau-pro-open", "open", OPEN, ["judge-1-5"])
