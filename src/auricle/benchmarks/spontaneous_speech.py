"""Meetings, talks, calls and broadcasts: AMI, Earnings-22, SPGISpeech, TED-LIUM, VoxPopuli, GigaSpeech, WenetSpeech."""

from __future__ import annotations

import csv
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any

import orjson

from auricle.benchmarks import base, sources
from auricle.core.errors import DataError, SpecError

# --- AMI: meetings recorded by headset or table microphone, cut at the transcribers' segments --

ID = "{http://nite.sourceforge.net/}id"
CHILD = "{http://nite.sourceforge.net/}child"
WORD_ID_PATTERN = re.compile(r"id\(([^)]+)\)")
SESSIONS: Mapping[str, tuple[str, ...]] = {
    "test": ("EN2002", "ES2004", "IS1009", "TS3003"),
    "dev": (*("ES2011", "IB4001", "IB4002", "IB4003", "IB4004", "IB4010", "IB4011"), *("IS1008", "TS3004")),
}
"""The split that the authors recommend for speech recognition."""
MICROPHONE_FILES = {"ihm": "Headset-{channel}", "sdm": "Array1-01", "ihm-mix": "Mix-Headset"}


def _read_ami(root: Path, part: sources.BenchmarkPart) -> sources.Items:
    """Read the segments of each speaker in the meetings of a split."""
    annotations = sources.find_below(root, "ami_public_manual_1.6.2", "ami_public_manual_1.6.1", "annotations", "")
    segments = sources.find_below(annotations, "segments")
    audio_folder = sources.find_below(root, "amicorpus", "wav_db", "")
    meetings = _parse_xml(annotations / "corpusResources" / "meetings.xml")
    speakers = {(m.get("observation"), speaker.get("nxt_agent")): speaker for m in meetings for speaker in m}
    for path in sorted(segments.glob("*.segments.xml")):
        meeting, agent, *_ = path.name.split(".")
        if meeting[:6] in SESSIONS[part["split"]] and (meeting, agent) in speakers:
            speaker = speakers[meeting, agent]
            file = f"{meeting}.{MICROPHONE_FILES[part['mic']].format(channel=speaker.get('channel', ''))}.wav"
            audio = audio_folder / meeting / "audio" / file
            meta = {"speaker": speaker.get("global_name", ""), "meeting": meeting, "agent": agent}
            for name, text, span in _read_segments(path, annotations / "words" / f"{meeting}.{agent}.words.xml"):
                yield base.make_item(f"{name}.{agent}", audio, text, span=span, **meta)


def _read_segments(path: Path, words_path: Path) -> Iterator[tuple[str, str, tuple[float, float]]]:
    """Yield the id, text and time span of each segment with speech; pauses, noises and punctuation are no words."""
    words = list(_parse_xml(words_path))
    positions = {word.get(ID): index for index, word in enumerate(words)}
    texts = [word.text if word.tag == "w" and not word.get("punc") else "" for word in words]
    for segment in _parse_xml(path):
        ids = [id_ for child in segment.iter(CHILD) for id_ in WORD_ID_PATTERN.findall(child.get("href", ""))]
        indices = [positions[id_] for id_ in ids if id_ in positions]
        text = " ".join(filter(None, texts[min(indices) : max(indices) + 1])) if indices else ""
        start, end = segment.get("transcriber_start"), segment.get("transcriber_end")
        if text and start and end and float(end) > float(start):
            yield segment.get(ID, ""), text, (float(start), float(end))


def _parse_xml(path: Path) -> ElementTree.Element:
    try:
        return ElementTree.fromstring(sources.read_bytes(path))  # noqa: S314 - the corpus's own files
    except ElementTree.ParseError as error:
        raise DataError(f"Cannot read {path}: {error}.") from error


def _convert_ami_row(row: Mapping[str, Any]) -> sources.Item:
    return base.make_item(
        row["audio_id"], row["audio"], row["text"], speaker=row["speaker_id"], meeting=row["meeting_id"]
    )


