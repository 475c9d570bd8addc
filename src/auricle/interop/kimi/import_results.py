"""Kimi-Audio-Evalkit's `{model}_{dataset}.jsonl`: the dataset's rows, with a prediction each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from auricle.interop.result_files import (
    ImportedResults,
    ImportedSample,
    ResultFormat,
    ResultLine,
    deduplicate_ids,
    not_answered,
    read_sibling_json,
    text_output,
)

KINDS_BY_TASK: Mapping[str, str] = {"ASR": "asr", "MQA": "mcq", "Ref-QA": "qa", "Open-Ended": "open"}
"""Its four tasks."""
TASKS_BY_DATASET: Mapping[str, str] = {
    **dict.fromkeys(("LibriSpeech", "Fleurs-en", "Fleurs-zh", "AISHELL-1", "AISHELL-2", "WenetSpeech"), "ASR"),
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
NULL_PREDICTION = "null"
SKIPPED_REASON = (
    "the file says null: Kimi-Audio-Evalkit skipped it (a sound over 60 s or under 0.1 s), or the "
    "process that had it died"
)
KNOWN_COLUMNS = ("id", "index", "audio_path", "question", "answer", "prediction", "real_prompt", "choices")


def read(path: Path, lines: Sequence[ResultLine]) -> ImportedResults:
    """Rows as they are; `null` is no answer."""
    model, dataset = _model_and_dataset(path)
    performance = _read_performance(path)
    task = str(performance.get("task") or TASKS_BY_DATASET.get(dataset, ""))
    answers, notes = deduplicate_ids([_to_sample(origin, values) for origin, values in lines])
    language = LANGUAGES.get(dataset, "")
    return ImportedResults(
        path=path,
        model=model,
        dataset=dataset,
        samples=answers,
        kind=KINDS_BY_TASK.get(task, ""),
        task_options={"language": language} if language else {},
        notes=notes,
    )


def _model_and_dataset(path: Path) -> tuple[str, str]:
    """Model and dataset: the two folders a result lies in, or what its name can be split into."""
    dataset, model = path.parent.name, path.parent.parent.name
    if path.stem == f"{model}_{dataset}":
        return model, dataset
    model, _, dataset = path.stem.partition("_")
    known = next((name for name in TASKS_BY_DATASET if path.stem.endswith(f"_{name}")), "")
    if known:
        return path.stem.removesuffix(f"_{known}"), known
    return (model, dataset) if dataset else ("", path.stem)


def _read_performance(path: Path) -> dict[str, Any]:
    """What its scorer wrote beside the file, if it ran."""
    for other in sorted(path.parent.glob(f"{path.stem}_*_performance.json")):
        if found := read_sibling_json(path, other.name):
            return found
    return {}


def _to_sample(origin: str, values: Mapping[str, Any]) -> ImportedSample:
    prediction = values["prediction"]
    missing = prediction is None or prediction == NULL_PREDICTION
    nested = values.get("meta")
    rest = {name: each for name, each in values.items() if name not in (*KNOWN_COLUMNS, "meta")}
    meta = {**rest, **(nested if isinstance(nested, dict) else {})}
    row = {
        "id": values.get("id", values["index"]),
        "audio": values.get("audio_path"),
        "question": values.get("question"),
        "choices": values.get("choices"),
        "target": values.get("answer"),
        "meta": meta,
    }
    return ImportedSample(
        manifest_row=row,
        origin=origin,
        outputs=() if missing else text_output(str(prediction), prompt=_sent_prompt(values)),
        error=not_answered(SKIPPED_REASON) if missing else None,
    )


def _sent_prompt(values: Mapping[str, Any]) -> str:
    """What the model was really told, where that is not the question."""
    prompt = str(values.get("real_prompt") or "")
    return "" if prompt == values.get("question") else prompt


FORMAT = ResultFormat(
    "kimi",
    "Kimi-Audio-Evalkit",
    ("index", "prediction"),
    "*.jsonl",
    "{model}_{dataset}.jsonl with index and prediction",
    read,
    "kimi",
    r"_(wer_details|judge)\.jsonl$",
)
