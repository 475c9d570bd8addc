"""Convert AISBench's dataset configs to task files."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from auricle.core.errors import SpecError
from auricle.data.file_formats import ROW_FORMATS, Row, list_suffixes, read_rows
from auricle.data.huggingface import HF_PREFIX
from auricle.data.manifest import COLUMN_ALIASES
from auricle.frameworks.aisbench.class_files import find_class_file
from auricle.frameworks.aisbench.config_expressions import Symbol
from auricle.frameworks.aisbench.config_reader import find_datasets
from auricle.frameworks.aisbench.config_templates import TemplateConverter
from auricle.frameworks.aisbench.evaluators import check_metric, list_metric_names
from auricle.frameworks.aisbench.model_config import draft_models
from auricle.frameworks.exchange.task_drafts import TaskDraft

UNSUPPORTED_INFERENCERS = {"BFCLV3FunctionCallInferencer": "calls functions", "LMMGenInferencer": "makes images"}
"""AISBench's own inferencers that a task file cannot replace, and what they do."""
INFERENCER_FIELDS = ("type", "max_out_len", "batch_size", "stopping_criteria")
"""Fields of an inferencer that are not arguments of its class."""
POSTPROCESSOR_SECTIONS = {"pred": "pred_postprocessor", "gold": "dataset_postprocessor", "model": "model_postprocessor"}
"""Options of an evaluator's metric, and the sections of a config with the post-processors."""
CONVERSATION_MODES = {"every": "every", "last": "last", "every_with_gt": "gold"}
DEFAULT_TOPK_ENCODER = "sentence-transformers/all-mpnet-base-v2"

VOCAL_SOUND_QUESTION = (
    "Which of these sounds do you hear? A: laughter, B: sigh, C: cough, D: throat clearing, E: sneeze, F: sniff. "
    "Answer with the letter of the best match."
)
LABEL_INFERENCER = "labels"
"""Inferencer that compares one prompt per label."""