def _ami_config(part: sources.BenchmarkPart) -> tuple[str, str]:
    """Return the configuration and split; this copy is cut into shorter segments, as in Kaldi's recipe."""
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
    read=_read_ami,
    hub=base.HubDataset("edinburghcstr/ami", None, locate=_ami_config, convert_row=_convert_ami_row),
    task_options={"cluster": "speaker"},
)


# --- Earnings-22: earnings calls in English with many accents ----------------------------------

Tokens = list[dict[str, str]]
SENTENCE_ENDS = ".?!"
COUNTRY, FAMILY = "Country by Ticker", "Language Family + Area Based"


def _read_earnings22(root: Path, part: sources.BenchmarkPart) -> sources.Items:
    """Read whole calls, or their sentences from the transcripts with timestamps."""
    corpus = sources.find_below(root, "earnings22/media", "media").parent
    calls = _read_calls(corpus / "metadata.csv")
    is_whole = part["cut"] == "whole"
    folder = sources.find_below(
        corpus, f"transcripts/{'nlp_references' if is_whole else 'force_aligned_nlp_references'}"
    )
    for path in sorted(folder.glob("*.nlp")):
        name = path.name.removesuffix(".nlp").removesuffix(".aligned")
        audio, tokens = corpus / "media" / f"{name}.mp3", list(sources.read_table(path, delimiter="|"))
        meta = calls.get(name, {})
        if is_whole:
            yield base.make_item(name, audio, _join_tokens(tokens), **meta)
        else:
            yield from _sentences(name, audio, tokens, meta)


def _read_calls(path: Path) -> dict[str, dict[str, Any]]:
    """Return the country of each call's company, and the accents expected there."""
    if not path.exists():
        return {}
    rows = csv.DictReader(sources.read_lines(path))
    return {row["File ID"]: {"country": row.get(COUNTRY, ""), "accent": row.get(FAMILY, "")} for row in rows}


def _join_tokens(tokens: Sequence[Mapping[str, str]]) -> str:
    return " ".join(f"{token['token']}{token.get('punctuation', '')}" for token in tokens)


def _sentences(name: str, audio: Path, tokens: Tokens, call_meta: Mapping[str, Any]) -> Iterator[sources.Item]:
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
    """Yield the tokens of each sentence, which ends with a punctuation mark or with the speaker's turn."""
    sentence: Tokens = []
    for token, following in zip_longest(tokens, tokens[1:]):
        sentence.append(token)
        is_last_of_turn = following is None or following["speaker"] != token["speaker"]
        if is_last_of_turn or (token.get("punctuation") or " ") in SENTENCE_ENDS:
            yield sentence
            sentence = []


def _earnings22_config(part: sources.BenchmarkPart) -> tuple[str, str]:
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
    read=_read_earnings22,
    hub=base.HubDataset(
        "distil-whisper/earnings22",
        None,
        locate=_earnings22_config,
        convert_row=lambda row: base.make_item(str(row["file_id"]), row["audio"], row["transcription"]),
    ),
    part_options=lambda part: {"cluster": "call"} if part["cut"] == "sentences" else {},
)


# --- SPGISpeech: English earnings calls with punctuated transcripts ----------------------------


def _read_spgispeech(root: Path, part: sources.BenchmarkPart) -> sources.Items:
    """Read a table separated by `|`, beside one folder of WAV files per call."""
    path = sources.find_below(root, f"spgispeech/{part['split']}.csv", f"{part['split']}.csv")
    audio_folder = sources.find_below(path.parent, part["split"], f"spgispeech/{part['split']}")
    for row in sources.read_table(path, delimiter="|", required=("wav_filename", "transcript")):
        yield _make_clip(row, audio_folder / row["wav_filename"])


def _make_clip(row: Mapping[str, Any], audio: object) -> sources.Item:
    name = str(row["wav_filename"]).removesuffix(".wav")
    return base.make_item(name.replace("/", "_"), audio, row["transcript"], call=name.partition("/")[0])


