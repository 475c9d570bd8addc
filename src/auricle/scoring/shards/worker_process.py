"""A worker of a sharded run: `python -m auricle.scoring.shards.worker_process`, with its document on standard input."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import orjson

from auricle.core.errors import AuricleError, SpecError, describe
from auricle.core.redaction import SECRETS, RedactingStream
from auricle.engine.budget import Budget
from auricle.engine.factory import Evaluation, model_identity
from auricle.engine.kept_model import KeptModel
from auricle.engine.observer import Observer
from auricle.engine.settings import Settings
from auricle.engine.shards.launch_document import WorkerDocument, WorkerReport
from auricle.engine.shards.worker import ShardWorker, StopSignal, stop_on_signals
from auricle.engine.spec import Spec
from auricle.engine.workers.lifetime import end_with_parent
from auricle.engine.workers.protocol import encode_error
from auricle.runs.response_cache import ResponseCache
from auricle.runs.shards.store import ShardStore
from auricle.scoring.shards.process import ShardProcessor

COMMAND = (sys.executable, "-m", "auricle.scoring.shards.worker_process")


def work(document: WorkerDocument, stop: StopSignal, evaluation: Evaluation | None = None) -> WorkerReport:
    """Process shards until all are completed.

    Args:
        document: What to evaluate, where and how.
        stop: Ends the work as Ctrl-C does.
        evaluation: The evaluation of the document, if it is prepared.
    """
    evaluation = evaluation or Evaluation.prepare(Spec.model_validate(document.spec))
    observer = _make_observer(document)
    store = ShardStore.open(document.location)
    with _open_settings(document, evaluation) as settings, KeptModel() as kept_model:
        processor = ShardProcessor(evaluation, settings, observer, kept_model=kept_model)
        result = ShardWorker(store, processor, document.worker_options).run(stop)
    return WorkerReport(result=result, stop_reason=observer.stop_reason)


def _make_observer(document: WorkerDocument) -> Observer:
    """Return what adds up costs and stops the worker when its share of the budget is spent.

    What the run has spent before is not part of any share; the command has subtracted it from the limit.
    """
    prices = document.prices
    if prices.model is None and not prices.judges:
        return Observer()
    limit_name = "the limit of each worker" if document.is_share else "the limit"
    return Budget(prices.model, document.max_cost, prices.judges, limit_name=limit_name, counts_earlier=False)


@contextmanager
def _open_settings(document: WorkerDocument, evaluation: Evaluation) -> Iterator[Settings]:
    settings = document.parse_settings()
    if not document.cache_path:
        yield settings
        return
    spec = evaluation.spec
    with ResponseCache(Path(document.cache_path), spec.model, model_identity(spec)) as cache:
        yield replace(settings, cache=cache)


def main() -> None:
    """Read a document, process shards, and write a report to standard output."""
    line = sys.stdin.buffer.readline()
    end_with_parent(sys.stdin.fileno())
    # Standard output carries the report; what a model prints goes to standard error.
    with os.fdopen(os.dup(1), "wb") as out:
        os.dup2(2, 1)
        sys.stdout = sys.stderr = RedactingStream(sys.stderr)
        out.write(_report(line))


def _report(line: bytes) -> bytes:
    stop = StopSignal()
    try:
        document = WorkerDocument.parse(line)
        with stop_on_signals(stop):
            return work(document, stop).encode()
    except AuricleError as error:
        return _encode_error(error)
    except Exception as error:  # noqa: BLE001 - the launcher shows it; the traceback is in the log
        sys.excepthook(type(error), error, error.__traceback__)
        return _encode_error(SpecError(f"A worker failed with {type(error).__name__}: {describe(error)}"))


def _encode_error(error: AuricleError) -> bytes:
    return SECRETS.redact_line(orjson.dumps({"error": encode_error(error)}) + b"\n")


if __name__ == "__main__":
    main()
