"""Logs of Inspect: a `.eval` archive per run, which `inspect view` opens."""

from __future__ import annotations

import hashlib
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import orjson

from auricle.core.errors import SpecError
from auricle.core.types import Outcome
from auricle.frameworks.exchange.result_export import to_file_name
from auricle.runs.metrics import Number
from auricle.sharing.exports.base import FinishedRun, Published, PublishOptions, spread
from auricle.sharing.exports.scored_samples import ScoredSample, is_higher_better, load_scored_samples

LOG_VERSION = 2
EPOCH = 1


def publish(runs: Sequence[FinishedRun], options: PublishOptions, out: Path) -> Published:
    """Write a log per run.

    Raises:
        SpecError: if two runs would have the same file.
    """
    files: list[Path] = []
    for run, dataset_id in zip(runs, spread(options.dataset_ids, len(runs), "--dataset-id"), strict=True):
        log = _Log(run, options, dataset_id or run.dataset_id)
        path = out / log.file_name
        if path in files:
            raise SpecError(f"{path} would contain two runs. Publish {run.path} to another folder with -o.")
        out.mkdir(parents=True, exist_ok=True)
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, document in log.list_members():
                archive.writestr(name, orjson.dumps(document))
        files.append(path)
    return Published(files, f"Open them: inspect view --log-dir {out}")


class _Log:
    """The log of one run."""

    def __init__(self, run: FinishedRun, options: PublishOptions, dataset_id: str) -> None:
        self._run, self._dataset_id = run, dataset_id
        self._numbers = run.select_numbers(options.metrics)
        self._model = options.model_id or run.model_id or run.metrics.model.name
        self._samples = load_scored_samples(run, self._numbers) if options.samples else []
        self._created = run.created
        text = "\n".join(str(number.signature) for number in self._numbers) + run.created.isoformat()
        self._id = hashlib.sha256(text.encode()).hexdigest()[:22]

    @property
    def file_name(self) -> str:
        task = to_file_name(self._run.metrics.task.name).replace("_", "-")
        return f"{self._created.strftime('%Y-%m-%dT%H-%M-%S+00-00')}_{task}_{self._id}.eval"

    def list_members(self) -> Iterator[tuple[str, Any]]:
        """Yield the names and contents of the files in the archive; the header is last."""
        header = self._build_header()
        yield "_journal/start.json", {name: header[name] for name in ("version", "eval", "plan")}
        for sample in self._samples:
            yield f"samples/{sample.record.sample.id}_epoch_{EPOCH}.json", self._build_sample(sample)
        summaries = [_summarise(self._build_sample(sample)) for sample in self._samples]
        yield "_journal/summaries/1.json", summaries
        yield "summaries.json", summaries
        yield "header.json", header

    def _build_header(self) -> dict[str, Any]:
        metrics = self._run.metrics
        created = self._created.isoformat()
        sample_ids = [sample.record.sample.id for sample in self._samples]
        return {
            "version": LOG_VERSION,
            "status": "success",
            "eval": {
                "eval_id": self._id,
                "run_id": self._id,
                "created": created,
                "task": metrics.task.name,
                "task_id": self._id,
                "task_version": metrics.task.version,
                "dataset": {
                    "name": metrics.task.name,
                    **({"location": self._dataset_id} if self._dataset_id else {}),
                    "samples": len(self._samples),
                    "sample_ids": sample_ids,
                },
                "model": self._model,
                "model_args": dict(metrics.model.arguments),
                "config": {"epochs": EPOCH},
                "packages": dict(self._run.spec.versions),
                "metadata": {"data_revision": metrics.task.revision, "failed_samples": metrics.outcomes.failed},
            },
            "plan": {},
            "results": {
                "total_samples": metrics.outcomes.total,
                "completed_samples": metrics.outcomes.answered,
                "scores": [_build_score(number) for number in self._numbers],
            },
            "stats": {"started_at": created, "completed_at": metrics.created},
        }

    def _build_sample(self, sample: ScoredSample) -> dict[str, Any]:
        answers = [{"role": "assistant", "content": text, "source": "generate"} for text in sample.texts]
        counts = (*sample.tokens, sum(sample.tokens)) if sample.tokens else ()
        usage = dict(zip(("input_tokens", "output_tokens", "total_tokens"), counts, strict=False))
        record, references = sample.record, sample.references
        stop_reason = "max_tokens" if record.outcome is Outcome.TRUNCATED else "stop"
        input_text = sample.input_text or "\n".join(sample.file_names)
        return {
            "id": record.sample.id,
            "epoch": EPOCH,
            "input": input_text,
            "target": references[0] if len(references) == 1 else references,
            "messages": sample.messages or [{"role": "user", "content": input_text, "source": "input"}, *answers[:1]],
            "output": {
                "model": self._model,
                "choices": [{"message": answer, "stop_reason": stop_reason} for answer in answers],
                **({"usage": usage} if usage else {}),
            },
            "scores": {
                name: {"value": value, "answer": "\n".join(sample.texts)} for name, value in sample.values.items()
            },
            "metadata": {**record.sample.meta, "audio": sample.file_names},
            **({"model_usage": {self._model: usage}} if usage else {}),
            **({"total_time": record.seconds} if record.seconds is not None else {}),
        }


def _summarise(sample: dict[str, Any]) -> dict[str, Any]:
    names = ("id", "epoch", "input", "target", "metadata", "scores", "total_time")
    return {**{name: sample[name] for name in names if name in sample}, "completed": True}


def _build_score(number: Number) -> dict[str, Any]:
    """Return a number as a score; the ends of its interval are metrics beside it."""
    values = {number.metric: number.value, "ci_low": number.low, "ci_high": number.high}
    return {
        "name": number.metric,
        "scorer": number.signature.metric.name,
        "scored_samples": number.scored,
        "unscored_samples": number.total - number.scored,
        "metrics": {name: {"name": name, "value": value} for name, value in values.items() if value is not None},
        "metadata": {
            "signature": str(number.signature),
            "interval": number.interval,
            "unit": number.unit,
            "higher_is_better": is_higher_better(number),
            "failed": number.failed,
        },
    }
