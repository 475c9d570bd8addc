"""Files of Every Eval Ever, schema 0.3.0: a document per run, and a line per sample and metric."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any
from uuid import UUID

from auricle.core.errors import SpecError
from auricle.frameworks.exchange.result_export import to_file_name, write_json, write_jsonl
from auricle.runs.metrics import Number
from auricle.sharing.exports.base import FinishedRun, Published, PublishOptions, spread
from auricle.sharing.exports.scored_samples import ScoredSample, is_right, load_scored_samples, to_text

SCHEMA_VERSION = "0.3.0"
UNKNOWN = "unknown"
CONFIDENCE = 0.95
UNITS = {"share": "proportion"}
"""Their names of units, by ours."""


def publish(runs: Sequence[FinishedRun], options: PublishOptions, out: Path) -> Published:
    """Write the documents below `data/`, as in the repository of Every Eval Ever.

    Raises:
        SpecError: if the organisation is missing, which the schema requires.
    """
    if not options.organisation:
        raise SpecError("The format requires the name of who evaluated. Add --organisation NAME.")
    dataset_ids = spread(options.dataset_ids, len(runs), "--dataset-id")
    files = []
    for run, dataset_id in zip(runs, dataset_ids, strict=True):
        files += _RunDocuments(run, options, dataset_id or run.dataset_id).write(out)
    return Published(
        files, f"Copy {out / 'data'} into a pull request to the dataset evaleval/EEE_datastore on the Hub."
    )


class _RunDocuments:
    """The documents of one run."""

    def __init__(self, run: FinishedRun, options: PublishOptions, dataset_id: str) -> None:
        self._run, self._options, self._dataset_id = run, options, dataset_id
        self._numbers = run.select_numbers(options.metrics)
        self._model_id = options.model_id or run.model_id or run.metrics.model.name
        created = run.created.timestamp()
        self._evaluation_id = f"{run.metrics.task.name}/{self._model_id}/{created}"

    def write(self, out: Path) -> list[Path]:
        """Write the documents and return their paths."""
        owner, _, name = self._model_id.rpartition("/")
        parts = (self._run.metrics.task.name, owner or UNKNOWN, name)
        folder = Path("data", *(to_file_name(part).strip(". ") for part in parts))
        text = to_text([self._evaluation_id, *(str(number.signature) for number in self._numbers)])
        stem = str(UUID(bytes=hashlib.sha256(text.encode()).digest()[:16], version=4))
        rows = self._list_rows() if self._options.samples else []
        details = {}
        if rows:
            samples_path = folder / f"{stem}_samples.jsonl"
            content = write_jsonl(out / samples_path, rows).read_bytes()
            details["detailed_evaluation_results"] = {
                "format": "jsonl",
                "file_path": samples_path.as_posix(),
                "hash_algorithm": "sha256",
                "checksum": hashlib.sha256(content).hexdigest(),
                "total_rows": len(rows),
            }
        (out / folder).mkdir(parents=True, exist_ok=True)
        document = write_json(out / folder / f"{stem}.json", {**self._build_document(), **details})
        return [document, *([out / samples_path] if rows else [])]

    def _build_document(self) -> dict[str, Any]:
        metrics = self._run.metrics
        return {
            "schema_version": SCHEMA_VERSION,
            "evaluation_id": self._evaluation_id,
            "evaluation_timestamp": self._run.created.isoformat(),
            "retrieved_timestamp": str(datetime.fromisoformat(metrics.created).timestamp()),
            "source_metadata": {
                "source_name": "Auricle",
                "source_type": "evaluation_run",
                "source_organization_name": self._options.organisation,
                "evaluator_relationship": self._options.relationship,
                **({"additional_details": {"url": url}} if (url := self._options.source_url) else {}),
            },
            "eval_library": {"name": "auricle", "version": metrics.auricle},
            "model_info": {
                "name": metrics.model.name,
                "id": self._model_id,
                **({"developer": owner} if (owner := self._model_id.rpartition("/")[0]) else {}),
                "additional_details": {
                    "deployment_type": UNKNOWN,
                    "model_availability": UNKNOWN,
                    "arguments": to_text(metrics.model.arguments),
                },
            },
            "evaluation_results": [self._build_result(number) for number in self._numbers],
        }

    def _build_result(self, number: Number) -> dict[str, Any]:
        names = ("total", "failed", "unreadable", "refused", "truncated", "not_applicable")
        counts = {name: getattr(number, name) for name in names}
        return {
            "evaluation_result_id": self._result_id(number),
            "evaluation_name": self._run.metrics.task.name,
            "source_data": self._build_source(),
            "metric_config": {
                "metric_id": number.signature.metric.name,
                "metric_name": number.title or number.metric,
                **({"metric_unit": UNITS.get(number.unit, number.unit)} if number.unit else {}),
                "lower_is_better": not number.higher_is_better,
                **_build_bounds(number),
                "additional_details": _to_texts({"signature": str(number.signature), "coverage": number.coverage}),
            },
            "score_details": {
                "score": number.value,
                "details": _to_texts({**counts, **number.details}),
                "uncertainty": _build_uncertainty(number),
            },
            "generation_config": {"additional_details": {"prompt": str(self._run.spec.identity.get("inferencer", ""))}},
        }

    def _result_id(self, number: Number) -> str:
        return f"{self._evaluation_id}#{number.metric}"

    def _build_source(self) -> dict[str, Any]:
        task = self._run.metrics.task
        details = {"additional_details": _to_texts({"revision": task.revision, "version": task.version})}
        if not self._dataset_id:
            return {"dataset_name": task.name, "source_type": "other", **details}
        samples = {"samples_number": self._run.metrics.outcomes.total}
        source = {"source_type": "hf_dataset", "hf_repo": self._dataset_id}
        return {"dataset_name": task.name, **source, **samples, **details}

    def _list_rows(self) -> list[dict[str, Any]]:
        """Return a row per sample and metric; only shares decide whether an answer is right, which is required."""
        shares = [number for number in self._numbers if number.unit == "share"]
        return [
            self._build_row(sample, number)
            for sample in load_scored_samples(self._run, shares)
            for number in shares
            if number.metric in sample.values
        ]

    def _build_row(self, sample: ScoredSample, number: Number) -> dict[str, Any]:
        value = sample.values[number.metric]
        tokens = sample.tokens
        return {
            "schema_version": SCHEMA_VERSION,
            "evaluation_id": self._evaluation_id,
            "model_id": self._model_id,
            "evaluation_name": self._run.metrics.task.name,
            "evaluation_result_id": self._result_id(number),
            "sample_id": sample.record.sample.id,
            "input": {"raw": sample.input_text, "reference": sample.references},
            **_build_interaction(sample),
            "evaluation": {
                "score": value,
                "is_correct": is_right(number, value),
                **({"num_turns": turns} if (turns := len(sample.messages)) else {}),
            },
            **({"token_usage": dict(zip(_TOKENS, (*tokens, sum(tokens)), strict=True))} if tokens is not None else {}),
            **_build_performance(sample),
            "metadata": _to_texts({**sample.record.sample.meta, "metric": number.metric, "audio": sample.file_names}),
        }


_TOKENS = ("input_tokens", "output_tokens", "total_tokens")


def _build_interaction(sample: ScoredSample) -> dict[str, Any]:
    """Return the answers to a question, or all messages of a conversation, and where the answer was read."""
    messages = sample.messages
    places = [(0, "output.raw", text) for text in sample.texts] if not messages else []
    for index, message in enumerate(messages):
        if message["role"] == "assistant":
            places.append((index, f"messages[{index}].content", message["content"]))
    return {
        "interaction_type": "multi_turn" if messages else "single_turn",
        "output": None if messages else {"raw": sample.texts},
        "messages": [{"turn_idx": index, **message} for index, message in enumerate(messages)] or None,
        "answer_attribution": [
            {
                "turn_idx": turn,
                "source": source,
                "extracted_value": text,
                "extraction_method": sample.reading or "none",
                "is_terminal": index == len(places) - 1 or not messages,
            }
            for index, (turn, source, text) in enumerate(places)
        ],
    }


def _build_bounds(number: Number) -> dict[str, Any]:
    """Return the range of a share. A rate of errors may exceed 1, because insertions count."""
    if number.unit != "share":
        return {}
    return {"score_type": "continuous", "min_score": 0, "max_score": 1 if number.higher_is_better else "Infinity"}


def _build_uncertainty(number: Number) -> dict[str, Any]:
    uncertainty: dict[str, Any] = {"num_samples": number.scored}
    if number.low is not None and number.high is not None:
        units = f" over {number.units} values of {number.cluster}" if number.cluster else ""
        uncertainty["confidence_interval"] = {
            "lower": number.low,
            "upper": number.high,
            "confidence_level": CONFIDENCE,
            "method": f"{number.interval}{units}",
        }
    return uncertainty


def _build_performance(sample: ScoredSample) -> dict[str, Any]:
    """Return the times of a sample, if waiting is not part of them and no answer came from the cache."""
    record = sample.record
    if record.wait_seconds is None or record.seconds is None or record.cached:
        return {}
    return {"performance": {"latency_ms": 1000 * record.seconds}}


def _to_texts(values: Mapping[str, Any]) -> dict[str, str]:
    return {name: to_text(value) for name, value in values.items()}
