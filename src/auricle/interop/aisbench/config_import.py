"""From an AISBench dataset config to a task file: prompt, examples, inferencer, metrics, data."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from auricle.core.errors import SpecError
from auricle.core.types import RejectedRow
from auricle.data.huggingface import HF_PREFIX
from auricle.data.manifest import COLUMN_ALIASES
from auricle.data.row_files import READERS, Row, read_rows
from auricle.interop.aisbench.config_reader import Symbol, find_datasets
from auricle.interop.aisbench.templates import TemplateConverter

OPTION_POSTPROCESSORS = (
    "first-capital", "first_capital_postprocess", "last-capital", "last_capital_postprocess",
    "first_option_postprocess", "last_option_postprocess",
)  # fmt: skip
"""Postprocessors that look for the letter of an option."""
METRICS = {
    "AccEvaluator": "exact_match",
    "AccwithDetailsEvaluator": "exact_match",
    "EMEvaluator": "exact_match",
    "BleuEvaluator": "bleu",
}
CONVERSATION_MODES = {"every": "every", "last": "last", "every_with_gt": "gold"}
DEFAULT_TOPK_ENCODER = "sentence-transformers/all-mpnet-base-v2"
YAML_STRING_TAG = "tag:yaml.org,2002:str"
LABEL_INFERENCER = "labels"
"""The inferencer that asks about each label's own prompt."""


