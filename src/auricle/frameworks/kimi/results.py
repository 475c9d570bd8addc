"""Results of Kimi-Audio-Evalkit: `{model}_{dataset}.jsonl`, rows of a dataset with a prediction each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from auricle import api
from auricle.core.errors import SpecError
from auricle.core.types import Generation, Record
from auricle.frameworks.exchange.result_export import (
    TextRun,
    get_audio_uris,
    get_question,
    get_text,
    number_records,
    write_json,
    write_jsonl,
)
from auricle.frameworks.exchange.result_files import (
    ImportedResults,
    ImportedSample,
    Notify,
    ResultFormat,
    ResultLine,
    deduplicate_ids,
    read_sibling_json,
    text_sample,
)
from auricle.frameworks.kimi.checkout import find_class, parse_classes
from auricle.frameworks.kimi.data import CONFIG_FILE, DataConfig, audio_folders, find_audio_root
from auricle.frameworks.kimi.datasets import BASE_DATASETS, DATASETS, TASKS_BY_KIND, Dataset, parse_attributes
from auricle.frameworks.kimi.judge_metrics import ANSWER_FIELD
from auricle.frameworks.kimi.performance import build_performance
from auricle.frameworks.kimi.stubs import DATASETS_PACKAGE

DATASETS_BY_NAME: Mapping[str, Dataset] = {dataset.name: dataset for dataset in DATASETS}
TASKS_OF_KINDS: Mapping[str, str] = {
    kind: f"kimi:{dataset.name}"
    for kind, task in TASKS_BY_KIND.items()
    for dataset in BASE_DATASETS
    if dataset.task == task
}
"""The task of each kind for data without a dataset class."""
NULL_PREDICTION = "null"
SKIPPED_REASON = (
    "the prediction is null: Kimi-Audio-Evalkit skipped the sample (audio over 60 s or under 0.1 s), "
    "or its process died"
)
RESULT_COLUMNS = ("prediction", "real_prompt")
"""Columns that the evalkit adds to the rows of a dataset."""
ID_COLUMN = "auricle_id"
"""Column of exported rows whose identifier is not a number, as the evalkit requires."""


def read(path: Path, lines: Sequence[ResultLine]) -> ImportedResults:
    """Read the rows; a prediction of `null` is a failure."""
    model, dataset_name = _model_and_dataset(path)
    dataset = _find_dataset(path, dataset_name)
    samples, notes = deduplicate_ids([_to_sample(*line) for line in lines], column="index")
    return ImportedResults(
        path=path,
        model=model,
        dataset=dataset_name,
        samples=samples,
        task=f"kimi:{dataset.name}" if dataset else "",
        tasks_by_kind=TASKS_OF_KINDS,
        task_options={"root": str(_find_audio_root(path, dataset or BASE_DATASETS[0]))},
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


def _find_dataset(path: Path, name: str) -> Dataset | None:
    """Return the definition of a dataset: the evalkit's, or that of its category. No code of a checkout is executed."""
    if name in DATASETS_BY_NAME:
        return DATASETS_BY_NAME[name]
    files = sorted(path.parent.glob(f"{path.stem}_*_performance.json"))  # the scorer's, if there is one
    performance = next(filter(None, (read_sibling_json(path, file.name) for file in files)), {})
    added = find_class(DATASETS_PACKAGE, name)
    attributes = parse_attributes(added.node.name, parse_classes(added.file)) if added else {}
    task = performance.get("task") or attributes.get("TASK")
    return next((dataset for dataset in BASE_DATASETS if dataset.task == task), None)


def _find_audio_root(path: Path, dataset: Dataset) -> Path:
    """Return the folder that audio paths are relative to: that of the config, of the data, or of the results."""
    folders: list[Path] = []
    nearby = (folder / CONFIG_FILE for folder in path.resolve().parents)
    for config_file in (next(filter(Path.is_file, nearby), None), None):
        with suppress(SpecError):  # there may be no config, or none of the evalkit
            folders += audio_folders(dataset, DataConfig.read(config_file))
    return find_audio_root(path, [*folders, Path.cwd(), path.resolve().parent])


def _to_sample(origin: str, values: Mapping[str, Any]) -> ImportedSample:
    prediction = values["prediction"]
    row = {name: value for name, value in values.items() if name not in (*RESULT_COLUMNS, ID_COLUMN)}
    row["index"] = values.get(ID_COLUMN, values["index"])
    text = None if prediction is None or prediction == NULL_PREDICTION else str(prediction)
    prompt = str(values.get("real_prompt") or "")
    return text_sample(origin, row, text, SKIPPED_REASON, prompt="" if prompt == values.get("question") else prompt)


def export(run: Path, out: Path, notify: Notify) -> list[Path]:
    """Write the rows with their predictions (`null` for failures), and the metric values of each subset beside them."""
    text_run = TextRun.load(run, "kimi")
    name = f"{text_run.model_folder}_{text_run.dataset}"
    folder = out / text_run.model_folder / text_run.dataset
    rows = [_to_row(index, record, text_run.dataset) for index, record in number_records(text_run.records)]
    text_run.note_failures(notify, "are exported as `null`, which the evalkit's scorer excludes from a WER.")
    performance = build_performance(text_run, api.load_metrics(run))
    return [
        write_jsonl(folder / f"{name}.jsonl", rows),
        write_json(folder / f"{name}_auricle_performance.json", performance),
    ]


def _to_row(index: int, record: Record, dataset: str) -> dict[str, Any]:
    sample, audio_uris = record.sample, get_audio_uris(record)
    choices = sample.inputs.get("choices")
    sent_prompts = [output.prompt for output in record.outputs if isinstance(output, Generation)]
    return {
        "subset": dataset,
        **sample.meta,
        "index": index,
        **({ID_COLUMN: sample.id} if sample.id != str(index) else {}),
        "audio_path": audio_uris[0] if len(audio_uris) == 1 else audio_uris,
        "question": get_question(record),
        "answer": sample.meta.get(ANSWER_FIELD, "" if sample.target is None else sample.target),
        **({"choices": list(choices)} if isinstance(choices, (list, tuple)) and choices else {}),
        "prediction": NULL_PREDICTION if record.error else get_text(record),
        "real_prompt": "" if record.error else "".join(sent_prompts) or get_question(record),
    }


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