SPGISPEECH = base.Benchmark(
    **base.about("spgispeech", "SPGISpeech", "asr", language="en", licence="Kensho user agreement; non-commercial"),
    source="datasets.kensho.com/datasets/spgispeech",
    citation="O'Neill et al., Interspeech 2021",
    splits={"val": 39341},
    layout="spgispeech/val.csv and spgispeech/val/CALL/NUMBER.wav",
    read=_read_spgispeech,
    hub=base.HubDataset(
        "kensho/spgispeech", None, lambda _part: ("test", "test"), lambda row: _make_clip(row, row["audio"])
    ),
    task_options={"cluster": "call"},
)


# --- TED-LIUM 3: English talks, cut by STM files, with the splits of the folder `legacy` -------

IGNORED_TEXT = "ignore_time_segment_in_scoring"
APOSTROPHE = re.compile(r" '(?=\w)")
"""The space in `it 's`, which is one word."""
MARKS = re.compile(r"<[^>]*>|\{[^}]*\}|\(\d+\)")
"""Noises, unintelligible words and numbered pronunciations."""


def _read_tedlium(root: Path, part: sources.BenchmarkPart) -> sources.Items:
    split = part["split"]
    folder = sources.find_below(root, f"TEDLIUM_release-3/legacy/{split}", f"legacy/{split}", split)
    for transcript in sorted((folder / "stm").glob("*.stm")):
        for line in sources.read_lines(transcript):
            if not (line.startswith(";;") or line.endswith(IGNORED_TEXT)):  # a comment or an ignored segment
                yield _parse_segment(folder, line)


def _parse_segment(folder: Path, line: str) -> sources.Item:
    """Parse a line of talk, channel, speaker, start, end, label and words."""
    talk, _, speaker, start, end, *rest = line.split(maxsplit=6)
    text = rest[1] if len(rest) > 1 else ""
    transcript = " ".join(APOSTROPHE.sub("'", MARKS.sub(" ", text)).split())
    span = float(start), float(end)
    name = f"{talk}-{round(span[0] * 100):07}-{round(span[1] * 100):07}"
    return base.make_item(name, folder / "sph" / f"{talk}.sph", transcript, span=span, speaker=speaker)


TEDLIUM = base.Benchmark(
    **base.about("tedlium", "TED-LIUM 3", "asr", language="en", licence="CC BY-NC-ND 3.0"),
    source="openslr.org/51",
    citation="Hernandez et al., SPECOM 2018",
    splits={"test": 1155, "dev": 507},
    layout="TEDLIUM_release-3/legacy/test/stm/TALK.stm and sph/TALK.sph",
    read=_read_tedlium,
    task_options={"cluster": "speaker"},
)


# --- VoxPopuli: European Parliament speeches in sixteen languages, and accented English --------

VOXPOPULI_CODES = "en de fr es pl it ro hu cs nl fi hr sk sl et lt"
VOXPOPULI_LANGUAGES = {**{code: code for code in VOXPOPULI_CODES.split()}, "en_accented": "en"}


def _read_voxpopuli(root: Path, part: sources.BenchmarkPart) -> sources.Items:
    """Read the output of the authors' script: a TSV file per split and a folder of OGG files per year."""
    language, name = part["language"], f"asr_{part['split']}.tsv"
    tops = (f"transcribed_data/{language}/", f"{language}/", "")
    path = sources.find_below(root, *(f"{top}{name}" for top in tops))
    for row in sources.read_table(path, required=("id", "normalized_text", "speaker_id")):
        audio = path.parent / row["id"][:4] / f"{row['id']}.ogg"
        if (item := _make_utterance(row["id"], row, audio)) is not None:
            yield item


def _make_utterance(name: str, row: Mapping[str, Any], audio: object) -> sources.Item | None:
    """Build an utterance; return None for the few rows without a transcript."""
    text = str(row["normalized_text"] or "").strip()
    if not text:
        return None
    values = {name: str(row.get(name) or "") for name in ("gender", "accent")}
    meta: dict[str, Any] = {name: value for name, value in values.items() if value != "None"}
    return base.make_item(name, audio, text, speaker=str(row["speaker_id"]), **meta)


