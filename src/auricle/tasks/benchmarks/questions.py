"""Questions about recordings: ClothoAQA, AIR-Bench, and MELD's emotions as options."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any

from auricle.data.row_files import Row
from auricle.tasks.benchmarks.base import Benchmark, BenchmarkPart, HubDataset, Item, Items, find_below, make_item
from auricle.tasks.benchmarks.tables import Values, convert_table, split_valid_rows
from auricle.tasks.emotion import meld
from auricle.tasks.kinds import MEDIA_TEMPLATE

# --- ClothoAQA --------------------------------------------------------------------------

MIN_AGREEMENT = {"majority": 2, "unanimous": 3, "any": 1}
"""How many of the three annotators must have said a right answer."""


def _read_clotho_aqa(root: Path, part: BenchmarkPart) -> Items:
    """`clotho_aqa_test.csv`: three rows a question, one an annotator."""
    listed = find_below(root, f"clotho_aqa_{part['split']}.csv")
    sounds = find_below(root, "audio_files", "")
    asked: Counter[str] = Counter()
    rows, rejected = split_valid_rows(listed, "file_name", "QuestionText", "answer")
    yield from rejected
    for (name, question), answers in _group_answers(rows):
        asked[name] += 1
        votes = Counter(answers)
        accepted = [each for each, times in votes.items() if times >= MIN_AGREEMENT[part["agreement"]]]
        kind = "yes-no" if set(answers) <= {"yes", "no"} else "single-word"
        if accepted and part["questions"] in ("all", kind):
            yield make_item(
                f"{Path(name).stem}#{asked[name]}",
                sounds / name,
                accepted,
                question=question,
                kind=kind,
                agreement=str(max(votes.values())),
            )


def _group_answers(rows: list[Row]) -> Iterator[tuple[tuple[str, str], list[str]]]:
    """Questions, each with all that was answered; rows of a question stand together."""
    keys = [(str(row.values["file_name"]), str(row.values["QuestionText"])) for row in rows]
    said = [str(row.values["answer"]).strip().lower() for row in rows]
    for key, those in groupby(zip(keys, said, strict=True), key=lambda pair: pair[0]):
        yield key, [answer for _, answer in those]


CLOTHO_AQA = Benchmark(
    name="clotho-aqa",
    title="ClothoAQA",
    kind="qa",
    language="en",
    licence="",
    source="doi.org/10.5281/zenodo.6473207",
    splits={"test": None, "val": None, "train": None},
    options={"agreement": tuple(MIN_AGREEMENT), "questions": ("all", "yes-no", "single-word")},
    counts={"test/majority/all": 2476, "test/majority/yes-no": 1892, "test/unanimous/all": 1312, "test/any/all": 2838},
    layout="clotho_aqa_test.csv and audio_files/",
    read=_read_clotho_aqa,
    task_options={
        "prompt": f"{MEDIA_TEMPLATE}{{question}}\nAnswer with one word.",
        "metrics": ["exact_match", "contains"],
        "by": ["kind", "agreement"],
    },
)


# --- MELD -------------------------------------------------------------------------------

EMOTIONS = ("neutral", "joy", "sadness", "anger", "surprise", "fear", "disgust")
SPLITS = ("test", "dev", "train")


def _read_meld(root: Path, part: BenchmarkPart) -> Items:
    found = meld.scan(root, part["split"])
    yield from found.rejected
    for clip in found.clips:
        yield make_item(clip.id, clip.path, clip.label, choices=EMOTIONS, **dict(clip.meta))  # type: ignore[arg-type]


MELD_CHOICE = Benchmark(
    name="meld-choice",
    title="MELD",
    kind="mcq",
    language="en",
    licence=meld.CORPUS.licence,
    source=meld.CORPUS.source,
    splits={name: sum(meld.PUBLISHED_COUNTS[name]) - (name in meld.WITHOUT_AUDIO) for name in SPLITS},
    layout=meld.CORPUS.example,
    read=_read_meld,
    task_options={"question": "Identify the predominant emotion in this speech.", "by": ["sentiment"]},
)


# --- AIR-Bench --------------------------------------------------------------------------

CHOICE_COLUMNS = ("choice_a", "choice_b", "choice_c", "choice_d")
CHOICE_INSTRUCTION = (
    "Choose the most suitable answer from options A, B, C, and D to respond the question in next "
    "line, you may only choose A or B or C or D."
)


def _read_air_bench(name: str, root: Path, _part: BenchmarkPart) -> Items:
    """`Chat/Chat_meta.json` and its like; sounds lie in folders called TASK_DATASET."""
    folder = find_below(root, name, "")
    listed = find_below(folder, f"{name}_meta.json")

    def make(row: Values) -> Item:
        sound = folder / f"{row['task_name']}_{row['dataset_name']}" / str(row["path"])
        if not sound.exists() and sound.with_suffix(".flac").exists():
            sound = sound.with_suffix(".flac")  # Audio_Grounding is listed as .wav, and is not
        return _convert_air_row({**row, "audio": sound})

    return convert_table(listed, make)


def _convert_air_row(row: Values) -> Item:
    task = row["task_name"]
    return make_item(
        f"{task}-{row['uniq_id']}",
        row["audio"],
        row["answer_gt"],
        question=row["question"],
        choices=[str(row[each]) for each in CHOICE_COLUMNS if row.get(each)],
        task=task,
        dataset=row["dataset_name"],
        audio_content=row.get("meta_info"),
    )


def _air_benchmark(name: str, kind: str, task_options: Mapping[str, Any], hub_splits: str) -> Benchmark:
    return Benchmark(
        name=f"air-bench-{name.lower()}",
        title=f"AIR-Bench {name}",
        kind=kind,
        language="en",
        licence="CC BY-NC 4.0",
        source="huggingface.co/datasets/qyang1021/AIR-Bench-Dataset",
        splits={"test": None},
        layout=f"{name}/{name}_meta.json and {name}/TASK_DATASET/",
        read=partial(_read_air_bench, name),
        hub=HubDataset(
            "lmms-lab/AIR_Bench",
            None,
            locate=lambda _part: (name, hub_splits),
            convert_row=_convert_air_row,
            files="{config}/{split}-*.parquet",
        ),
        task_options={**task_options, "by": ["task"]},
    )


CHOICE_OPTIONS = {"prompt": f"{MEDIA_TEMPLATE}{CHOICE_INSTRUCTION}\n{{question}}{{options}}"}
AIR_BENCH_FOUNDATION = _air_benchmark("Foundation", "mcq", CHOICE_OPTIONS, "speech+sound+music")
AIR_BENCH_CHAT = _air_benchmark("Chat", "open", {"metrics": ["judge-1-10"]}, "speech+sound+music+mixed")
