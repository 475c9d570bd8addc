"""Earnings-22 and SPGISpeech: companies tell their results over the telephone."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from auricle.core.errors import SpecError
from auricle.tasks.benchmarks.base import (
    Benchmark,
    BenchmarkPart,
    HubDataset,
    Item,
    Items,
    find_below,
    make_item,
    read_lines,
    read_table,
)

Tokens = list[dict[str, str]]
SENTENCE_ENDS = ".?!"
COUNTRY, FAMILY = "Country by Ticker", "Language Family + Area Based"


# --- Earnings-22 ------------------------------------------------------------------------------


def _read(root: Path, part: BenchmarkPart) -> Items:
    """Calls, whole as published; or their sentences, by the transcripts that have times."""
    home = find_below(root, "earnings22/media", "media").parent
    calls = _read_calls(home / "metadata.csv")
    whole = part["cut"] == "whole"
    folder = find_below(home, f"transcripts/{'nlp_references' if whole else 'force_aligned_nlp_references'}")
    for path in sorted(folder.glob("*.nlp")):
        name = path.name.removesuffix(".nlp").removesuffix(".aligned")
        sound, tokens = home / "media" / f"{name}.mp3", list(read_table(path, delimiter="|"))
        known = calls.get(name, {})
        if whole:
            yield make_item(name, sound, _join_tokens(tokens), **known)
        else:
            yield from _sentences(name, sound, tokens, known)


def _read_calls(path: Path) -> dict[str, dict[str, Any]]:
    """Where the company of each call is from, and which accents that makes likely."""
    if not path.exists():
        return {}
    rows = csv.DictReader(read_lines(path))
    return {row["File ID"]: {"country": row.get(COUNTRY, ""), "accent": row.get(FAMILY, "")} for row in rows}


def _join_tokens(tokens: Sequence[Mapping[str, str]]) -> str:
    return " ".join(f"{each['token']}{each.get('punctuation', '')}" for each in tokens)


def _sentences(name: str, sound: Path, tokens: Tokens, call_meta: Mapping[str, Any]) -> Iterator[Item]:
    """What one person says up to a full stop, where the aligner found every word of it."""
    for at, said in enumerate(_split_sentences(tokens)):
        if not all(map(_is_aligned, said)):
            continue
        span, speaker = (float(said[0]["ts"]), float(said[-1]["endTs"])), said[0]["speaker"]
        if span[1] > span[0]:
            meta = {**call_meta, "speaker": f"{name}-{speaker}", "call": name}
            yield make_item(f"{name}-{at:05}", sound, _join_tokens(said), span=span, **meta)


def _is_aligned(token: Mapping[str, str]) -> bool:
    """Has a word times of its own? One that was taken for another has times that mean nothing."""
    comment = token.get("ali_comment", "")
    misheard = comment.startswith("sub(") and not comment.startswith("sub(<unk>)")
    return bool(token.get("ts") and token.get("endTs")) and not misheard


def _split_sentences(tokens: Tokens) -> Iterator[Tokens]:
    said: Tokens = []
    for each in tokens:
        if said and each["speaker"] != said[0]["speaker"]:
            yield said
            said = []
        said.append(each)
        if each.get("punctuation", "") in SENTENCE_ENDS and each.get("punctuation"):
            yield said
            said = []
    if said:
        yield said


def _config_and_split(part: BenchmarkPart) -> tuple[str, str]:
    if part["cut"] != "whole":
        raise SpecError("earnings22: sentences are cut from the archive: give it, -T root=DIR.")
    return "full", "test"


EARNINGS_22 = Benchmark(
    name="earnings22",
    title="Earnings-22",
    kind="asr",
    language="en",
    licence="CC BY-SA 4.0",
    source="github.com/revdotcom/speech-datasets",
    splits={"test": 125},
    options={"cut": ("whole", "sentences")},
    counts={"test/whole": 125},
    layout="earnings22/media/NUMBER.mp3 and earnings22/transcripts/nlp_references/NUMBER.nlp",
    read=_read,
    hub=HubDataset(
        "distil-whisper/earnings22",
        None,
        locate=_config_and_split,
        convert_row=lambda row: make_item(str(row["file_id"]), row["audio"], row["transcription"]),
    ),
    part_options=lambda part: {"cluster": "call"} if part["cut"] == "sentences" else {},
)


# --- SPGISpeech -------------------------------------------------------------------------------


def _read_spgi(root: Path, part: BenchmarkPart) -> Items:
    """A table with bars beside folders of WAV files, one for each call."""
    split = part["split"]
    path = find_below(root, f"spgispeech/{split}.csv", f"{split}.csv")
    sounds = find_below(path.parent, split, f"spgispeech/{split}")
    for row in read_table(path, delimiter="|", required=("wav_filename", "transcript")):
        yield _make_clip(row, sounds / row["wav_filename"])


def _make_clip(row: Mapping[str, Any], sound: object) -> Item:
    name = str(row["wav_filename"]).removesuffix(".wav")
    call = name.partition("/")[0]
    return make_item(name.replace("/", "_"), sound, row["transcript"], call=call)


SPGISPEECH = Benchmark(
    name="spgispeech",
    title="SPGISpeech",
    kind="asr",
    language="en",
    licence="Kensho user agreement; non-commercial",
    source="datasets.kensho.com/datasets/spgispeech",
    splits={"val": 39341},
    layout="spgispeech/val.csv and spgispeech/val/CALL/NUMBER.wav",
    read=_read_spgi,
    hub=HubDataset(
        "kensho/spgispeech",
        None,
        locate=lambda _part: ("test", "test"),
        convert_row=lambda row: _make_clip(row, row["audio"]),
    ),
    task_options={"cluster": "call"},
)