VOXPOPULI = base.Benchmark(
    **base.about("voxpopuli", "VoxPopuli", "asr", language="en", licence="CC0 1.0"),
    languages=VOXPOPULI_LANGUAGES,
    source="github.com/facebookresearch/voxpopuli",
    citation="Wang et al., ACL 2021",
    splits={"test": None, "dev": None},
    layout="transcribed_data/en/asr_test.tsv and transcribed_data/en/YEAR/NAME.ogg",
    read=_read_voxpopuli,
    hub=base.HubDataset(
        "facebook/voxpopuli",
        "refs/convert/parquet",
        base.locate_language,
        convert_row=lambda row: _make_utterance(row["audio_id"], row, row["audio"]),
    ),
    task_options={"cluster": "speaker"},
)


# --- GigaSpeech and WenetSpeech: long recordings, with a list of their segments in one JSON file

NON_SPEECH_TAGS = ("<SIL>", "<MUSIC>", "<NOISE>", "<OTHER>")
"""Tags of segments without speech, which are not scored."""
PUNCTUATION = re.compile(r"\s*<(?:COMMA|PERIOD|QUESTIONMARK|EXCLAMATIONPOINT)>")


def iter_segments(path: Path, subset: str) -> Iterator[tuple[dict[str, Any], dict[str, Any], tuple[float, float]]]:
    """Yield each segment of a subset, with the recording it belongs to and its span in seconds."""
    try:
        recordings = orjson.loads(sources.read_bytes(path))["audios"]
    except (orjson.JSONDecodeError, KeyError, TypeError) as error:
        raise DataError(f"{path}: expected a JSON object with a list `audios`: {error}.") from error
    for recording in recordings:
        for segment in recording["segments"]:
            if subset in segment["subsets"]:
                yield recording, segment, (float(segment["begin_time"]), float(segment["end_time"]))


def _read_gigaspeech(root: Path, part: sources.BenchmarkPart) -> sources.Items:
    subset = f"{{{part['split'].upper()}}}"
    for recording, segment, span in iter_segments(sources.find_below(root, "GigaSpeech.json"), subset):
        text = str(segment["text_tn"])
        if any(tag in text for tag in NON_SPEECH_TAGS):
            continue
        source = recording.get("source")
        meta = {"recording": recording["aid"], "source": None if source == "N/A" else source}
        transcript = " ".join(PUNCTUATION.sub("", text).split())
        yield base.make_item(segment["sid"], root / recording["path"], transcript, span=span, **meta)


def _read_wenetspeech(root: Path, part: sources.BenchmarkPart) -> sources.Items:
    subset = part["split"].upper().replace("-", "_")
    for recording, segment, span in iter_segments(sources.find_below(root, "WenetSpeech.json"), subset):
        audio = root / recording["path"]
        yield base.make_item(segment["sid"], audio, segment["text"], span=span, recording=recording["aid"])


GIGASPEECH = base.Benchmark(
    **base.about("gigaspeech", "GigaSpeech", "asr", language="en", licence="by application; non-commercial"),
    source="github.com/SpeechColab/GigaSpeech",
    citation="Chen et al., Interspeech 2021",
    splits={"test": 19930, "dev": 5715},
    layout="GigaSpeech.json beside audio/youtube/P0000/NAME.opus",
    read=_read_gigaspeech,
    task_options={"cluster": "recording"},
)
WENETSPEECH = base.Benchmark(
    **base.about("wenetspeech", "WenetSpeech", "asr", language="zh", licence="CC BY 4.0; audio by application"),
    source="openslr.org/121",
    citation="Zhang et al., ICASSP 2022",
    splits={"test-net": 24774, "test-meeting": 8370, "dev": 13825},
    layout="WenetSpeech.json beside audio/test_net/…/NAME.opus",
    read=_read_wenetspeech,
    task_options={"metrics": ("mer", "cer"), "cluster": "recording"},
)
