"""From an AISBench dataset config to a task file: prompt, examples, inferencer, metrics, data."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from auricle.core.errors import SpecError
from auricle.core.types import Rejected
from auricle.data.huggingface import PREFIX
from auricle.data.manifest import COLUMNS
from auricle.data.rows import READERS, Row, rows
from auricle.interop.aisbench.config_reader import Symbol, datasets
from auricle.interop.aisbench.templates import Templates

OPTION_READERS = (
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
MODES = {"every": "every", "last": "last", "every_with_gt": "gold"}
TOPK_MODEL = "sentence-transformers/all-mpnet-base-v2"
TEXT = "tag:yaml.org,2002:str"
LABELS = "labels"
"""The inferencer that asks about each label's own prompt."""


@dataclass
class Draft:
    """A task file in the making, and what a reader must know of it."""

    source: Path
    config: Mapping[str, Any]
    base: Path
    """The folder that the task file's paths are taken from."""
    task: dict[str, Any] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    @property
    def reader(self) -> Mapping[str, Any]:
        return self._part(self.config, "reader_cfg")

    @property
    def infer(self) -> Mapping[str, Any]:
        return self._part(self.config, "infer_cfg")

    @property
    def output(self) -> str:
        return str(self.reader.get("output_column") or "")

    def _part(self, holder: Mapping[str, Any], name: str) -> Mapping[str, Any]:
        value = holder.get(name) or {}
        if not isinstance(value, Mapping):
            raise SpecError(f"{self.source}: {name} should be a dict, not {value!r}.")
        return value

    def made(self) -> Draft:
        """The task, in the order a reader wants it."""
        self.task["kind"] = "qa"
        self._data()
        inferencer = self._part(self.infer, "inferencer")
        if self._is_conversation(inferencer):
            return self
        prompts = Templates(self.source, self.infer, self.output)
        if str(inferencer.get("type")) == "PPLInferencer":
            self._labels(inferencer, prompts)
        else:
            self.task["prompt"] = prompts.prompt()
            self.notes += prompts.notes
            self._shots()
            self._inferencer(inferencer)
            self._scoring()
        return self

    # --- rows ---------------------------------------------------------------------------

    def _data(self) -> None:
        abbr = self.config.get("abbr") or "task"
        self.task["name"] = str(abbr)
        self.task["data"] = self._test_file()
        if self.output and self.output not in ("answer", "target"):
            self.task["target"] = self.output
        span = self.reader.get("test_range")
        if span is not None:
            self._rows(span)
        kind = self.config.get("type")
        if kind is not None:
            self.notes.append(
                f"{kind} may change rows as it reads them; here they are taken as they stand in "
                "the data. `auricle preview` shows what is asked."
            )

    def _rows(self, span: Any) -> None:
        if isinstance(span, str) and re.fullmatch(r"\[\d*:\d*\]", span):
            self.task["rows"] = span
        elif isinstance(span, int) and span > 0:
            self.task["rows"] = f"[:{span}]"
            self.notes.append(
                f"test_range={span} draws rows at random there; here the first are taken."
            )
        else:
            self.notes.append(f"test_range={span!r} is left out: rows are [from:to] here.")

    def _test_file(self) -> str:
        """Where rows are: a file, or a dataset's name."""
        given, split = str(self.config.get("path") or ""), self._split("test")
        if not given:
            raise SpecError(f"{self.source}: the dataset has no path; write one.")
        if found := self._file(split):
            return found
        if Path(given).suffix.lower() in READERS:
            self.notes.append(f"There is no file {given} yet; put it there, or change `data`.")
            return given
        self.notes.append(
            f"No {split} file was found for the path {given!r}; it is taken for a dataset of the "
            "Hugging Face hub. Change `data` to a JSONL, CSV or Parquet file if it is none."
        )
        self.task["split"] = split
        return f"{PREFIX}{given}"

    def _split(self, which: str) -> str:
        return str(self.reader.get(f"{which}_split") or which)

    def _file(self, split: str) -> str:
        """The file the path names, or that of a split in the folder it names; empty for neither."""
        given = str(self.config.get("path") or "")
        places = (self.source.parent / given, Path(given))
        found = next((each for each in places if each.exists()), None)
        if found is not None and found.is_dir():
            files = (found / f"{split}{suffix}" for suffix in READERS)
            found = next((each for each in files if each.is_file()), None)
        return os.path.relpath(found.resolve(), self.base.resolve()) if found else ""

    # --- how it is asked -----------------------------------------------------------------

    def _is_conversation(self, inferencer: Mapping[str, Any]) -> bool:
        if str(inferencer.get("type")) != "MultiTurnGenInferencer":
            return False
        mode = str(inferencer.get("infer_mode", "every"))
        if mode not in MODES:
            raise SpecError(f"{self.source}: infer_mode should be one of {', '.join(MODES)}.")
        self.task["kind"] = "chat"
        self.task["mode"] = MODES[mode]
        self.task.pop("target", None)
        self._limits(inferencer)
        self.notes.append(
            "What is said stands in the rows of a conversation; the template is left out."
        )
        return True

    def _inferencer(self, inferencer: Mapping[str, Any]) -> None:
        kind = inferencer.get("type", "GenInferencer")
        self._limits(inferencer)
        if str(kind) == "GenInferencer":
            return
        module = kind.module if isinstance(kind, Symbol) else ""
        self.task["inferencer"] = f"aisbench:{module}:{kind}"
        if not module or module.startswith("ais_bench."):
            self.task["inferencer"] = f"aisbench:{_snake(str(kind))}.py:{kind}"
            self.notes.append(
                f"{kind} runs as it is; write the file it stands in after `aisbench:`."
            )

    def _limits(self, inferencer: Mapping[str, Any]) -> None:
        if isinstance(most := inferencer.get("max_out_len"), int):
            self.task["max_tokens"] = most
        if stops := inferencer.get("stopping_criteria"):
            self.task["stop"] = list(stops)
        if "batch_size" in inferencer:
            self.notes.append(
                "batch_size is how a run is done: give -j N (an API) or --batch-size N."
            )

    def _labels(self, inferencer: Mapping[str, Any], prompts: Templates) -> None:
        """Each label's own prompt, compared as a whole: the rule of AISBench's PPLInferencer."""
        found = prompts.by_label(inferencer.get("labels"))
        self.task["inferencer"] = {"use": LABELS, "templates": found}
        self.task["metrics"] = ["acc_whole"]
        if self._retriever()[0] != "ZeroRetriever":
            self.notes.append("Examples are left out: prompts of labels have none here.")

    # --- examples --------------------------------------------------------------------------

    def _retriever(self) -> tuple[str, Mapping[str, Any]]:
        given = self._part(self.infer, "retriever")
        return str(given.get("type", "ZeroRetriever")), given

    def _shots(self) -> None:
        kind, given = self._retriever()
        shots = _shots(kind, given)
        if shots is None:
            self.notes.append(f"{kind} is not known here; see `auricle list retrievers`.")
        if not shots:
            return
        pool = self._file(self._split("train"))
        if pool and (pool != self.task["data"] or "rows" in self.task):
            shots["pool"] = pool  # all rows of it, whichever are asked about
        if "ids" in shots:
            shots["ids"] = self._ids(pool, shots["ids"])
        self.task["shots"] = shots

    def _ids(self, pool: str, places: Sequence[int]) -> list[Any]:
        """The ids of rows that are named by their places."""
        if not pool:
            self.notes.append("`ids` are rows counted from 0, unless rows have ids of their own.")
            return list(places)
        known = [_id(at, row) for at, row in enumerate(rows(self.base / pool))]
        if wrong := [place for place in places if not 0 <= place < len(known)]:
            raise SpecError(
                f"{self.source}: fix_id_list has {wrong[0]}; {pool} has {len(known)} rows."
            )
        return [known[place] for place in places]

    # --- how it is scored ---------------------------------------------------------------------

    def _scoring(self) -> None:
        given = self._part(self.config, "eval_cfg")
        reading = self._part(given, "pred_postprocessor").get("type")
        evaluator = self._part(given, "evaluator").get("type")
        if str(reading) in OPTION_READERS:
            self.task.update(kind="mcq", metrics=["option_accuracy"])
            return
        if evaluator is not None and str(evaluator) in METRICS:
            self.task["metrics"] = [METRICS[str(evaluator)]]
        elif evaluator is not None:
            self.notes.append(f"{evaluator} is not known here; exact_match and contains are told.")
        for name in ("pred_postprocessor", "dataset_postprocessor", "model_postprocessor"):
            if kind := self._part(given, name).get("type"):
                self.notes.append(f"{name} {kind} is left out; metrics read answers themselves.")


