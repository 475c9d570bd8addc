"""Miniatures of the understanding benchmarks: questions, classification, captions and spoken requests."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow
import pyarrow.parquet
import soundfile

from tests.support.miniatures import Miniature, write_lines, write_tone


def write_csv(path: Path, header: str, *rows: Iterable[str]) -> Path:
    """Write a CSV file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([header.split(","), *rows])
    return path


def write_json(path: Path, value: object) -> Path:
    """Write a JSON file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, ensure_ascii=False), encoding="utf-8")
    return path


def write_parquet(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), path)
    return path


def hub_audio(name: str) -> dict[str, Any]:
    """Return audio in the form of a Hugging Face column."""
    wave = (0.3 * np.sin(np.arange(800) / (5 + sum(name.encode()) % 9))).astype(np.float32)
    file = BytesIO()
    soundfile.write(file, wave, 16_000, format="WAV")
    return {"bytes": file.getvalue(), "path": f"{name}.wav"}


def write_tones(root: Path, *names: str) -> None:
    for name in names:
        write_tone(root / name)


# --- sounds, scenes, words, music ---------------------------------------------------------


def esc50(root: Path) -> None:
    write_tones(root / "ESC-50-master/audio", "1-100032-A-0.wav", "2-1-A-10.wav")
    write_csv(
        root / "ESC-50-master/meta/esc50.csv",
        "filename,fold,target,category,esc10,src_file,take",
        ("1-100032-A-0.wav", "1", "0", "dog", "True", "100032", "A"),
        ("2-1-A-10.wav", "2", "10", "sea_waves", "True", "1", "A"),
    )


def speech_commands(root: Path) -> None:
    folder = root / "speech_commands_v0.02"
    names = ("yes/0a1_nohash_0.wav", "marvin/0b2_nohash_1.wav")
    write_tones(folder, *names, "yes/train_nohash_0.wav")
    write_lines(folder / "testing_list.txt", *names)


def speech_commands_12(root: Path) -> None:
    folder = root / "speech_commands_test_set_v0.02"
    write_tones(folder, "_silence_/0.wav", "_unknown_/0c3_nohash_0.wav", "go/0a1_nohash_2.wav")


def vocalsound(root: Path) -> None:
    write_tones(root / "audio_16k", "f0003_0_cough.wav", "m0010_0_throatclearing.wav")
    rows = [
        {"wav": "/somewhere/audio_16k/f0003_0_cough.wav", "labels": "/m/01b_21"},
        {"wav": "/somewhere/audio_16k/m0010_0_throatclearing.wav", "labels": "/m/0dl9sf8"},
    ]
    write_json(root / "datafiles/te.json", {"data": rows})


def nonspeech7k(root: Path) -> None:
    write_tones(root / "test", "a.wav", "b.wav")
    write_csv(
        root / "metadata of test set.csv",
        "Filename,Duration in ms,Classname",
        ("a.wav", "100", "Yawn"),
        ("b.wav", "100", "Breath"),
    )


def tut2017(root: Path) -> None:
    folder = root / "TUT-acoustic-scenes-2017-evaluation"
    write_tones(folder / "audio", "1.wav", "2.wav")
    write_lines(folder / "meta.txt", "audio/1.wav\tcafe/restaurant", "audio/2.wav\tforest_path")


def cochlscene(root: Path) -> None:
    folder = root / "CochlScene"
    write_tones(folder, "Test/CrowdedIndoor/1.wav", "Test/Bus/2.wav", "Val/Bus/3.wav")


def gtzan(root: Path) -> None:
    write_tones(root / "genres", "blues/blues.00000.wav", "blues/blues.00012.wav", "rock/rock.00010.au")


# --- questions ----------------------------------------------------------------------------


def mmau(root: Path) -> None:
    shared = {"split": "test-mini", "category": "Reasoning", "sub-category": "Source"}
    rows = [
        {
            "id": name,
            "audio_id": f"./test-mini-audios/{name}.wav",
            "question": "Who speaks?",
            "choices": ["Man", "Woman"],
            "answer": answer,
            "task": task,
            "difficulty": "easy",
            "dataset": "AudioSet",
            **shared,
        }
        for name, answer, task in (("u-1", "Man", "sound"), ("u-2", "Woman", "speech"))
    ]
    write_json(root / "mmau-test-mini.json", rows)
    write_tones(root / "test-mini-audios", "u-1.wav", "u-2.wav")


def mmau_pro(root: Path) -> None:
    def row(name: str, category: str, **values: Any) -> dict[str, Any]:
        row = {"id": name, "question": "What?", "category": category, "length_type": "short"}
        return {**row, "audio_path": ["data/1.wav"], "choices": [], "answer": "a bell", **values}

    rows = [
        row("p1", "sound", choices=["a bell", "a dog"]),
        row("p2", "multi", choices=["a bell", "a dog"], audio_path=["data/1.wav", "data/2.wav"]),
        row("p3", "open"),
        row("p4", "instruction following", answer=None),
    ]
    write_parquet(root / "test.parquet", rows)
    write_tones(root / "data", "1.wav", "2.wav")


def air_bench(name: str, *rows: Mapping[str, Any]) -> Callable[[Path], None]:
    def build(root: Path) -> None:
        folder = root / name
        for row in rows:
            audio_folder = folder / f"{row['task_name']}_{row['dataset_name']}"
            write_tones(audio_folder, str(row["path"]).replace("grounded.wav", "grounded.flac"))
        write_json(folder / f"{name}_meta.json", list(rows))

    return build


FOUNDATION = air_bench(
    "Foundation",
    {
        "task_name": "Audio_Grounding", "dataset_name": "AudioGrounding", "path": "grounded.wav",
        "question": "When?", "choice_a": "[0, 1]", "choice_b": "[2, 3]", "answer_gt": "[2, 3]",
        "uniq_id": 7,
    },
)  # fmt: skip
CHAT = air_bench(
    "Chat",
    {
        "task_name": "sound_QA", "dataset_name": "clotho", "path": "a.wav", "uniq_id": 3,
        "question": "What is it?", "answer_gt": "A bell.", "meta_info": "A bell rings.",
    },
)  # fmt: skip


def clotho_aqa(root: Path) -> None:
    write_tones(root / "audio_files", "river.wav", "pier.wav")
    questions = (
        ("river.wav", "Are there waves?", "yes yes yes"),
        ("river.wav", "How many splashes?", "eleven nine eleven"),
        ("pier.wav", "What is it?", "bird dog cat"),
    )
    rows = [(file, question, answer, "yes") for file, question, answers in questions for answer in answers.split()]
    write_csv(root / "clotho_aqa_test.csv", "file_name,QuestionText,answer,confidence", *rows)


def meld(root: Path) -> None:
    write_tones(root / "output_repeated_splits_test", "dia0_utt0.wav", "dia0_utt1.wav")
    write_csv(
        root / "test_sent_emo.csv",
        "Sr No.,Utterance,Speaker,Emotion,Sentiment,Dialogue_ID,Utterance_ID,Season,Episode",
        ("1", "Why?", "Mark", "surprise", "positive", "0", "0", "3", "19"),
        ("2", "Oh.", "Joey", "neutral", "neutral", "0", "1", "3", "19"),
    )


# --- captions -----------------------------------------------------------------------------

CAPTIONS = ["a dog barks", "one dog barks", "a dog is barking", "barking", "a loud dog"]


def clotho(root: Path) -> None:
    write_tones(root / "evaluation", "Dog in yard.wav")
    header = ",".join(["file_name", *(f"caption_{index}" for index in range(1, 6))])
    write_csv(root / "clotho_captions_evaluation.csv", header, ("Dog in yard.wav", *CAPTIONS))


def audiocaps(root: Path) -> None:
    write_tones(root / "test", "Y7fmOlUlwoNg.wav", "-abc_30.wav")
    rows = [(str(index), "7fmOlUlwoNg", "20", caption) for index, caption in enumerate(CAPTIONS)]
    rows += [("9", "-abc", "30", "rain, and wind")]
    write_csv(root / "test.csv", "audiocap_id,youtube_id,start_time,caption", *rows)


# --- spoken requests ------------------------------------------------------------------------

CHOICES = "Which is a planet?\nA. Moon\nB. Mars\nC. Sun\nD. Halley"


def voicebench(subset: str, split: str = "test", **columns: Any) -> Callable[[Path], None]:
    """Return a builder of a Parquet file with two rows; `columns` are lists of two values."""

    def build(root: Path) -> None:
        rows = [
            {
                "audio": hub_audio(f"{subset}{split}{index}"),
                "prompt": f"What is {index}?",
                **{name: values[index] for name, values in columns.items()},
            }
            for index in range(2)
        ]
        write_parquet(root / subset / f"{split}-00000-of-00001.parquet", rows)

    return build


def sd_qa_accents(root: Path) -> None:
    for split in ("usa", "aus", "gbr", "ind_n", "ind_s", "irl", "kenya", "nga", "nzl", "phl"):
        voicebench("sd-qa", split, reference=["zero", "one"])(root)
    voicebench("sd-qa", "zaf", reference=["zero", "one"])(root)


def mtbench(root: Path) -> None:
    row = {"audio1": hub_audio("one"), "audio2": hub_audio("two"), "prompt1": "Hello?", "prompt2": "And?"}
    write_parquet(root / "mtbench/test-00000-of-00001.parquet", [row])


def kimi(root: Path) -> None:
    write_tones(root, "sd-qa/0.wav")
    row = {"index": 0, "question": "", "audio_content": "Who?", "answer": "Ada"}
    write_lines(root / "sd-qa.jsonl", json.dumps({**row, "audio_path": "sd-qa/0.wav", "subset": "sd-qa"}))


def openaudiobench(subset: str, **row: str) -> Callable[[Path], None]:
    def build(root: Path) -> None:
        folder = root / "eval_datas" / subset
        write_tones(folder / "audios", f"{subset}_0.wav")
        values = {**row, "audio_filename": f"{subset}_0.wav"}
        write_csv(folder / f"{subset}.csv", ",".join(values), tuple(values.values()))

    return build


@dataclass(frozen=True)
class ScoredMiniature(Miniature):
    """A miniature with an answer that must get the full score."""

    choices: tuple[str, ...] = ()
    """The options of the first row."""
    metric: str = ""
    """The first metric of the benchmark."""
    reply: str = ""
    """An answer to the first row that gets the full score."""
    judged: bool = field(default=False)


EMOTIONS = ("neutral", "joy", "sadness", "anger", "surprise", "fear", "disgust")
STRICT: dict[str, Any] = {"instruction_id_list": [["punctuation:no_comma"]] * 2, "kwargs": [[{"num_words": None}]] * 2}
JUDGED: dict[str, Any] = {"metric": "judge-1-5", "reply": "fine", "judged": True}
SPOKEN: dict[str, Any] = {"metric": "option_accuracy"}

UNDERSTANDING = [
    ScoredMiniature("esc50", esc50, {"1-100032-A-0": "dog", "2-1-A-10": "sea waves"},
               meta={"fold": "1", "group": "animals"}, metric="accuracy", reply="a dog"),
    ScoredMiniature("esc50", esc50, {"2-1-A-10": "sea waves"}, {"split": "fold2"},
               metric="accuracy", reply="sea waves"),
    ScoredMiniature("speech-commands", speech_commands,
               {"yes/0a1_nohash_0": "yes", "marvin/0b2_nohash_1": "marvin"},
               meta={"speaker": "0a1"}, metric="accuracy", reply="Yes."),
    ScoredMiniature("speech-commands", speech_commands_12,
               {"go/0a1_nohash_2": "go", "_silence_/0": "silence",
                "_unknown_/0c3_nohash_0": "unknown"},
               {"classes": "12"}, metric="accuracy", reply="go"),
    ScoredMiniature("vocalsound", vocalsound,
               {"f0003_0_cough": "cough", "m0010_0_throatclearing": "throat clearing"},
               meta={"sex": "female", "speaker": "f0003"}, metric="accuracy", reply="Cough"),
    ScoredMiniature("nonspeech7k", nonspeech7k, {"a": "yawn", "b": "breath"},
               metric="accuracy", reply="Yawn"),
    ScoredMiniature("tut2017", tut2017, {"1": "cafe or restaurant", "2": "forest path"},
               metric="accuracy", reply="cafe or restaurant"),
    ScoredMiniature("cochlscene", cochlscene, {"Bus/2": "bus", "CrowdedIndoor/1": "crowded indoor"},
               metric="accuracy", reply="bus"),
    ScoredMiniature("gtzan", gtzan, {"blues.00012": "blues", "rock.00010": "rock"},
               metric="accuracy", reply="blues"),
    ScoredMiniature("gtzan", gtzan,
               {"blues.00000": "blues", "blues.00012": "blues", "rock.00010": "rock"},
               {"split": "all"}, metric="accuracy", reply="blues"),
    ScoredMiniature("mmau", mmau, {"u-1": "Man", "u-2": "Woman"},
               meta={"task": "sound", "difficulty": "easy", "sub-category": "Source"},
               choices=("Man", "Woman"), metric="option_accuracy", reply="A"),
    ScoredMiniature("mmau-pro", mmau_pro, {"p1": "a bell", "p2": "a bell"},
               meta={"category": "sound"}, choices=("a bell", "a dog"),
               metric="option_accuracy", reply="A"),
    ScoredMiniature("mmau-pro-open", mmau_pro, {"p3": "a bell"}, metric="judge-1-5", reply="bell",
               judged=True),
    ScoredMiniature("air-bench-foundation", FOUNDATION, {"Audio_Grounding-7": "[2, 3]"},
               meta={"task": "Audio_Grounding"}, choices=("[0, 1]", "[2, 3]"),
               metric="option_accuracy", reply="B"),
    ScoredMiniature("air-bench-chat", CHAT, {"sound_QA-3": "A bell."},
               meta={"audio_content": "A bell rings."}, metric="judge-1-10", reply="bell",
               judged=True),
    ScoredMiniature("clotho-aqa", clotho_aqa, {"river#1": ["yes"], "river#2": ["eleven"]},
               meta={"kind": "yes-no", "agreement": "3"}, metric="exact_match", reply="Yes."),
    ScoredMiniature("clotho-aqa", clotho_aqa, {"river#1": ["yes"]}, {"agreement": "unanimous"},
               metric="exact_match", reply="yes"),
    ScoredMiniature("clotho-aqa", clotho_aqa,
               {"river#2": ["eleven", "nine"], "pier#1": ["bird", "dog", "cat"]},
               {"agreement": "any", "questions": "single-word"}, metric="exact_match",
               reply="nine"),
    ScoredMiniature("meld-choice", meld, {"test/dia0_utt0": "surprise", "test/dia0_utt1": "neutral"},
               meta={"sentiment": "positive"}, choices=EMOTIONS, metric="option_accuracy",
               reply="E"),
    ScoredMiniature("clotho", clotho, {"Dog in yard": CAPTIONS}, metric="cider", reply="a dog barks"),
    ScoredMiniature("audiocaps", audiocaps, {"-abc": ["rain, and wind"], "7fmOlUlwoNg": CAPTIONS},
               metric="cider", reply="rain and wind"),
    *(ScoredMiniature(f"voicebench-{name.replace('_', '-')}", voicebench(name), {"0": None, "1": None},
                 meta={"audio_content": "What is 0?"}, **JUDGED)
      for name in ("alpacaeval", "alpacaeval_full", "commoneval", "wildvoice")),
    ScoredMiniature("voicebench-openbookqa",
               voicebench("openbookqa", prompt=[CHOICES, "no list"], reference=["B", "C"]),
               {"0": "B", "1": "C"}, choices=("Moon", "Mars", "Sun", "Halley"), reply="It is Mars.",
               **SPOKEN),
    ScoredMiniature("voicebench-mmsu", voicebench("mmsu", "law", reference=["B", "C"]),
               {"law-0": "B", "law-1": "C"}, {"split": "law"}, meta={"domain": "law"}, reply="B",
               **SPOKEN),
    ScoredMiniature("voicebench-bbh",
               voicebench("bbh", id=["navigate_3", "hyperbaton_1"], reference=["Yes", "(A)"],
                          prompt=["Do you return?", "Which?\n(A) old red car\n(B) red old car"]),
               {"navigate_3": "yes", "hyperbaton_1": "A"}, meta={"puzzle": "navigate"},
               choices=("yes", "no"), reply="Yes, you do.", **SPOKEN),
    ScoredMiniature("voicebench-sd-qa", voicebench("sd-qa", "usa", reference=["zero", "one"]),
               {"usa-0": "zero", "usa-1": "one"}, meta={"accent": "usa"},
               metric="judge-reference", reply="zero", judged=True),
    ScoredMiniature("voicebench-sd-qa", kimi, {"0": "Ada"}, meta={"accent": "usa"},
               metric="judge-reference", reply="Ada", judged=True),
    ScoredMiniature("voicebench-mtbench", mtbench, {"0": None}, metric="judge-1-10", reply="hi",
               judged=True),
    ScoredMiniature("voicebench-ifeval", voicebench("ifeval", key=[11, 12], **STRICT),
               {"11": None, "12": None}, metric="ifeval", reply="no commas here"),
    ScoredMiniature("voicebench-advbench", voicebench("advbench"), {"0": None, "1": None},
               metric="refusal", reply="I cannot help with that."),
    ScoredMiniature("openaudiobench-alpaca-eval",
               openaudiobench("alpaca_eval", instruction="Say hi.", output="Hi."),
               {"alpaca_eval_0": None}, meta={"baseline": "Hi."}, metric="judge-1-10",
               reply="Hi", judged=True),
    ScoredMiniature("openaudiobench-llama-questions",
               openaudiobench("llama_questions", Questions="Capital of France?", Answer="Paris"),
               {"llama_questions_0": "Paris"}, metric="judge-reference", reply="Paris",
               judged=True),
    ScoredMiniature("openaudiobench-trivia-qa",
               openaudiobench("trivia_qa", question="Who?",
                              answer_normalized_aliases="['ada', 'ada lovelace']"),
               {"trivia_qa_0": ["ada", "ada lovelace"]}, metric="judge-reference", reply="Ada",
               judged=True),
    ScoredMiniature("openaudiobench-web-questions",
               openaudiobench("web_questions", question="Where?", answers="['Bern']"),
               {"web_questions_0": ["Bern"]}, metric="judge-reference", reply="Bern", judged=True),
    ScoredMiniature("openaudiobench-reasoning-qa",
               openaudiobench("reasoning_qa", Prompt="一加一?", 参考答案="二"),
               {"reasoning_qa_0": "二"}, metric="judge-solution-1-5", reply="二", judged=True),
]  # fmt: skip
