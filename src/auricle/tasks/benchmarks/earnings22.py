"""Earnings-22: earnings calls in English with many accents."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from auricle.core.errors import SpecError
from auricle.tasks.benchmarks import base

Tokens = list[dict[str, str]]
SENTENCE_ENDS = ".?!"
COUNTRY, FAMILY = "Country by Ticker", "Language Family + Area Based"


def _read(root: Path, part: base.BenchmarkPart) -> base.Items:
    """Read whole calls, or their sentences from the transcripts with timestamps."""
    corpus = base.find_below(root, "earnings22/media", "media").parent
    calls = _read_calls(corpus / "metadata.csv")
    is_whole = part["cut"] == "whole"
    folder = base.find_below(corpus, f"transcripts/{'nlp_references' if is_whole else 'force_aligned_nlp_references'}")
    for path in sorted(folder.glob("*.nlp")):
        name = path.name.removesuffix(".nlp").removesuffix(".aligned")
        audio, tokens = corpus / "media" / f"{name}.mp3", list(base.read_table(path, delimiter="|"))
        meta = calls.get(name, {})
        if is_whole:
            yield base.make_item(name, audio, _join_tokens(tokens), **meta)
        else:
            yield from _sentences(name, audio, tokens, meta)


def _read_calls(path: Path) -> dict[str, dict[str, Any]]:
    """Return the country of each call's company, and the accents expected there."""
    if not path.exists():
        return {}
    rows = csv.DictReader(base.read_lines(path))
    return {row["File ID"]: {"country": row.get(COUNTRY, ""), "accent": row.get(FAMILY, "")} for row in rows}


def _join_tokens(tokens: Sequence[Mapping[str, str]]) -> str:
    return " ".join(f"{token['token']}{token.get('punctuation', '')}" for token in tokens)


def _sentences(name: str, audio: Path, tokens: Tokens, call_meta: Mapping[str, Any]) -> Iterator[base.Item]:
    """Yield the sentences whose words are all aligned."""
    for index, sentence in enumerate(_split_sentences(tokens)):
        if not all(map(_is_aligned, sentence)):
            continue
        span, speaker = (float(sentence[0]["ts"]), float(sentence[-1]["endTs"])), sentence[0]["speaker"]
        if span[1] > span[0]:
            meta = {**call_meta, "speaker": f"{name}-{speaker}", "call": name}
            yield base.make_item(f"{name}-{index:05}", audio, _join_tokens(sentence), span=span, **meta)


def _is_aligned(token: Mapping[str, str]) -> bool:
    """Return whether a word has valid timestamps; those of a substituted word mean nothing."""
    comment = token.get("ali_comment", "")
    is_substituted = comment.startswith("sub(") and not comment.startswith("sub(<unk>)")
    return bool(token.get("ts") and token.get("endTs")) and not is_substituted


def _split_sentences(tokens: Tokens) -> Iterator[Tokens]:
    sentence: Tokens = []
    for token in tokens:
        if sentence and token["speaker"] != sentence[0]["speaker"]:
            yield sentence
            sentence = []
        sentence.append(token)
        if token.get("punctuation", "") in SENTENCE_ENDS and token.get("punctuation"):
            yield sentence
            sentence = []
    if sentence:
        yield sentence


def _config_and_split(part: base.BenchmarkPart) -> tuple[str, str]:
    if part["cut"] != "whole":
        raise SpecError("earnings22: sentences are available only from the archive: -T root=DIR.")
    return "full", "test"


EARNINGS_22 = base.Benchmark(
    **base.about("earnings22", "Earnings-22", "asr", language="en", licence="CC BY-SA 4.0"),
    source="github.com/revdotcom/speech-datasets",
    citation="Del Rio et al., arXiv:2203.15591",
    splits={"test": 125},
    options={"cut": ("whole", "sentences")},
    counts={"test/whole": 125},
    layout="earnings22/media/NUMBER.mp3 and earnings22/transcripts/nlp_references/NUMBER.nlp",
    read=_read,
    hub=base.HubDataset(
        "distil-whisper/earnings22",
        None,
        locate=_config_and_split,
        convert_row=lambda row: base.make_item(str(row["file_id"]), row["audio"], row["transcription"]),
    ),
    part_options=lambda part: {"cluster": "call"} if part["cut"] == "sentences" else {},
)
