"""Rows, predictions, replies of a judge and transcripts for `compare_kimi.py`, all made here."""

from __future__ import annotations

import random
import wave
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from zlib import crc32

from auricle.frameworks.kimi.datasets import AUDIO_QA, Dataset

MODEL_NAME = "Scripted-1B"
ROWS_PER_DATASET = 12
PAIRS_PER_LANGUAGE = 3_000
SCENES = ["beach", "bus", "cafe or restaurant", "car", "city center", "forest path", "grocery store", "home", "tram"]
QUESTION = "Which is it?\nOptions:\n{options}\n.Reply with the letter of one option only."
SPOKEN = "Which of these is {topic}? A. {0} B. {1} C. {2} D. {3}"
SUBSETS = {"OpenAudioBench": ("alpaca_eval", "llama_questions", "reasoning_qa", "trivia_qa", "web_questions")}
TOPICS = ["a planet", "the largest lake", "made of wood", "loud", "written in prose", "sold by weight"]

JUDGE_FILE = f"""
import sys

sys.path.insert(0, {str(Path(__file__).parent)!r})
from kimi_cases import reply_of_judge


def judge(text: str) -> str:
    return reply_of_judge(text)
"""


def write_recordings(folder: Path) -> list[str]:
    """Write one recording per row: silence of different lengths, the last too long for the evalkit's models."""
    paths = []
    for index in range(ROWS_PER_DATASET):
        path = folder / f"{index}.wav"
        seconds = 61.0 if index == ROWS_PER_DATASET - 1 else 0.2 + index / 20
        with wave.open(str(path), "wb") as sound:
            sound.setnchannels(1)
            sound.setsampwidth(2)
            sound.setframerate(8_000)
            sound.writeframes(bytes(2 * int(8_000 * seconds)))
        paths.append(str(path))
    return paths


def make_rows(dataset: Dataset, recordings: Sequence[str]) -> list[dict[str, Any]]:
    """Return rows of a dataset. The last recording is only used for transcripts, whose scorer drops skipped rows."""
    count = ROWS_PER_DATASET if dataset.task == "ASR" else ROWS_PER_DATASET - 1
    subsets = SUBSETS.get(dataset.name, (dataset.name, f"{dataset.name}-other"))
    return [
        {
            "index": index,
            "audio_path": recordings[index] if index % 4 else [recordings[index]],
            "subset": subsets[index % len(subsets)],
            "task_type": "understanding",
            "meta": {"speaker": f"s{index}", "level": index},
            **_make_content(dataset, index),
        }
        for index in range(count)
    ]


def _make_content(dataset: Dataset, index: int) -> dict[str, Any]:
    """Return question, answer and transcript of a row."""
    spoken = {"audio_content": f"Spoken question {index}: what is {TOPICS[index % 6]}?"}
    if dataset.task == "ASR":
        return {"question": "Please write it down.", "answer": _transcripts(dataset.lang)[index]}
    if dataset.task == "MQA":
        return _make_choice(dataset, index)
    if dataset.task == "Ref-QA" and dataset.interactive == AUDIO_QA:
        answers = [f"answer {index}", f"another {index}"]
        return {**spoken, "question": "", "answer": str(answers) if index % 2 else answers[0]}
    if dataset.task == "Ref-QA":
        return {"question": f"Is it {TOPICS[index % 6]}?", "answer": f"answer {index}"}
    instructions = [["punctuation:no_comma"], ["length_constraints:number_words"], ["keywords:existence"]][index % 3]
    values = {"relation": "at least", "num_words": 5} if index % 3 == 1 else {}
    values = {"keywords": ["answer", "lake"]} if index % 3 == 2 else values
    details = {"prompt": f"prompt {index}", "instruction": instructions, "instruction_kwargs": [values]}
    return {**spoken, "question": "", "answer": "", **(details if dataset.name == "ifeval" else {})}


def _make_choice(dataset: Dataset, index: int) -> dict[str, Any]:
    if dataset.interactive == AUDIO_QA:
        content = SPOKEN.format(*SCENES[index % 4 :], topic=TOPICS[index % 6])
        return {"question": "", "audio_content": content, "answer": "ABCD"[index % 4]}
    options = "\n".join(f"({chr(65 + place)}) {scene}" for place, scene in enumerate(SCENES))
    answer = SCENES[index % len(SCENES)]
    if dataset.name == "TUT2017":
        answer = answer.replace(" or ", "/").replace(" ", "_")
    return {"question": QUESTION.format(options=options), "answer": answer}


def make_predictions(dataset: Dataset) -> dict[str, str]:
    """Return the prediction of each row by its index."""
    return {str(index): _make_prediction(dataset, index) for index in range(ROWS_PER_DATASET)}


def _make_prediction(dataset: Dataset, index: int) -> str:
    if dataset.task == "ASR":
        return _corrupt(_transcripts(dataset.lang)[index], random.Random(index))
    number = f"(number {index})"
    if dataset.task == "MQA":
        letter = "ABCD"[(index * 3) % 4]
        forms = ("The answer is {}, {}", "{}. {}", "I choose option {}: {}")
        return forms[index % 3].format(letter, number)
    return ("It is the first answer {}", "Perhaps a lake, [who knows] {}", "No idea. {}")[index % 3].format(number)


