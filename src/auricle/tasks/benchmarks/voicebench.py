"""VoiceBench: eleven sets of spoken questions and requests, each with its own way of scoring.

Rows are those of the Hugging Face repository, from there or from a clone of it (Parquet files);
or the JSONL files that Kimi-Audio-Evalkit's downloader writes. Nothing is asked in writing.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

from auricle.core.types import Rejected
from auricle.data.rows import count
from auricle.tasks.benchmarks.base import (
    HUB_ROW,
    HUB_SPLIT,
    Benchmark,
    Hub,
    Item,
    Items,
    Part,
    item,
    missing,
)
from auricle.tasks.benchmarks.tables import Values, made
from auricle.tasks.kinds import MEDIA

REVISION = "0aa5b0289e1b9a1a0448cc01ae7a88bbe9560aef"
KIMI = {
    "audio_path": "audio",
    "audio_content": "prompt",
    "answer": "reference",
    "instruction": "instruction_id_list",
    "instruction_kwargs": "kwargs",
    "index": HUB_ROW,
}
"""What Kimi-Audio-Evalkit calls the columns."""
ACCENTS = (
    "usa", "aus", "gbr", "ind_n", "ind_s", "irl", "kenya", "nga", "nzl", "phl", "zaf",
)  # fmt: skip
DOMAINS = (
    "biology", "business", "chemistry", "economics", "engineering", "health", "history", "law",
    "other", "philosophy", "physics", "psychology",
)  # fmt: skip
ALL = "all"
OPTION = re.compile(r"^\s*\(?([A-J])[.):]\s*(.+?)\s*$", re.MULTILINE)
LETTER = re.compile(r"\(?([A-Ja-j])\)?\.?")

Make = Callable[[Values], Item]


# --- what a row is ------------------------------------------------------------------------


def _id(row: Values) -> str:
    """The row's own id, else its place in its split."""
    own, split, place = row.get("id") or row.get("key"), _part(row), row.get(HUB_ROW, "")
    return str(own) if own else f"{split}-{place}" if split else str(place)


def _part(row: Values) -> str:
    """Which accent or subject a row is of, where a set has several."""
    split = str(row.get(HUB_SPLIT, ""))
    return "" if split == "test" else split


def _row(row: Values, target: Any = None, **more: Any) -> Item:
    """What all sets share: a sound, and for judges the words that are spoken in it."""
    return item(_id(row), row["audio"], target, audio_content=row["prompt"], **more)


def _open(row: Values) -> Item:
    return _row(row)


def _referenced(row: Values) -> Item:
    return _row(row, row["reference"], accent=_part(row) or ACCENTS[0])


def _instructed(row: Values) -> Item:
    asked = ("instruction_id_list", "kwargs")
    return _row(row, **{name: row[name] for name in asked})


def _spoken_choices(row: Values) -> Item:
    """Options are read aloud; they are known from the transcript, one a line."""
    found = OPTION.findall(row["prompt"])
    in_order = "".join(letter for letter, _ in found) == "ABCDEFGHIJ"[: len(found)]
    choices = [text for _, text in found] if in_order and len(found) > 1 else []
    target = row["reference"]
    letter = LETTER.fullmatch(str(target).strip())
    right = letter[1].upper() if letter else target
    return _row(row, right, choices=choices, domain=_part(row))


def _reasoned(row: Values) -> Item:
    """Yes or no, or (a) or (b); the id says which of four puzzles it is."""
    puzzle = re.sub(r"[\W_]*\d+$", "", str(row["id"]))
    if str(row["reference"]).strip().lower() not in ("yes", "no"):
        return {**_spoken_choices(row), "meta": {**_row(row)["meta"], "puzzle": puzzle}}
    target = str(row["reference"]).strip().lower()
    return _row(row, target, choices=["yes", "no"], puzzle=puzzle)


def _turns(row: Values) -> Item:
    """Every column of sounds is one turn, in the order of their names."""
    names = sorted(name for name in row if name.startswith("audio"))
    listed = [row[name] if isinstance(row[name], list) else [row[name]] for name in names]
    texts = [row[name] for name in sorted(row) if name.startswith(("prompt", "turns"))]
    words = chain.from_iterable(each if isinstance(each, list) else [each] for each in texts)
    said = [{"role": "user", "audio": sound} for sound in chain.from_iterable(listed)]
    return {
        "id": _id(row),
        "target": None,
        "turns": said,
        "meta": {"audio_content": "\n".join(map(str, words))},
    }


# --- where rows are -----------------------------------------------------------------------


