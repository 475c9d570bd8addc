"""Kimi-Audio-Evalkit's `{model}_{dataset}.jsonl`: the dataset's rows, with a prediction each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from auricle.interop.result_files import (
    Answer,
    Line,
    Results,
    Tool,
    beside,
    not_answered,
    said,
    told_apart,
)

KINDS: Mapping[str, str] = {"ASR": "asr", "MQA": "mcq", "Ref-QA": "qa", "Open-Ended": "open"}
"""Its four tasks."""
KNOWN: Mapping[str, str] = {
    **dict.fromkeys(
        ("LibriSpeech", "Fleurs-en", "Fleurs-zh", "AISHELL-1", "AISHELL-2", "WenetSpeech"), "ASR"
    ),
    **dict.fromkeys(("mmau-test-mini", "openbookqa", "mmsu", "MELD", "Nonspeech7k"), "MQA"),
    **dict.fromkeys(("TUT2017", "VocalSound", "CochlScene"), "MQA"),
    **dict.fromkeys(("alpacaeval_full", "commoneval", "advbench", "ifeval"), "Open-Ended"),
    **dict.fromkeys(("ClothoAQA", "sd-qa", "OpenAudioBench"), "Ref-QA"),
}
"""The datasets it ships, by task."""
LANGUAGES: Mapping[str, str] = {
    **dict.fromkeys(("LibriSpeech", "Fleurs-en"), "en"),
    **dict.fromkeys(("Fleurs-zh", "AISHELL-1", "AISHELL-2", "WenetSpeech"), "zh"),
}
NULL = "null"
SKIPPED = (
    "the file says null: Kimi-Audio-Evalkit skipped it (a sound over 60 s or under 0.1 s), or the "
    "process that had it died"
)
OWN = ("id", "index", "audio_path", "question", "answer", "prediction", "real_prompt", "choices")


def read(path: Path, lines: Sequence[Line]) -> Results:
    """Rows as they are; `null` is no answer."""
    model, dataset = _names(path)
    performance = _performance(path)
    task = str(performance.get("task") or KNOWN.get(dataset, ""))
    answers, notes = told_apart([_answer(origin, values) for origin, values in lines])
    language = LANGUAGES.get(dataset, "")
    return Results(
        path=path,
        model=model,
        dataset=dataset,
        answers=answers,
        kind=KINDS.get(task, ""),
        options={"language": language} if language else {},
        notes=notes,
    )


def _names(path: Path) -> tuple[str, str]:
    """Model and dataset: the two folders a result lies in, or what its name can be split into."""
    dataset, model = path.parent.name, path.parent.parent.name
    if path.stem == f"{model}_{dataset}":
        return model, dataset
    model, _, dataset = path.stem.partition("_")
    known = next((name for name in KNOWN if path.stem.endswith(f"_{name}")), "")
    if known:
        return path.stem.removesuffix(f"_{known}"), known
    return (model, dataset) if dataset else ("", path.stem)


def _performance(path: Path) -> dict[str, Any]:
    """What its scorer wrote beside the file, if it ran."""
    for other in sorted(path.parent.glob(f"{path.stem}_*_performance.json")):
        if found := beside(path, other.name):
            return found
    return {}


def _answer(origin: str, values: Mapping[str, Any]) -> Answer:
    prediction = values["prediction"]
    missing = prediction is None or prediction == NULL
    nested = values.get("meta")
    rest = {name: each for name, each in values.items() if name not in (*OWN, "meta")}
    meta = {**rest, **(nested if isinstance(nested, dict) else {})}
    row = {
        "id": values.get("id", values["index"]),
        "audio": values.get("audio_path"),
        "question": values.get("question"),
        "choices": values.get("choices"),
        "target": values.get("answer"),
        "meta": meta,
    }
    return Answer(
        row=row,
        origin=origin,
        outputs=() if missing else said(str(prediction), prompt=_prompt(values)),
        error=not_answered(SKIPPED) if missing else None,
    )


def _prompt(values: Mapping[str, Any]) -> str:
    """What the model was really told, where that is not the question."""
    prompt = str(values.get("real_prompt") or "")
    return "" if prompt == values.get("question") else prompt


TOOL = Tool(
    "kimi",
    "Kimi-Audio-Evalkit",
    ("index", "prediction"),
    "*.jsonl",
    "{model}_{dataset}.jsonl with index and prediction",
    read,
    "kimi",
    r"_(wer_details|judge)\.jsonl$",
)
