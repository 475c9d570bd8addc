"""Results of Kimi-Audio-Evalkit: `{model}_{dataset}.jsonl`, rows of a dataset with a prediction each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from auricle.core.types import Generation, Record
from auricle.interop.kimi.datasets import DATASETS, TASKS_BY_KIND, Dataset
from auricle.interop.result_export import (
    TextRun,
    get_audio_uris,
    get_question,
    get_text,
    number_records,
    write_json,
    write_jsonl,
)
from auricle.interop.result_files import (
    ImportedResults,
    ImportedSample,
    Notify,
    ResultFormat,
    ResultLine,
    deduplicate_ids,
    read_sibling_json,
    text_sample,
)

KINDS_BY_TASK: Mapping[str, str] = {task: kind for kind, task in TASKS_BY_KIND.items()}
DATASETS_BY_NAME: Mapping[str, Dataset] = {dataset.name: dataset for dataset in DATASETS}
NULL_PREDICTION = "null"
SKIPPED_REASON = (
    "the prediction is null: Kimi-Audio-Evalkit skipped the sample (audio over 60 s or under 0.1 s), "
    "or its process died"
)
KNOWN_COLUMNS = ("id", "index", "audio_path", "question", "answer", "prediction", "real_prompt", "choices", "meta")


def read(path: Path, lines: Sequence[ResultLine]) -> ImportedResults:
    """Read the rows; a prediction of `null` is a failure."""
    model, dataset_name = _model_and_dataset(path)
    dataset = DATASETS_BY_NAME.get(dataset_name)
    files = sorted(path.parent.glob(f"{path.stem}_*_performance.json"))  # the scorer's, if there is one
    performance = next(filter(None, (read_sibling_json(path, file.name) for file in files)), {})
    task = str(performance.get("task") or (dataset.task if dataset else ""))
    samples, notes = deduplicate_ids([_to_sample(*line) for line in lines])
    return ImportedResults(
        path=path,
        model=model,
        dataset=dataset_name,
        samples=samples,
        kind=KINDS_BY_TASK.get(task, ""),
        task_options={"language": dataset.lang} if dataset and dataset.lang else {},
        notes=notes,
    )


def _model_and_dataset(path: Path) -> tuple[str, str]:
    """Return model and dataset, from the two parent folders or from the file name."""
    dataset, model = path.parent.name, path.parent.parent.name
    if path.stem == f"{model}_{dataset}":
        return model, dataset
    known_dataset = next((name for name in DATASETS_BY_NAME if path.stem.endswith(f"_{name}")), "")
    if known_dataset:
        return path.stem.removesuffix(f"_{known_dataset}"), known_dataset
    model, _, dataset = path.stem.partition("_")
    return (model, dataset) if dataset else ("", path.stem)


def _to_sample(origin: str, values: Mapping[str, Any]) -> ImportedSample:
    prediction, nested = values["prediction"], values.get("meta")
    other_columns = {name: value for name, value in values.items() if name not in KNOWN_COLUMNS}
    row = {
        "id": values.get("id", values["index"]),
        "audio": values.get("audio_path"),
        "question": values.get("question"),
        "choices": values.get("choices"),
        "target": values.get("answer"),
        "meta": {**other_columns, **(nested if isinstance(nested, dict) else {})},
    }
    text = None if prediction is None or prediction == NULL_PREDICTION else str(prediction)
    prompt = str(values.get("real_prompt") or "")
    return text_sample(origin, row, text, SKIPPED_REASON, prompt="" if prompt == values.get("question") else prompt)


def export(run: Path, out: Path, notify: Notify) -> list[Path]:
    """Write the rows with their predictions (`null` for failures), and the metric values beside them."""
    text_run = TextRun.load(run, "kimi")
    name = f"{text_run.model_folder}_{text_run.dataset}"
    folder = out / text_run.model_folder / text_run.dataset
    rows = [_to_row(index, record, text_run.dataset) for index, record in number_records(text_run.records)]
    text_run.note_failures(notify, "are exported as `null`, which the evalkit's scorer excludes from a WER.")
    paths = [write_jsonl(folder / f"{name}.jsonl", rows)]
    if text_run.kind in TASKS_BY_KIND:
        paths.append(write_json(folder / f"{name}_auricle_performance.json", _build_performance(text_run)))
    return paths


def _to_row(index: int, record: Record, dataset: str) -> dict[str, Any]:
    sample, audio_uris = record.sample, get_audio_uris(record)
    choices = sample.inputs.get("choices")
    sent_prompts = [output.prompt for output in record.outputs if isinstance(output, Generation)]
    return {
        "subset": dataset,
        **sample.meta,
        "index": index,
        "id": sample.id,
        "audio_path": audio_uris[0] if len(audio_uris) == 1 else audio_uris,
        "question": get_question(record),
        "answer": "" if sample.target is None else sample.target,
        **({"choices": list(choices)} if isinstance(choices, (list, tuple)) and choices else {}),
        "prediction": NULL_PREDICTION if record.error else get_text(record),
        "real_prompt": "".join(sent_prompts) or get_question(record),
    }


def _build_performance(text_run: TextRun) -> dict[str, Any]:
    """Build the performance file of the evalkit's scorer, with Auricle's numbers."""
    return {
        "task": TASKS_BY_KIND[text_run.kind],
        "dataset": text_run.dataset,
        "model": text_run.model,
        "date": str(text_run.created),
        "performance": {text_run.dataset: {**text_run.metric_values(), "total": len(text_run.records)}},
        "eval_method": "auricle",
    }


FORMAT = ResultFormat(
    "kimi",
    "Kimi-Audio-Evalkit",
    ("index", "prediction"),
    "*.jsonl",
    "{model}_{dataset}.jsonl with index and prediction",
    read,
    export,
    "kimi",
    r"_(wer_details|judge)\.jsonl$",
)