@dataclass
class TaskDraft:
    """A task file in the making, and what a reader must know of it."""

    source: Path
    config: Mapping[str, Any]
    output_folder: Path
    """The folder that the task file's paths are taken from."""
    task: dict[str, Any] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    @property
    def reader_config(self) -> Mapping[str, Any]:
        return self._get_section(self.config, "reader_cfg")

    @property
    def infer_config(self) -> Mapping[str, Any]:
        return self._get_section(self.config, "infer_cfg")

    @property
    def output_column(self) -> str:
        return str(self.reader_config.get("output_column") or "")

    def _get_section(self, config: Mapping[str, Any], name: str) -> Mapping[str, Any]:
        value = config.get(name) or {}
        if not isinstance(value, Mapping):
            raise SpecError(f"{self.source}: {name} should be a dict, not {value!r}.")
        return value

    def build(self) -> TaskDraft:
        """The task, in the order a reader wants it."""
        self.task["kind"] = "qa"
        self._add_data()
        inferencer = self._get_section(self.infer_config, "inferencer")
        if self._add_conversation(inferencer):
            return self
        prompts = TemplateConverter(self.source, self.infer_config, self.output_column)
        if str(inferencer.get("type")) == "PPLInferencer":
            self._add_label_prompts(inferencer, prompts)
        else:
            self.task["prompt"] = prompts.convert_prompt()
            self.notes += prompts.notes
            self._add_shots()
            self._add_inferencer(inferencer)
            self._add_metrics()
        return self

    # --- rows ---------------------------------------------------------------------------

    def _add_data(self) -> None:
        abbr = self.config.get("abbr") or "task"
        self.task["name"] = str(abbr)
        self.task["data"] = self._find_test_data()
        if self.output_column and self.output_column not in ("answer", "target"):
            self.task["target"] = self.output_column
        span = self.reader_config.get("test_range")
        if span is not None:
            self._add_rows(span)
        kind = self.config.get("type")
        if kind is not None:
            self.notes.append(
                f"{kind} may change rows as it reads them; here they are taken as they stand in "
                "the data. `auricle preview` shows what is asked."
            )

    def _add_rows(self, span: Any) -> None:
        if isinstance(span, str) and re.fullmatch(r"\[\d*:\d*\]", span):
            self.task["rows"] = span
        elif isinstance(span, int) and span > 0:
            self.task["rows"] = f"[:{span}]"
            self.notes.append(f"test_range={span} draws rows at random there; here the first are taken.")
        else:
            self.notes.append(f"test_range={span!r} is left out: rows are [from:to] here.")

    def _find_test_data(self) -> str:
        """Where rows are: a file, or a dataset's name."""
        given, split = str(self.config.get("path") or ""), self._split_name("test")
        if not given:
            raise SpecError(f"{self.source}: the dataset has no path; write one.")
        if found := self._find_split_file(split):
            return found
        if Path(given).suffix.lower() in READERS:
            self.notes.append(f"There is no file {given} yet; put it there, or change `data`.")
            return given
        self.notes.append(
            f"No {split} file was found for the path {given!r}; it is taken for a dataset of the "
            "Hugging Face hub. Change `data` to a JSONL, CSV or Parquet file if it is none."
        )
        self.task["split"] = split
        return f"{HF_PREFIX}{given}"

    def _split_name(self, purpose: str) -> str:
        return str(self.reader_config.get(f"{purpose}_split") or purpose)

    def _find_split_file(self, split: str) -> str:
        """The file the path names, or that of a split in the folder it names; empty for neither."""
        given = str(self.config.get("path") or "")
        places = (self.source.parent / given, Path(given))
        found = next((each for each in places if each.exists()), None)
        if found is not None and found.is_dir():
            files = (found / f"{split}{suffix}" for suffix in READERS)
            found = next((each for each in files if each.is_file()), None)
        return os.path.relpath(found.resolve(), self.output_folder.resolve()) if found else ""

    # --- how it is asked -----------------------------------------------------------------

    def _add_conversation(self, inferencer: Mapping[str, Any]) -> bool:
        if str(inferencer.get("type")) != "MultiTurnGenInferencer":
            return False
        mode = str(inferencer.get("infer_mode", "every"))
        if mode not in CONVERSATION_MODES:
            raise SpecError(f"{self.source}: infer_mode should be one of {', '.join(CONVERSATION_MODES)}.")
        self.task["kind"] = "chat"
        self.task["mode"] = CONVERSATION_MODES[mode]
        self.task.pop("target", None)
        self._add_limits(inferencer)
        self.notes.append("What is said stands in the rows of a conversation; the template is left out.")
        return True

    def _add_inferencer(self, inferencer: Mapping[str, Any]) -> None:
        kind = inferencer.get("type", "GenInferencer")
        self._add_limits(inferencer)
        if str(kind) == "GenInferencer":
            return
        module = kind.module if isinstance(kind, Symbol) else ""
        self.task["inferencer"] = f"aisbench:{module}:{kind}"
        if not module or module.startswith("ais_bench."):
            self.task["inferencer"] = f"aisbench:{_to_snake_case(str(kind))}.py:{kind}"
            self.notes.append(f"{kind} runs as it is; write the file it stands in after `aisbench:`.")

    def _add_limits(self, inferencer: Mapping[str, Any]) -> None:
        if isinstance(most := inferencer.get("max_out_len"), int):
            self.task["max_tokens"] = most
        if stops := inferencer.get("stopping_criteria"):
            self.task["stop"] = list(stops)
        if "batch_size" in inferencer:
            self.notes.append("batch_size is how a run is done: give -j N (an API) or --batch-size N.")

    def _add_label_prompts(self, inferencer: Mapping[str, Any], prompts: TemplateConverter) -> None:
        """Each label's own prompt, compared as a whole: the rule of AISBench's PPLInferencer."""
        found = prompts.convert_by_label(inferencer.get("labels"))
        self.task["inferencer"] = {"use": LABEL_INFERENCER, "templates": found}
        self.task["metrics"] = ["acc_whole"]
        if self._get_retriever()[0] != "ZeroRetriever":
            self.notes.append("Examples are left out: prompts of labels have none here.")

    # --- examples --------------------------------------------------------------------------

    def _get_retriever(self) -> tuple[str, Mapping[str, Any]]:
        given = self._get_section(self.infer_config, "retriever")
        return str(given.get("type", "ZeroRetriever")), given

    def _add_shots(self) -> None:
        kind, given = self._get_retriever()
        shots = _translate_retriever(kind, given)
        if shots is None:
            self.notes.append(f"{kind} is not known here; see `auricle list retrievers`.")
        if not shots:
            return
        pool = self._find_split_file(self._split_name("train"))
        if pool and (pool != self.task["data"] or "rows" in self.task):
            shots["pool"] = pool  # all rows of it, whichever are asked about
        if "ids" in shots:
            shots["ids"] = self._resolve_ids(pool, shots["ids"])
        self.task["shots"] = shots

    def _resolve_ids(self, pool: str, indices: Sequence[int]) -> list[Any]:
        """The ids of rows that are named by their places."""
        if not pool:
            self.notes.append("`ids` are rows counted from 0, unless rows have ids of their own.")
            return list(indices)
        known = [_row_id(at, row) for at, row in enumerate(read_rows(self.output_folder / pool))]
        if wrong := [place for place in indices if not 0 <= place < len(known)]:
            raise SpecError(f"{self.source}: fix_id_list has {wrong[0]}; {pool} has {len(known)} rows.")
        return [known[place] for place in indices]

    # --- how it is scored ---------------------------------------------------------------------

    def _add_metrics(self) -> None:
        given = self._get_section(self.config, "eval_cfg")
        reading = self._get_section(given, "pred_postprocessor").get("type")
        evaluator = self._get_section(given, "evaluator").get("type")
        if str(reading) in OPTION_POSTPROCESSORS:
            self.task.update(kind="mcq", metrics=["option_accuracy"])
            return
        if evaluator is not None and str(evaluator) in METRICS:
            self.task["metrics"] = [METRICS[str(evaluator)]]
        elif evaluator is not None:
            self.notes.append(f"{evaluator} is not known here; exact_match and contains are told.")
        for name in ("pred_postprocessor", "dataset_postprocessor", "model_postprocessor"):
            if kind := self._get_section(given, name).get("type"):
                self.notes.append(f"{name} {kind} is left out; metrics read answers themselves.")