def _id(place: int, row: Row | Rejected) -> Any:
    values = row.values if isinstance(row, Row) else {}
    return next((values[name] for name in COLUMNS["id"] if name in values), place)


def _shots(kind: str, given: Mapping[str, Any]) -> dict[str, Any] | None:
    """Examples as a task file says them; empty for none, None where the retriever is not known."""
    number = given.get("ice_num", 1)
    encoder = f"text:{given.get('sentence_transformers_model_name', TOPK_MODEL)}"
    known: dict[str, dict[str, Any]] = {
        "ZeroRetriever": {},
        "FixKRetriever": {"use": "fixed", "ids": list(given.get("fix_id_list", ()))},
        "RandomRetriever": {"use": "random", "k": number, "seed": given.get("seed", 43)},
        "TopkRetriever": {"use": "dense", "k": number, "encoder": encoder},
        "BM25Retriever": {"use": "bm25", "k": number},
        "SlidingWindowRetriever": {"use": "sliding", "k": given.get("k", number)},
    }
    return known.get(kind)


def _snake(name: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


def tasks_of(source: Path, base: Path) -> list[Draft]:
    """The tasks of a config, for task files in the folder `base`."""
    return [Draft(source, each, base).made() for each in datasets(source)]


def written(draft: Draft) -> str:
    """A draft as a task file, with its notes above it."""
    import yaml

    class Dumper(yaml.SafeDumper):
        """Long texts as they are read: line by line."""

    Dumper.add_representer(
        str,
        lambda dumper, text: dumper.represent_scalar(
            TEXT, text, style="|" if "\n" in text else None
        ),
    )
    head = [f"# From {draft.source.name}, an AISBench config.", *(f"# {n}" for n in draft.notes)]
    task = {"kind": draft.task["kind"], **draft.task}
    body = yaml.dump(task, Dumper=Dumper, sort_keys=False, allow_unicode=True, width=100)
    return "\n".join(head) + "\n" + body


def chosen(drafts: Sequence[Draft], only: str | None, source: Path) -> list[Draft]:
    """Those that are wanted, by name."""
    if only is None:
        return list(drafts)
    found = [each for each in drafts if each.task["name"] == only]
    if not found:
        names = ", ".join(each.task["name"] for each in drafts)
        raise SpecError(f"{source} has no dataset {only!r}; it has {names}.")
    return found