@dataclass
class AisbenchTaskDraft(TaskDraft):
    """A task file converted from a dataset config of AISBench."""

    source: Path
    config: Mapping[str, Any]

    @property
    def reader_config(self) -> Mapping[str, Any]:
        return self._get_section(self.config, "reader_cfg")

    @property
    def infer_config(self) -> Mapping[str, Any]:
        return self._get_section(self.config, "infer_cfg")

    def _get_section(self, config: Mapping[str, Any], name: str) -> Mapping[str, Any]:
        value = config.get(name) or {}
        if not isinstance(value, Mapping):
            raise SpecError(f"{self.source}: {name} should be a dict, not {value!r}.")
        return value

    def build(self) -> AisbenchTaskDraft:
        """Fill in the fields of the task file, in the usual order."""
        self.task["kind"] = "qa"
        output_column = str(self.reader_config.get("output_column") or "")
        inferencer = self._get_section(self.infer_config, "inferencer")
        if purpose := UNSUPPORTED_INFERENCERS.get(str(inferencer.get("type"))):
            raise SpecError(f"{self.source}: {inferencer['type']} {purpose}, which Auricle does not evaluate.")
        self._add_data(output_column)
        if self._add_conversation(inferencer):
            return self
        prompts = TemplateConverter(self.source, self.infer_config, output_column)
        if str(inferencer.get("type")) == "PPLInferencer":
            # One prompt per label, compared as a whole, as AISBench's PPLInferencer does.
            templates = prompts.convert_by_label(inferencer.get("labels"))
            self.task["inferencer"] = {"use": LABEL_INFERENCER, "templates": templates}
            self.task["metrics"] = ["acc_whole"]
            self._add_shots()
        else:
            self.task["prompt"] = prompts.convert_prompt()
            self.notes += prompts.notes
            self._add_shots()
            self._add_inferencer(inferencer)
            self._add_metrics()
        return self

    def _add_data(self, output_column: str) -> None:
        self.task["name"] = str(self.config.get("abbr") or "task")
        self.task["data"] = self._find_test_data()
        if output_column not in ("", "answer", "target"):
            self.task["target"] = output_column
        if (span := self.reader_config.get("test_range")) is not None:
            self._add_rows(span)
        if (kind := self.config.get("type")) is not None and not self.rows:
            self.notes.append(
                f"{kind} may change rows when it reads them; Auricle uses the rows of the data unchanged. "
                "Check the prompts with `auricle preview`."
            )

    def _add_rows(self, span: Any) -> None:
        if isinstance(span, str) and re.fullmatch(r"\[\d*:\d*\]", span):
            self.task["rows"] = span
        elif isinstance(span, int) and span > 0:
            self.task["rows"] = f"[:{span}]"
            self.notes.append(f"test_range={span} draws random rows in AISBench; here the first rows are used.")
        else:
            self.notes.append(f"test_range={span!r} is ignored: write rows as [from:to].")

    def _find_test_data(self) -> str:
        """Return the file with the rows, or the name of a dataset."""
        path, split = str(self.config.get("path") or ""), self._split_name("test")
        if not path:
            file_name = f"{self.task['name']}.jsonl"
            self.notes.append(
                f"The config names no data: {self.config.get('type')} makes its own rows. "
                f"Write them to {file_name}, or change `data`."
            )
            return file_name
        if self._add_vocal_sounds():
            return f"{self.task['name']}.jsonl"
        if file := self._find_split_file(split):
            return file
        if Path(path).suffix.lower() in ROW_FORMATS:
            self.notes.append(f"There is no file {path} yet. Create it, or change `data`.")
            return path
        self.notes.append(
            f"No {split} file found for the path {path!r}, so it is assumed to be a dataset of the Hugging Face Hub. "
            "Otherwise change `data` to a JSONL, CSV or Parquet file."
        )
        self.task["split"] = split
        return f"{HF_PREFIX}{path}"

    def _split_name(self, purpose: str) -> str:
        return str(self.reader_config.get(f"{purpose}_split") or purpose)

    def _add_vocal_sounds(self) -> bool:
        """Make the rows of AISBench's VocalSoundDataset, which reads a folder; return whether there are any."""
        folder = self._find_path()
        if str(self.config.get("type")) != "VocalSoundDataset" or folder is None or not folder.is_dir():
            return False
        self.rows = [
            {
                "id": path.stem,
                "audio": os.path.relpath(path.resolve(), self.output_folder.resolve()),
                "question": VOCAL_SOUND_QUESTION,
                "answer": path.stem.rpartition("_")[2],  # as in `f0003_0_cough.wav`
            }
            for path in sorted(folder.glob("*.wav"))
        ]
        self.notes.append(f"The {len(self.rows)} rows of {folder} are written to {self.task['name']}.jsonl.")
        return bool(self.rows)

    def _find_path(self) -> Path | None:
        """Return the file or folder that the config names, if it exists."""
        path = str(self.config.get("path") or "")
        folders = self.source.resolve().parents  # AISBench's own paths are relative to the root of its repository
        candidates = (Path(path), *(folder / path for folder in folders))
        return next((candidate for candidate in candidates if candidate.exists()), None)

    def _find_split_file(self, split: str) -> str:
        """Return the file that the path names, or a split's file in the folder that it names, or ""."""
        file = self._find_path()
        if file is not None and file.is_dir():
            files = (file / f"{split}{suffix}" for suffix in list_suffixes())
            file = next((candidate for candidate in files if candidate.is_file()), None)
        return os.path.relpath(file.resolve(), self.output_folder.resolve()) if file else ""

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
        self.notes.append("Conversations come from the rows; the template is ignored.")
        if evaluator := self._get_section(self._get_section(self.config, "eval_cfg"), "evaluator").get("type"):
            self.task["metrics"] = ["empty"]
            self.notes.append(f"{evaluator} is not reproduced for conversations: only empty answers are counted.")
        return True

    def _add_inferencer(self, inferencer: Mapping[str, Any]) -> None:
        kind = inferencer.get("type", "GenInferencer")
        self._add_limits(inferencer)
        if str(kind) == "GenInferencer":
            return
        module = kind.module if isinstance(kind, Symbol) else ""
        location: Path | str = find_class_file(self.source, module, str(kind)) or module
        if not location or str(location).startswith("ais_bench."):
            location = re.sub(r"(?<!^)(?=[A-Z])", "_", str(kind)).lower() + ".py"
            self.notes.append(f"{kind} runs unchanged. Write the path of its file after `aisbench:`.")
        arguments = {name: value for name, value in inferencer.items() if name not in INFERENCER_FIELDS}
        name = f"aisbench:{location}:{kind}"
        self.task["inferencer"] = {"use": name, **arguments} if arguments else name

    def _add_limits(self, inferencer: Mapping[str, Any]) -> None:
        if isinstance(max_tokens := inferencer.get("max_out_len"), int):
            self.task["max_tokens"] = max_tokens
        if stops := inferencer.get("stopping_criteria"):
            self.task["stop"] = list(stops)
        if "batch_size" in inferencer:
            self.notes.append("batch_size is an option of the run: use -j N (API models) or --batch-size N.")

    def _add_shots(self) -> None:
        shots = self._translate_retriever()
        if not shots:
            return
        if shots["use"] == "random":
            self.notes.append("RandomRetriever draws its examples with another generator: they are not AISBench's.")
        pool = self._find_split_file(self._split_name("train"))
        if pool and (pool != self.task["data"] or "rows" in self.task):
            shots["pool"] = pool  # all of its rows, not only those evaluated
        if "ids" in shots:
            shots["ids"] = self._resolve_ids(pool, shots["ids"])
        self.task["shots"] = shots

    def _translate_retriever(self) -> dict[str, Any]:
        """Return the `shots` of a task file, or {} for no examples."""
        options = self._get_section(self.infer_config, "retriever")
        kind, count = str(options.get("type", "ZeroRetriever")), options.get("ice_num", 1)
        encoder = f"text:{options.get('sentence_transformers_model_name', DEFAULT_TOPK_ENCODER)}"
        retrievers: dict[str, dict[str, Any]] = {
            "ZeroRetriever": {},
            "FixKRetriever": {"use": "fixed", "ids": list(options.get("fix_id_list", ()))},
            "RandomRetriever": {"use": "random", "k": count, "seed": options.get("seed", 43)},
            "TopkRetriever": {"use": "dense", "k": count, "encoder": encoder},
            "BM25Retriever": {"use": "bm25", "k": count},
            "SlidingWindowRetriever": {"use": "sliding", "k": options.get("k", count)},
        }
        if kind not in retrievers:
            raise SpecError(
                f"{self.source}: the retriever {kind} has no equivalent. Supported: {', '.join(retrievers)}. "
                "See `auricle list retrievers` for others to use in the task file."
            )
        return retrievers[kind]

    def _resolve_ids(self, pool: str, indices: Sequence[int]) -> list[Any]:
        """Return the ids of rows given by index."""
        if not pool:
            self.notes.append("`ids` are row numbers from 0, unless the rows have ids.")
            return list(indices)
        rows = [row.values if isinstance(row, Row) else {} for row in read_rows(self.output_folder / pool)]
        ids = [
            next((row[name] for name in COLUMN_ALIASES["id"] if name in row), index) for index, row in enumerate(rows)
        ]
        if invalid := [index for index in indices if not 0 <= index < len(ids)]:
            raise SpecError(f"{self.source}: fix_id_list contains {invalid[0]}, but {pool} has {len(ids)} rows.")
        return [ids[index] for index in indices]

    def _add_metrics(self) -> None:
        """Add AISBench's evaluator; one that is not reproduced stays in the file and is rejected when the task runs."""
        eval_config = self._get_section(self.config, "eval_cfg")
        evaluator = self._get_section(eval_config, "evaluator")
        if not evaluator.get("type"):
            return
        options = {key: str(value) for key, value in evaluator.items() if key != "type"}
        for side, section in POSTPROCESSOR_SECTIONS.items():
            postprocessor = self._get_section(eval_config, section)
            for key, value in postprocessor.items():
                options[side if key == "type" else f"{side}.{key}"] = str(value)
        self.task["metrics"] = list_metric_names(str(evaluator["type"]), options)
        if problem := check_metric(self.task["metrics"][0]):
            self.notes.append(problem)


def draft_tasks(source: Path, output_folder: Path) -> list[TaskDraft]:
    """Convert the datasets of a config to task files for the folder `output_folder`, or its models to run configs."""
    if models := draft_models(source, output_folder):
        return models
    title = f"From {source.name}, an AISBench config."
    return [AisbenchTaskDraft(title, output_folder, source, config).build() for config in find_datasets(source)]