def reply_of_judge(prompt: str) -> str:
    """Reply to a judge's prompt of either framework, in the form it asks for; one reply in seven is unreadable."""
    number = prompt.rpartition("(number ")[2].partition(")")[0]
    draw = crc32(number.encode())
    if draw % 7 == 0:
        return "It is a hard case."  # the evalkit reads a "no" from any word that contains it, such as nothing
    verdict, rating = draw % 3 > 0, draw % 4 + 2
    forms = {
        "Result: no": f"Because.\nResult: {'yes' if verdict else 'no'}",
        "Result: yes": f"Because.\nResult: {'yes' if verdict else 'no'}",
        "[[N]]": f"Fair.\nRating: [[{rating + 3}]]",
        "[[rating]]": f"Fair. Rating: [[{rating + 3}]]",
        "[N]": f"Steps are missing.\n[{rating}]",
        "[4]": f"Steps are missing: [{rating}]",
        "core is [incorrect]": f"Compared.\nThe score is [{'correct' if verdict else 'incorrect'}]",
        "core is [Incorrect]": f"Compared, the score is [{'Correct' if verdict else 'Incorrect'}]",
        '"judgment"': '{"analysis": "Compared.", "judgment": "%s"}' % ("correct" if verdict else "incorrect"),
        "scale of 1 to 5": str(rating),
        "the number alone": str(rating),
        '"yes" or "no"': "yes" if verdict else "no",
        "one word and nothing else": "yes" if verdict else "no",
    }
    return next((reply for mark, reply in forms.items() if mark in prompt), "no form recognised")


# --- transcripts -------------------------------------------------------------------------

ENGLISH = (
    "Mr. Brown won't pay $20, he thinks.", "the colour of the theatre is gray", "I've got twenty-one e-mails & 3 books",
    "<|en|> it's half past 5 o'clock", "um, well (you know) they're gonna leave [noise]", "Dr. Smith's co-worker",
    "two hundred and five point three per cent", "naïve café owners", "the 1990s were fine", "what's up, y'all?",
    "a b c d", "room 101 is on the 2nd floor",
)  # fmt: skip
CHINESE = (
    "今天是2024年5月1日。", "他花了３５．６元买书", "我在 iPhone 上 听 music", "<|zh|>第十二届会议", "百分之五十的人",
    "电话是13800138000", "下午3:30开会", "温度是-5℃", "这是1/2的蛋糕", "你好，世界！", "共有1,234个", "著作权与着火",
)  # fmt: skip
ENGLISH_WORDS = ["the", "quick", "brown", "fox", "don't", "19", "centre", "Mrs", "okay", "2.5", "uh", "that's", "x-ray"]
CHINESE_WORDS = ["我们", "的", "12", "个", "北京", "three", "。", "第3", "时间", "５", "和", "OK", " "]


def _transcripts(language: str) -> Sequence[str]:
    return CHINESE if language == "zh" else ENGLISH


def _corrupt(text: str, source: random.Random) -> str:
    """Return a transcript with one word missing, doubled or replaced."""
    words = text.split(" ")
    place = source.randrange(len(words))
    words[place] = source.choice(["", f"{words[place]} {words[place]}", "something", words[place].upper()])
    return " ".join(words)


def make_pairs() -> Mapping[str, list[tuple[str, str]]]:
    """Return references and hypotheses by language: sentences with every difficulty, whole, corrupted and mixed."""
    pairs: dict[str, list[tuple[str, str]]] = {}
    for language, sentences, words in (("en", ENGLISH, ENGLISH_WORDS), ("zh", CHINESE, CHINESE_WORDS)):
        source = random.Random(language)
        separator = " " if language == "en" else ""
        pairs[language] = [(sentence, sentence) for sentence in sentences]
        while len(pairs[language]) < PAIRS_PER_LANGUAGE:
            reference = (
                source.choice(sentences) + separator + separator.join(source.choices(words, k=source.randrange(6)))
            )
            hypothesis = source.choice((reference, _corrupt(reference, source), source.choice(sentences)))
            pairs[language].append((reference, hypothesis))
    return pairs


def make_replies(contexts: Sequence[str]) -> list[str]:
    """Return replies to multiple-choice questions: every context with every letter, pairs of them, and other texts."""
    source = random.Random(0)
    filled = [context.replace("[CHOICE]", letter) for context in contexts for letter in "aBcDe"]
    pairs = [f"{source.choice(filled)} {source.choice(filled)}" for _ in range(1_000)]
    starts = [
        f"{start}{letter}{end}"
        for start in ("", "<1> ", "<3>")
        for letter in "AbCdE"
        for end in ("", ".", ")", ":", " x")
    ]
    others = [
        "",
        "who knows",
        "A dog barks",
        "It is not A. It is D",
        "**D**",
        "\\boxed{C}",
        "选B",
        "bad idea",
        "a, or b?",
    ]
    return [*filled, *pairs, *starts, *others]
