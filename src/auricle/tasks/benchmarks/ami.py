"""AMI: meetings, by headset or from the table, cut by the transcribers' segments.

Hugging Face's copy is cut as Kaldi's recipe does it, in shorter pieces, so that numbers from
there and from the archive are of different rows.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from auricle.core.errors import DataError, SpecError
from auricle.tasks.benchmarks.base import Benchmark, BenchmarkPart, HubDataset, Item, Items, find_below, make_item

ID = "{http://nite.sourceforge.net/}id"
CHILD = "{http://nite.sourceforge.net/}child"
WORD_ID_PATTERN = re.compile(r"id\(([^)]+)\)")
SESSIONS: Mapping[str, tuple[str, ...]] = {
    "test": ("EN2002", "ES2004", "IS1009", "TS3003"),
    "dev": (*("ES2011", "IB4001", "IB4002", "IB4003", "IB4004", "IB4010", "IB4011"), *("IS1008", "TS3004")),
}
"""The partition that the corpus's authors recommend for speech recognition."""
MICROPHONE_FILES = {"ihm": "Headset-{channel}", "sdm": "Array1-01", "ihm-mix": "Mix-Headset"}


def _read(root: Path, part: BenchmarkPart) -> Items:
    """Segments of each speaker of a split's meetings."""
    notes = find_below(root, "ami_public_manual_1.6.2", "ami_public_manual_1.6.1", "annotations", "")
    segments = find_below(notes, "segments")
    sounds = find_below(root, "amicorpus", "wav_db", "")
    people = _read_speakers(notes / "corpusResources" / "meetings.xml")
    for path in sorted(segments.glob("*.segments.xml")):
        meeting, agent, *_ = path.name.split(".")
        if meeting[:6] in SESSIONS[part["split"]] and (meeting, agent) in people:
            channel, speaker = people[meeting, agent]
            file = f"{meeting}.{MICROPHONE_FILES[part['mic']].format(channel=channel)}.wav"
            sound = sounds / meeting / "audio" / file
            words = _read_words(notes / "words" / f"{meeting}.{agent}.words.xml")
            for name, text, span in _read_segments(path, words):
                known = {"speaker": speaker, "meeting": meeting, "agent": agent}
                yield make_item(f"{name}.{agent}", sound, text, span=span, **known)


def _read_speakers(path: Path) -> dict[tuple[str, str], tuple[str, str]]:
    """Channel and name of each speaker, by meeting and letter."""
    return {
        (meeting.get("observation", ""), each.get("nxt_agent", "")): (
            each.get("channel", ""),
            each.get("global_name", ""),
        )
        for meeting in _parse_xml(path)
        for each in meeting
    }


def _read_words(path: Path) -> dict[str, str]:
    """What is said by id, in order; pauses, noises and punctuation have an id and say nothing."""
    return {
        each.get(ID, ""): (each.text or "") if each.tag == "w" and not each.get("punc") else ""
        for each in _parse_xml(path)
    }


def _read_segments(path: Path, words: Mapping[str, str]) -> Iterator[tuple[str, str, tuple[float, float]]]:
    """Segments in which something is said."""
    places = {name: at for at, name in enumerate(words)}
    spoken = list(words.values())
    for segment in _parse_xml(path):
        names = [n for child in segment.iter(CHILD) for n in WORD_ID_PATTERN.findall(child.get("href", ""))]
        at = [places[name] for name in names if name in places]
        text = " ".join(filter(None, spoken[min(at) : max(at) + 1])) if at else ""
        start, end = segment.get("transcriber_start"), segment.get("transcriber_end")
        if text and start and end and float(end) > float(start):
            yield segment.get(ID, ""), text, (float(start), float(end))


def _parse_xml(path: Path) -> ElementTree.Element:
    try:
        return ElementTree.parse(path).getroot()  # noqa: S314 - the corpus's own files
    except (OSError, ElementTree.ParseError) as error:
        raise DataError(f"{path} cannot be read: {error}.") from error


def _convert_row(row: Mapping[str, Any]) -> Item:
    known = {"speaker": row["speaker_id"], "meeting": row["meeting_id"]}
    return make_item(row["audio_id"], row["audio"], row["text"], **known)


def _config_and_split(part: BenchmarkPart) -> tuple[str, str]:
    if part["mic"] == "ihm-mix":
        raise SpecError("ami: Hugging Face has ihm and sdm; for ihm-mix give -T root=DIR.")
    return part["mic"], {"dev": "validation"}.get(part["split"], "test")


AMI = Benchmark(
    name="ami",
    title="AMI",
    kind="asr",
    language="en",
    licence="CC BY 4.0",
    source="groups.inf.ed.ac.uk/ami/corpus",
    splits={"test": None, "dev": None},
    options={"mic": tuple(MICROPHONE_FILES)},
    layout="amicorpus/ES2004a/audio/ES2004a.Headset-0.wav and ami_public_manual_1.6.2/segments",
    read=_read,
    hub=HubDataset("edinburghcstr/ami", None, locate=_config_and_split, convert_row=_convert_row),
    task_options={"cluster": "speaker"},
)
