"""Convert AISBench's dataset configs to task files."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from auricle.core.errors import SpecError
from auricle.data.file_formats import READERS, Row, read_rows
from auricle.data.huggingface import HF_PREFIX
from auricle.data.manifest import COLUMN_ALIASES
from auricle.interop.aisbench.adapters import ROLES_FROM_AISBENCH
from auricle.interop.aisbench.config_reader import Symbol, find_datasets
from auricle.interop.task_drafts import TaskDraft

OPTION_POSTPROCESSORS = (
    "first-capital", "first_capital_postprocess", "last-capital", "last_capital_postprocess",
    "first_option_postprocess", "last_option_postprocess",
)  # fmt: skip
"""Postprocessors that extract the letter of an option."""
METRICS = {
    **dict.fromkeys(("AccEvaluator", "AccwithDetailsEvaluator", "EMEvaluator"), "exact_match"),
    "BleuEvaluator": "bleu",
}
CONVERSATION_MODES = {"every": "every", "last": "last", "every_with_gt": "gold"}
DEFAULT_TOPK_ENCODER = "sentence-transformers/all-mpnet-base-v2"

LABEL_INFERENCER = "labels"
"""Inferencer that compares one prompt per label."""
MESSAGE_SECTIONS = {"begin", "round", "end"}
"""Keys of a template that consists of messages."""


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
        self._add_data(output_column)
        inferencer = self._get_section(self.infer_config, "inferencer")
        if self._add_conversation(inferencer):
            return self
        prompts = TemplateConverter(self.source, self.infer_config, output_column)
        if str(inferencer.get("type")) == "PPLInferencer":
            self._add_label_prompts(inferencer, prompts)
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
        if (kind := self.config.get("type")) is not None:
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
            raise SpecError(f"{self.source}: the dataset has no path. Add one.")
        if file := self._find_split_file(split):
            return file
        if Path(path).suffix.lower() in READERS:
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

    def _find_split_file(self, split: str) -> str:
        """Return the file that the path names, or a split's file in the folder that it names, or ""."""
        path = str(self.config.get("path") or "")
        candidates = (self.source.parent / path, Path(path))
        file = next((candidate for candidate in candidates if candidate.exists()), None)
        if file is not None and file.is_dir():
            files = (file / f"{split}{suffix}" for suffix in READERS)
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
        return True

    def _add_inferencer(self, inferencer: Mapping[str, Any]) -> None:
        kind = inferencer.get("type", "GenInferencer")
        self._add_limits(inferencer)
        if str(kind) == "GenInferencer":
            return
        module = kind.module if isinstance(kind, Symbol) else ""
        self.task["inferencer"] = f"aisbench:{module}:{kind}"
        if not module or module.startswith("ais_bench."):
            file_name = re.sub(r"(?<!^)(?=[A-Z])", "_", str(kind)).lower()
            self.task["inferencer"] = f"aisbench:{file_name}.py:{kind}"
            self.notes.append(f"{kind} runs unchanged. Write the path of its file after `aisbench:`.")

    def _add_limits(self, inferencer: Mapping[str, Any]) -> None:
        if isinstance(max_tokens := inferencer.get("max_out_len"), int):
            self.task["max_tokens"] = max_tokens
        if stops := inferencer.get("stopping_criteria"):
            self.task["stop"] = list(stops)
        if "batch_size" in inferencer:
            self.notes.append("batch_size is an option of the run: use -j N (API models) or --batch-size N.")

    def _add_label_prompts(self, inferencer: Mapping[str, Any], prompts: TemplateConverter) -> None:
        """Add one prompt per label, compared as a whole, as AISBench's PPLInferencer does."""
        templates = prompts.convert_by_label(inferencer.get("labels"))
        self.task["inferencer"] = {"use": LABEL_INFERENCER, "templates": templates}
        self.task["metrics"] = ["acc_whole"]
        if self._get_retriever()[0] != "ZeroRetriever":
            self.notes.append("Examples are ignored: prompts of labels have none.")

    def _get_retriever(self) -> tuple[str, Mapping[str, Any]]:
        retriever = self._get_section(self.infer_config, "retriever")
        return str(retriever.get("type", "ZeroRetriever")), retriever

    def _add_shots(self) -> None:
        kind, options = self._get_retriever()
        shots = _translate_retriever(kind, options)
        if shots is None:
            self.notes.append(f"{kind} has no equivalent; see `auricle list retrievers`.")
        if not shots:
            return
        pool = self._find_split_file(self._split_name("train"))
        if pool and (pool != self.task["data"] or "rows" in self.task):
            shots["pool"] = pool  # all of its rows, not only those evaluated
        if "ids" in shots:
            shots["ids"] = self._resolve_ids(pool, shots["ids"])
        self.task["shots"] = shots

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
        eval_config = self._get_section(self.config, "eval_cfg")
        postprocessor = self._get_section(eval_config, "pred_postprocessor").get("type")
        evaluator = self._get_section(eval_config, "evaluator").get("type")
        if str(postprocessor) in OPTION_POSTPROCESSORS:
            self.task.update(kind="mcq", metrics=["option_accuracy"])
            return
        if evaluator is not None and str(evaluator) in METRICS:
            self.task["metrics"] = [METRICS[str(evaluator)]]
        elif evaluator is not None:
            self.notes.append(f"{evaluator} has no equivalent; exact_match and contains are used.")
        for name in ("pred_postprocessor", "dataset_postprocessor", "model_postprocessor"):
            if kind := self._get_section(eval_config, name).get("type"):
                self.notes.append(f"{name} {kind} is ignored; metrics parse answers themselves.")