def _row_id(index: int, row: Row | RejectedRow) -> Any:
    values = row.values if isinstance(row, Row) else {}
    return next((values[name] for name in COLUMN_ALIASES["id"] if name in values), index)


def _translate_retriever(kind: str, options: Mapping[str, Any]) -> dict[str, Any] | None:
    """Examples as a task file says them; empty for none, None where the retriever is not known."""
    number = options.get("ice_num", 1)
    encoder = f"text:{options.get('sentence_transformers_model_name', DEFAULT_TOPK_ENCODER)}"
    known: dict[str, dict[str, Any]] = {
        "ZeroRetriever": {},
        "FixKRetriever": {"use": "fixed", "ids": list(options.get("fix_id_list", ()))},
        "RandomRetriever": {"use": "random", "k": number, "seed": options.get("seed", 43)},
        "TopkRetriever": {"use": "dense", "k": number, "encoder": encoder},
        "BM25Retriever": {"use": "bm25", "k": number},
        "SlidingWindowRetriever": {"use": "sliding", "k": options.get("k", number)},
    }
    return known.get(kind)


def _to_snake_case(name: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


def draft_tasks(source: Path, output_folder: Path) -> list[TaskDraft]:
    """The tasks of a config, for task files in the folder `base`."""
    return [TaskDraft(source, each, output_folder).build() for each in find_datasets(source)]


def render_task_file(draft: TaskDraft) -> str:
    """A draft as a task file, with its notes above it."""
    import yaml

    class Dumper(yaml.SafeDumper):
        """Long texts as they are read: line by line."""

    Dumper.add_representer(
        str, lambda dumper, text: dumper.represent_scalar(YAML_STRING_TAG, text, style="|" if "\n" in text else None)
    )
    head = [f"# From {draft.source.name}, an AISBench config.", *(f"# {n}" for n in draft.notes)]
    task = {"kind": draft.task["kind"], **draft.task}
    body = yaml.dump(task, Dumper=Dumper, sort_keys=False, allow_unicode=True, width=100)
    return "\n".join(head) + "\n" + body


def select_drafts(drafts: Sequence[TaskDraft], name: str | None, source: Path) -> list[TaskDraft]:
    """Those that are wanted, by name."""
    if name is None:
        return list(drafts)
    found = [each for each in drafts if each.task["name"] == name]
    if not found:
        names = ", ".join(each.task["name"] for each in drafts)
        raise SpecError(f"{source} has no dataset {name!r}; it has {names}.")
    return found
