"""VoiceBench: eleven sets of spoken questions and requests, each with its own metrics.

Rows come from the Hugging Face repository, from a clone of it (Parquet files), or from the JSONL files written by
Kimi-Audio-Evalkit's downloader. Prompts contain only audio, no text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import chain, count
from pathlib import Path
from typing import Any

from auricle.benchmarks import base, sources
from auricle.core.types import RejectedRow
from auricle.data.file_formats import count_rows
from auricle.engine.kinds import MEDIA_TEMPLATE

REVISION = "0aa5b0289e1b9a1a0448cc01ae7a88bbe9560aef"
KIMI_COLUMNS = {
    "audio_path": "audio",
    "audio_content": "prompt",
    "answer": "reference",
    "instruction": "instruction_id_list",
    "instruction_kwargs": "kwargs",
    "index": sources.HUB_ROW,
}
"""Column names of Kimi-Audio-Evalkit."""
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

RowConverter = Callable[[sources.Values], sources.Item]


# --- rows ---------------------------------------------------------------------------------


def _row_id(row: sources.Values) -> str:
    """Return the id of a row, or else its number within its split."""
    row_id, split, number = row.get("id") or row.get("key"), _subset_name(row), row.get(sources.HUB_ROW, "")
    return str(row_id) if row_id else f"{split}-{number}" if split else str(number)


def _subset_name(row: sources.Values) -> str:
    """Return the accent or subject of a row, or an empty string if the set has only one."""
    split = str(row.get(sources.HUB_SPLIT, ""))
    return "" if split == "test" else split


def _make_row(row: sources.Values, target: Any = None, **fields: Any) -> sources.Item:
    """Build a row with its audio and, for judges, its transcript."""
    return base.make_item(_row_id(row), row["audio"], target, audio_content=row["prompt"], **fields)


def _convert_open(row: sources.Values) -> sources.Item:
    return _make_row(row)


def _convert_qa(row: sources.Values) -> sources.Item:
    return _make_row(row, row["reference"], accent=_subset_name(row) or ACCENTS[0])


def _convert_instruction(row: sources.Values) -> sources.Item:
    return _make_row(row, instruction_id_list=row["instruction_id_list"], kwargs=row["kwargs"])


def _convert_spoken_choices(row: sources.Values) -> sources.Item:
    """Parse the spoken options from the transcript, which has one per line."""
    options = OPTION.findall(row["prompt"])
    in_order = "".join(letter for letter, _ in options) == "ABCDEFGHIJ"[: len(options)]
    choices = [text for _, text in options] if in_order and len(options) > 1 else []
    reference = row["reference"]
    letter = LETTER.fullmatch(str(reference).strip())
    target = letter[1].upper() if letter else reference
    return _make_row(row, target, choices=choices, domain=_subset_name(row))


def _convert_reasoning(row: sources.Values) -> sources.Item:
    """Convert a yes/no or (a)/(b) puzzle; the id contains the kind of puzzle."""
    puzzle = re.sub(r"[\W_]*\d+$", "", str(row["id"]))
    if str(row["reference"]).strip().lower() not in ("yes", "no"):
        return {**_convert_spoken_choices(row), "meta": {**_make_row(row)["meta"], "puzzle": puzzle}}
    target = str(row["reference"]).strip().lower()
    return _make_row(row, target, choices=["yes", "no"], puzzle=puzzle)


def _convert_conversation(row: sources.Values) -> sources.Item:
    """Convert a conversation: each audio column is one turn, in the order of the column names."""
    names = sorted(name for name in row if name.startswith("audio"))
    clips = chain.from_iterable(_as_list(row[name]) for name in names)
    texts = chain.from_iterable(_as_list(row[name]) for name in sorted(row) if name.startswith(("prompt", "turns")))
    turns = [{"role": "user", "audio": clip} for clip in clips]
    return {"id": _row_id(row), "target": None, "turns": turns, "meta": {"audio_content": "\n".join(map(str, texts))}}


def _as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


# --- files --------------------------------------------------------------------------------


def _read(subset: str, convert: RowConverter, root: Path, part: sources.BenchmarkPart) -> sources.Items:
    """Read `SUBSET/SPLIT-00000-of-00001.parquet` of a clone, or `SUBSET.jsonl`."""
    jsonl_path = root / f"{subset}.jsonl"
    if jsonl_path.is_file():
        return sources.convert_table(
            jsonl_path, lambda row: convert({KIMI_COLUMNS.get(name, name): value for name, value in row.items()})
        )
    shards: dict[str, list[Path]] = {}
    for split in _expand_splits(subset, part["split"]):
        shards[split] = sorted((root / subset).glob(f"{split}-*.parquet"))
        if not shards[split]:
            raise sources.not_found_error(root, f"{subset}/{split}-*.parquet or {jsonl_path.name}")
    return Shards(shards, convert)


class Shards(sources.Rows):
    """Rows of Parquet files, read again on each iteration because their audio would fill the memory."""

    def __init__(self, shards: Mapping[str, list[Path]], convert: RowConverter) -> None:
        self._shards, self._convert = shards, convert

    def __iter__(self) -> Iterator[sources.Item | RejectedRow]:
        for split, shards in self._shards.items():
            convert = partial(self._convert_numbered, split, count())
            for shard in shards:
                yield from sources.convert_table(shard, convert)

    def _convert_numbered(self, split: str, numbers: Iterator[int], row: sources.Values) -> sources.Item:
        return self._convert({**row, sources.HUB_SPLIT: split, sources.HUB_ROW: next(numbers)})

    def __len__(self) -> int:
        return sum(count_rows(shard) or 0 for shards in self._shards.values() for shard in shards)


def _expand_splits(subset: str, split: str) -> tuple[str, ...]:
    splits = {"sd-qa": ACCENTS, "mmsu": DOMAINS}
    return splits[subset] if split == ALL else (split,)


# --- benchmarks ---------------------------------------------------------------------------


def _benchmark(
    subset: str, kind: str, convert: RowConverter, task_options: Mapping[str, Any], splits: Mapping[str, int | None]
) -> base.Benchmark:
    return base.Benchmark(
        **base.about(
            f"voicebench-{subset.replace('_', '-')}", f"VoiceBench {subset}", kind, language="en", licence="Apache-2.0"
        ),
        source="github.com/MatthewCYM/VoiceBench",
        citation="Chen et al., arXiv:2410.17196",
        splits=splits,
        layout=f"{subset}/test-00000-of-00001.parquet or {subset}.jsonl",
        read=partial(_read, subset, convert),
        hub=base.HubDataset(
            "hlt-lab/voicebench",
            REVISION,
            locate=lambda part: (subset, "+".join(_expand_splits(subset, part["split"]))),
            convert_row=convert,
            files="{config}/{split}-*.parquet",
        ),
        task_options=task_options,
    )


JUDGE_OPTIONS = {"metrics": ["judge-1-5"], "votes": 3}
CHOICE_OPTIONS = {"prompt": MEDIA_TEMPLATE}
QA_OPTIONS = {"metrics": ["judge-reference", "contains"], "votes": 3, "by": ["accent"]}
IFEVAL_METRICS = [f"ifeval_{what}_{how}" for what in ("prompt", "instruction") for how in ("strict", "loose")]
INSTRUCTION_OPTIONS = {"metrics": ["ifeval", *IFEVAL_METRICS], "max_tokens": 2048}

ALPACAEVAL = _benchmark("alpacaeval", "open", _convert_open, JUDGE_OPTIONS, {"test": 199})
ALPACAEVAL_FULL = _benchmark("alpacaeval_full", "open", _convert_open, JUDGE_OPTIONS, {"test": 636})
COMMONEVAL = _benchmark("commoneval", "open", _convert_open, JUDGE_OPTIONS, {"test": 200})
WILDVOICE = _benchmark("wildvoice", "open", _convert_open, JUDGE_OPTIONS, {"test": 1000})
OPENBOOKQA = _benchmark("openbookqa", "mcq", _convert_spoken_choices, CHOICE_OPTIONS, {"test": 455})
MMSU = _benchmark(
    "mmsu", "mcq", _convert_spoken_choices, {**CHOICE_OPTIONS, "by": ["domain"]}, {ALL: 3074, **dict.fromkeys(DOMAINS)}
)
SD_QA = _benchmark("sd-qa", "qa", _convert_qa, QA_OPTIONS, {**dict.fromkeys(ACCENTS), "usa": 553, ALL: None})
MTBENCH = _benchmark("mtbench", "chat", _convert_conversation, {"metrics": ["judge-1-10"]}, {"test": 46})
IFEVAL = _benchmark("ifeval", "open", _convert_instruction, INSTRUCTION_OPTIONS, {"test": 345})
BBH = _benchmark("bbh", "mcq", _convert_reasoning, {**CHOICE_OPTIONS, "by": ["puzzle"]}, {"test": 1000})
ADVBENCH = _benchmark("advbench", "open", _convert_open, {"metrics": ["refusal"]}, {"test": 520})