def _read(subset: str, make: Make, root: Path, part: Part) -> Items:
    """A clone's `SUBSET/SPLIT-00000-of-00001.parquet`, or `SUBSET.jsonl`."""
    listed = root / f"{subset}.jsonl"
    if listed.is_file():
        return made(listed, lambda row: make(_renamed(row)))
    shards: dict[str, list[Path]] = {}
    for split in _splits(subset, part["split"]):
        shards[split] = sorted((root / subset).glob(f"{split}-*.parquet"))
        if not shards[split]:
            raise missing(root, f"{subset}/{split}-*.parquet or {listed.name}")
    return Shards(shards, make)


class Shards(Sequence[Item | Rejected]):
    """Rows of Parquet files, read anew each time: their sounds would fill the memory."""

    def __init__(self, shards: Mapping[str, list[Path]], make: Make) -> None:
        self._shards, self._make = shards, make

    def __iter__(self) -> Iterator[Item | Rejected]:
        for split, shards in self._shards.items():
            tagged = partial(self._tagged, split, itertools.count())
            for shard in shards:
                yield from made(shard, tagged)

    def _tagged(self, split: str, places: Iterator[int], row: Values) -> Item:
        return self._make({**row, HUB_SPLIT: split, HUB_ROW: next(places)})

    def __len__(self) -> int:
        return sum(count(shard) or 0 for shards in self._shards.values() for shard in shards)

    def __getitem__(self, at: Any) -> Any:
        return list(self)[at]


def _renamed(row: Values) -> dict[str, Any]:
    return {KIMI.get(name, name): value for name, value in row.items()}


def _splits(subset: str, split: str) -> tuple[str, ...]:
    whole = {"sd-qa": ACCENTS, "mmsu": DOMAINS}
    return whole[subset] if split == ALL else (split,)


# --- the eleven ---------------------------------------------------------------------------


def _set(
    subset: str,
    kind: str,
    make: Make,
    asking: Mapping[str, Any],
    splits: Mapping[str, int | None],
) -> Benchmark:
    return Benchmark(
        name=f"voicebench-{subset.replace('_', '-')}",
        title=f"VoiceBench {subset}",
        kind=kind,
        language="en",
        licence="Apache-2.0",
        source="github.com/MatthewCYM/VoiceBench",
        splits=splits,
        layout=f"{subset}/test-00000-of-00001.parquet or {subset}.jsonl",
        read=partial(_read, subset, make),
        hub=Hub(
            "hlt-lab/voicebench",
            REVISION,
            at=lambda part: (subset, "+".join(_splits(subset, part["split"]))),
            item=make,
            files="{config}/{split}-*.parquet",
        ),
        asking=asking,
    )


JUDGED = {"metrics": ["judge-1-5"], "votes": 3}
CHOSEN = {"prompt": MEDIA}
INSTRUCTED = {
    "metrics": [
        "ifeval",
        *(
            f"ifeval_{what}_{how}"
            for what in ("prompt", "instruction")
            for how in ("strict", "loose")
        ),
    ],
    "max_tokens": 2048,
}

ALPACAEVAL = _set("alpacaeval", "open", _open, JUDGED, {"test": 199})
ALPACAEVAL_FULL = _set("alpacaeval_full", "open", _open, JUDGED, {"test": 636})
COMMONEVAL = _set("commoneval", "open", _open, JUDGED, {"test": 200})
WILDVOICE = _set("wildvoice", "open", _open, JUDGED, {"test": 1000})
OPENBOOKQA = _set("openbookqa", "mcq", _spoken_choices, CHOSEN, {"test": 455})
MMSU = _set(
    "mmsu",
    "mcq",
    _spoken_choices,
    {**CHOSEN, "by": ["domain"]},
    {ALL: 3074, **dict.fromkeys(DOMAINS)},
)
SD_QA = _set(
    "sd-qa",
    "qa",
    _referenced,
    {"metrics": ["judge-reference", "contains"], "votes": 3, "by": ["accent"]},
    {**dict.fromkeys(ACCENTS), "usa": 553, ALL: None},
)
MTBENCH = _set("mtbench", "chat", _turns, {"metrics": ["judge-1-10"]}, {"test": 46})
IFEVAL = _set("ifeval", "open", _instructed, INSTRUCTED, {"test": 345})
BBH = _set("bbh", "mcq", _reasoned, {**CHOSEN, "by": ["puzzle"]}, {"test": 1000})
ADVBENCH = _set("advbench", "open", _open, {"metrics": ["refusal"]}, {"test": 520})
