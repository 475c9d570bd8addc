"""Clotho and AudioCaps (captions, five references each) and ClothoAQA (one-word answers of three annotators)."""

from __future__ import annotations

from collections import Counter
from itertools import groupby
from pathlib import Path
from typing import Any

from auricle.core.types import RejectedRow
from auricle.tasks.benchmarks import base
from auricle.tasks.benchmarks.sources import Values, read_table_with_audio, split_valid_rows
from auricle.tasks.folder_scan import AUDIO_SUFFIXES, iter_files
from auricle.tasks.kinds import MEDIA_TEMPLATE

CAPTION_OPTIONS = {
    "question": "Describe this audio in one sentence.",
    "metrics": ["cider", "rouge_l", "bleu", "chrf"],
    "max_tokens": 128,
}


def _convert_clotho(row: Values, folder: Path) -> base.Item:
    captions = [row[f"caption_{number}"] for number in range(1, 6)]
    return base.make_item(Path(row["file_name"]).stem, folder / row["file_name"], captions)


CLOTHO = base.Benchmark(
    **base.about(
        "clotho", "Clotho", "qa", language="en", licence="captions: academic, non-commercial; sounds: Creative Commons"
    ),
    source="doi.org/10.5281/zenodo.3490684",
    citation="Drossos et al., ICASSP 2020",
    splits={"evaluation": 1045, "validation": 1045, "development": None},
    layout="clotho_captions_evaluation.csv and evaluation/",
    read=read_table_with_audio(
        ("clotho_captions_{split}.csv",),
        ("{split}", "clotho_audio_{split}/{split}", "clotho_audio_{split}"),
        _convert_clotho,
    ),
    task_options=CAPTION_OPTIONS,
)


def _read_audiocaps(root: Path, part: base.BenchmarkPart) -> base.Items:
    """Read `test.csv`; recordings are named by their YouTube id, in one of several usual ways."""
    table = base.find_below(root, f"{part['split']}.csv", f"dataset/{part['split']}.csv")
    recordings = {path.stem: path for path in iter_files(root, AUDIO_SUFFIXES)}
    if not recordings:
        raise base.not_found_error(root, "recordings named by their YouTube id (YOUTUBE_ID.wav)")
    rows, rejected = split_valid_rows(table, "youtube_id", "start_time", "caption")
    yield from rejected
    captions: dict[tuple[str, str], list[Any]] = {}
    for row in rows:
        key = str(row.values["youtube_id"]), str(row.values["start_time"])
        captions.setdefault(key, []).append(row.values["caption"])
    for (clip, start), texts in sorted(captions.items(), key=lambda item: item[0]):
        names = (clip, f"Y{clip}", f"{clip}_{start}", f"Y{clip}_{start}", f"{clip}_{start}000")
        audio = next((recordings[name] for name in names if name in recordings), None)
        if audio is None:
            yield RejectedRow(f"{table.name}, {clip}", f"no recording of {clip}")
        else:
            yield base.make_item(clip, audio, texts)


AUDIOCAPS = base.Benchmark(
    **base.about("audiocaps", "AudioCaps", "qa", language="en", licence="MIT (captions)"),
    source="github.com/cdjkim/audiocaps",
    citation="Kim et al., NAACL 2019",
    splits={"test": 975, "val": 495},
    layout="test.csv and YOUTUBE_ID.wav in any folder",
    read=_read_audiocaps,
    task_options=CAPTION_OPTIONS,
)


# --- ClothoAQA --------------------------------------------------------------------------------

MIN_AGREEMENT = {"majority": 2, "unanimous": 3, "any": 1}
"""How many of the three annotators must have given an answer for it to be accepted."""


def _read_questions(root: Path, part: base.BenchmarkPart) -> base.Items:
    """Read `clotho_aqa_test.csv`, which has three adjacent rows per question, one for each annotator."""
    table = base.find_below(root, f"clotho_aqa_{part['split']}.csv")
    audio_folder = base.find_below(root, "audio_files", "")
    question_counts: Counter[str] = Counter()
    rows, rejected = split_valid_rows(table, "file_name", "QuestionText", "answer")
    yield from rejected
    for (name, question), group in groupby(
        rows, key=lambda row: (str(row.values["file_name"]), str(row.values["QuestionText"]))
    ):
        question_counts[name] += 1
        votes = Counter(str(row.values["answer"]).strip().lower() for row in group)
        accepted = [answer for answer, count in votes.items() if count >= MIN_AGREEMENT[part["agreement"]]]
        kind = "yes-no" if set(votes) <= {"yes", "no"} else "single-word"
        if accepted and part["questions"] in ("all", kind):
            row_id, agreement = f"{Path(name).stem}#{question_counts[name]}", str(max(votes.values()))
            audio = audio_folder / name
            yield base.make_item(row_id, audio, accepted, question=question, kind=kind, agreement=agreement)


CLOTHO_AQA = base.Benchmark(
    **base.about("clotho-aqa", "ClothoAQA", "qa", language="en"),
    source="doi.org/10.5281/zenodo.6473207",
    citation="Lipping et al., EUSIPCO 2022",
    splits={"test": None, "val": None, "train": None},
    options={"agreement": tuple(MIN_AGREEMENT), "questions": ("all", "yes-no", "single-word")},
    counts={"test/majority/all": 2476, "test/majority/yes-no": 1892, "test/unanimous/all": 1312, "test/any/all": 2838},
    layout="clotho_aqa_test.csv and audio_files/",
    read=_read_questions,
    task_options={
        "prompt": f"{MEDIA_TEMPLATE}{{question}}\nAnswer with one word.",
        "metrics": ["exact_match", "contains"],
        "by": ["kind", "agreement"],
    },
)