def _translate_retriever(kind: str, options: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the `shots` of a task file: {} for no examples, None for an unknown retriever."""
    count = options.get("ice_num", 1)
    encoder = f"text:{options.get('sentence_transformers_model_name', DEFAULT_TOPK_ENCODER)}"
    retrievers: dict[str, dict[str, Any]] = {
        "ZeroRetriever": {},
        "FixKRetriever": {"use": "fixed", "ids": list(options.get("fix_id_list", ()))},
        "RandomRetriever": {"use": "random", "k": count, "seed": options.get("seed", 43)},
        "TopkRetriever": {"use": "dense", "k": count, "encoder": encoder},
        "BM25Retriever": {"use": "bm25", "k": count},
        "SlidingWindowRetriever": {"use": "sliding", "k": options.get("k", count)},
    }
    return retrievers.get(kind)


def draft_tasks(source: Path, output_folder: Path) -> list[TaskDraft]:
    """Convert the datasets of a config to task files for the folder `output_folder`."""
    title = f"From {source.name}, an AISBench config."
    return [AisbenchTaskDraft(title, output_folder, source, config).build() for config in find_datasets(source)]


class TemplateConverter:
    """Converts the templates of one config."""

    def __init__(self, source: Path, infer_config: Mapping[str, Any], output_column: str) -> None:
        self._source, self._output_column = source, output_column
        self.notes: list[str] = []
        self._example_template = infer_config.get("ice_template")
        prompt_template = infer_config.get("prompt_template") or self._example_template
        if not isinstance(prompt_template, Mapping) or "template" not in prompt_template:
            raise SpecError(f"{source}: infer_cfg has no template.")
        self._template = prompt_template["template"]
        self._example_token = str(prompt_template.get("ice_token") or "")
        self._has_examples = str((infer_config.get("retriever") or {}).get("type", "ZeroRetriever")) != "ZeroRetriever"

    def convert_prompt(self) -> Any:
        template = self._template
        if isinstance(template, str):
            return self._convert_text(template)
        if not isinstance(template, Mapping) or not {*template} <= MESSAGE_SECTIONS:
            raise SpecError(
                f"{self._source}: a template per label needs PPLInferencer; "
                "GenInferencer needs a text or {begin, round, end}."
            )
        return self._convert_messages(template)

    def _convert_text(self, template: str) -> Any:
        """Convert a text template; examples replace its ice_token."""
        prompt = self._replace_answer(template, "")
        if not self._example_token:
            return prompt
        if not self._has_examples:
            return prompt.replace(self._example_token, "")
        example_section = self._example_template
        example_template = example_section["template"] if isinstance(example_section, Mapping) else self._template
        if not isinstance(example_template, str):
            raise SpecError(f"{self._source}: ice_template should be a text, like the prompt.")
        return {
            "turns": prompt.replace(self._example_token, "{examples}", 1).replace(self._example_token, ""),
            "examples": self._replace_answer(example_template.replace(self._example_token, ""), "{target}"),
            "separator": "\n",
        }

    def _convert_messages(self, template: Mapping[str, Any]) -> Any:
        begin = self._merge_messages(template.get("begin") or [])
        turns = [dict(message) for message in begin]
        for message in self._merge_messages(template.get("round") or []):
            _append_message(turns, *next(iter(message.items())))
        if turns and "assistant" in turns[-1]:
            turns.pop()  # the model's answer
        system = "\n".join(turn["system"] for turn in turns if "system" in turn)
        turns = [
            {role: self._replace_answer(text, "") for role, text in turn.items()}
            for turn in turns
            if "system" not in turn
        ]
        prompt: dict[str, Any] = {"system": self._replace_answer(system, "")} if system else {}
        if self._has_examples and isinstance(self._example_template, Mapping):
            prompt["examples"] = self._convert_examples(self._example_template["template"])
            if any("system" not in message for message in begin):
                self.notes.append("The messages of `begin` come after the examples here.")
        if template.get("end"):
            self.notes.append("The template's `end` is ignored: nothing follows an answer.")
        is_plain = len(turns) == 1 and not prompt
        return turns[0]["user"] if is_plain and "user" in turns[0] else {**prompt, "turns": turns}

    def _convert_examples(self, template: Any) -> list[dict[str, str]]:
        if not isinstance(template, Mapping):
            raise SpecError(f"{self._source}: ice_template should be messages, like the prompt.")
        messages = self._merge_messages(template.get("round") or [])
        return [
            {role: self._replace_answer(text, "{target}") for role, text in message.items()} for message in messages
        ]

    def _merge_messages(self, items: Any) -> list[dict[str, str]]:
        messages = items if isinstance(items, list) else [items]
        merged: list[dict[str, str]] = []
        for message in messages:
            if isinstance(message, Mapping) and message.get("role") in ROLES_FROM_AISBENCH:
                _append_message(merged, ROLES_FROM_AISBENCH[message["role"]], _message_text(message))
            elif isinstance(message, str) and message.strip() in ("", self._example_token):
                continue
            else:
                raise SpecError(
                    f"{self._source}: a message should have a role "
                    f"({', '.join(list(ROLES_FROM_AISBENCH)[:3])}) and a prompt, not {message!r}."
                )
        return merged

    def convert_by_label(self, labels: Any) -> dict[str, Any]:
        """Return one prompt per label, each including its answer."""
        if isinstance(self._template, Mapping) and not {*self._template} <= MESSAGE_SECTIONS:
            return {str(label): self._convert_labelled(template) for label, template in self._template.items()}
        if not labels:
            raise SpecError(
                f"{self._source}: PPLInferencer would read its labels from the data. "
                "List them as labels=[…], or write a template per label."
            )
        return {str(label): self._convert_labelled(self._template, str(label)) for label in labels}

    def _convert_labelled(self, template: Any, label: str | None = None) -> Any:
        """Convert a template with a label's answer to a text or messages."""
        if isinstance(template, str):
            text = template.replace(self._example_token, "") if self._example_token else template
            return text if label is None else self._replace_answer(text, label)
        if not isinstance(template, Mapping):
            raise SpecError(f"{self._source}: a template should be a text or messages.")
        messages = [
            message for part in ("begin", "round") for message in self._merge_messages(template.get(part) or [])
        ]
        if label is None:
            return messages
        return [{role: self._replace_answer(text, label) for role, text in message.items()} for message in messages]

    def _replace_answer(self, text: str, replacement: str) -> str:
        """Replace the answer's column: by nothing in prompts, as AISBench does when it generates."""
        return text.replace(f"{{{self._output_column}}}", replacement) if self._output_column else text


def _append_message(messages: list[dict[str, str]], role: str, text: str) -> None:
    """Append a message; consecutive messages of one role are merged, as in AISBench."""
    if messages and role in messages[-1]:
        messages[-1] = {role: f"{messages[-1][role]}\n{text}"}
    else:
        messages.append({role: text})


def _message_text(message: Mapping[str, Any]) -> str:
    """Return the text of a message, preceded by the fields of its media."""
    parts = message.get("prompt_mm")
    if not isinstance(parts, Mapping):
        return str(message.get("prompt", ""))
    text, media = "", ""
    for part in parts.values():
        kind = str(part.get("type", "text"))
        content = part.get(kind, "")
        if kind == "text":
            text += str(content)
        else:
            url = str(content.get("url", "") if isinstance(content, Mapping) else content)
            media += "".join(re.findall(r"\{\w+\}", url)[-1:])
    return media + text
