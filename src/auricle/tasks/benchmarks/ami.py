"""AMI: meetings recorded by headset or table microphone, cut at the transcribers' segments.

The copy on Hugging Face is cut into shorter segments, as in Kaldi's recipe: its rows differ from the archive's.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from auricle.core.errors import DataError, SpecError
from auricle.tasks.benchmarks import base

ID = "{http://nite.sourceforge.net/}id"
CHILD = "{http://nite.sourceforge.net/}child"
WORD_ID_PATTERN = re.compile(r"id\(([^)]+)\)")
SESSIONS: Mapping[str, tuple[str, ...]] = {
    "test": ("EN2002", "ES2004", "IS1009", "TS3003"),
    "dev": (*("ES2011", "IB4001", "IB4002", "IB4003", "IB4004", "IB4010", "IB4011"), *("IS1008", "TS3004")),
}
"""The split that the authors recommend for speech recognition."""
MICROPHONE_FILES = {"ihm": "Headset-{channel}", "sdm": "Array1-01", "ihm-mix": "Mix-Headset"}


def _read(root: Path, part: base.BenchmarkPart) -> base.Items:
    """Read the segments of each speaker in the meetings of a split."""
    annotations = base.find_below(root, "ami_public_manual_1.6.2", "ami_public_manual_1.6.1", "annotations", "")
    segments = base.find_below(annotations, "segments")
    audio_folder = base.find_below(root, "amicorpus", "wav_db", "")
    speakers = _read_speakers(annotations / "corpusResources" / "meetings.xml")
    for path in sorted(segments.glob("*.segments.xml")):
        meeting, agent, *_ = path.name.split(".")
        if meeting[:6] in SESSIONS[part["split"]] and (meeting, agent) in speakers:
            channel, speaker = speakers[meeting, agent]
            file = f"{meeting}.{MICROPHONE_FILES[part['mic']].format(channel=channel)}.wav"
            audio = audio_folder / meeting / "audio" / file
            words = _read_words(annotations / "words" / f"{meeting}.{agent}.words.xml")
            for name, text, span in _read_segments(path, words):
                meta = {"speaker": speaker, "meeting": meeting, "agent": agent}
                yield base.make_item(f"{name}.{agent}", audio, text, span=span, **meta)


def _read_speakers(path: Path) -> dict[tuple[str, str], tuple[str, str]]:
    """Return the channel and name of each speaker, by meeting and agent letter."""
    return {
        (meeting.get("observation", ""), speaker.get("nxt_agent", "")): (
            speaker.get("channel", ""),
            speaker.get("global_name", ""),
        )
        for meeting in _parse_xml(path)
        for speaker in meeting
    }


def _read_words(path: Path) -> dict[str, str]:
    """Return the words by id, in order; pauses, noises and punctuation are empty strings."""
    return {
        element.get(ID, ""): (element.text or "") if element.tag == "w" and not element.get("punc") else ""
        for element in _parse_xml(path)
    }


def _read_segments(path: Path, words: Mapping[str, str]) -> Iterator[tuple[str, str, tuple[float, float]]]:
    """Yield the id, text and time span of each segment with speech."""
    positions = {name: index for index, name in enumerate(words)}
    texts = list(words.values())
    for segment in _parse_xml(path):
        ids = [id_ for child in segment.iter(CHILD) for id_ in WORD_ID_PATTERN.findall(child.get("href", ""))]
        indices = [positions[id_] for id_ in ids if id_ in positions]
        text = " ".join(filter(None, texts[min(indices) : max(indices) + 1])) if indices else ""
        start, end = segment.get("transcriber_start"), segment.get("transcriber_end")
        if text and start and end and float(end) > float(start):
            yield segment.get(ID, ""), text, (float(start), float(end))


def _parse_xml(path: Path) -> ElementTree.Element:
    try:
        return ElementTree.parse(path).getroot()  # noqa: S314 - the corpus's own files
    except (OSError, ElementTree.ParseError) as error:
        raise DataError(f"Cannot read {path}: {error}.") from error


def _convert_row(row: Mapping[str, Any]) -> base.Item:
    return base.make_item(
        row["audio_id"], row["audio"], row["text"], speaker=row["speaker_id"], meeting=row["meeting_id"]
    )


def _config_and_split(part: base.BenchmarkPart) -> tuple[str, str]:
    if part["mic"] == "ihm-mix":
        raise SpecError("ami: Hugging Face has only ihm and sdm. For ihm-mix, use the archive: -T root=DIR.")
    return part["mic"], base.hub_split(part)


AMI = base.Benchmark(
    **base.about("ami", "AMI", "asr", language="en", licence="CC BY 4.0"),
    source="groups.inf.ed.ac.uk/ami/corpus",
    citation="Carletta et al., MLMI 2005",
    splits={"test": None, "dev": None},
    options={"mic": tuple(MICROPHONE_FILES)},
    layout="amicorpus/ES2004a/audio/ES2004a.Headset-0.wav and ami_public_manual_1.6.2/segments",
    read=_read,
    hub=base.HubDataset("edinburghcstr/ami", None, locate=_config_and_split, convert_row=_convert_row),
    task_options={"cluster": "speaker"},
)
