"""Earnings-22 and SPGISpeech: companies tell their results over the telephone."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from auricle.core.errors import SpecError
from auricle.tasks.benchmarks.base import (
    Benchmark,
    Hub,
    Item,
    Items,
    Part,
    below,
    item,
    lines,
    table,
)

Tokens = list[dict[str, str]]
ENDS = ".?!"
COUNTRY, FAMILY = "Country by Ticker", "Language Family + Area Based"


# --- Earnings-22 ------------------------------------------------------------------------------


def _read(root: Path, part: Part) -> Items:
    """Calls, whole as published; or their sentences, by the transcripts that have times."""
    home = below(root, "earnings22/media", "media").parent
    calls = _calls(home / "metadata.csv")
    whole = part["cut"] == "whole"
    folder = below(
        home, f"transcripts/{'nlp_references' if whole else 'force_aligned_nlp_references'}"
    )
    for path in sorted(folder.glob("*.nlp")):
        name = path.name.removesuffix(".nlp").removesuffix(".aligned")
        sound, tokens = home / "media" / f"{name}.mp3", list(table(path, delimiter="|"))
        known = calls.get(name, {})
        if whole:
            yield item(name, sound, _text(tokens), **known)
        else:
            yield from _sentences(name, sound, tokens, known)


def _calls(path: Path) -> dict[str, dict[str, Any]]:
    """Where the company of each call is from, and which accents that makes likely."""
    if not path.exists():
        return {}
    rows = csv.DictReader(lines(path))
    return {
        row["File ID"]: {"country": row.get(COUNTRY, ""), "accent": row.get(FAMILY, "")}
        for row in rows
    }


def _text(tokens: Sequence[Mapping[str, str]]) -> str:
    return " ".join(f"{each['token']}{each.get('punctuation', '')}" for each in tokens)


def _sentences(name: str, sound: Path, tokens: Tokens, known: Mapping[str, Any]) -> Iterator[Item]:
    """What one person says up to a full stop, where the aligner found every word of it."""
    for at, said in enumerate(_parted(tokens)):
        if not all(map(_is_found, said)):
            continue
        span, speaker = (float(said[0]["ts"]), float(said[-1]["endTs"])), said[0]["speaker"]
        if span[1] > span[0]:
            meta = {**known, "speaker": f"{name}-{speaker}", "call": name}
            yield item(f"{name}-{at:05}", sound, _text(said), span=span, **meta)


def _is_found(token: Mapping[str, str]) -> bool:
    """Has a word times of its own? One that was taken for another has times that mean nothing."""
    comment = token.get("ali_comment", "")
    misheard = comment.startswith("sub(") and not comment.startswith("sub(<unk>)")
    return bool(token.get("ts") and token.get("endTs")) and not misheard


def _parted(tokens: Tokens) -> Iterator[Tokens]:
    said: Tokens = []
    for each in tokens:
        if said and each["speaker"] != said[0]["speaker"]:
            yield said
            said = []
        said.append(each)
        if each.get("punctuation", "") in ENDS and each.get("punctuation"):
            yield said
            said = []
    if said:
        yield said


def _at(part: Part) -> tuple[str, str]:
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
    hub=Hub(
        "distil-whisper/earnings22",
        None,
        at=_at,
        item=lambda row: item(str(row["file_id"]), row["audio"], row["transcription"]),
    ),
    settle=lambda part: {"cluster": "call"} if part["cut"] == "sentences" else {},
)


# --- SPGISpeech -------------------------------------------------------------------------------


def _read_spgi(root: Path, part: Part) -> Items:
    """A table with bars beside folders of WAV files, one for each call."""
    split = part["split"]
    path = below(root, f"spgispeech/{split}.csv", f"{split}.csv")
    sounds = below(path.parent, split, f"spgispeech/{split}")
    for row in table(path, delimiter="|", needs=("wav_filename", "transcript")):
        yield _clip(row, sounds / row["wav_filename"])


def _clip(row: Mapping[str, Any], sound: object) -> Item:
    name = str(row["wav_filename"]).removesuffix(".wav")
    call = name.partition("/")[0]
    return item(name.replace("/", "_"), sound, row["transcript"], call=call)


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
    hub=Hub(
        "kensho/spgispeech",
        None,
        at=lambda _part: ("test", "test"),
        item=lambda row: _clip(row, row["audio"]),
    ),
    asking={"cluster": "call"},
)
