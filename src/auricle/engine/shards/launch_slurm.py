"""Start workers of a sharded run as an array of Slurm jobs, with submitit."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from auricle.core.errors import AuricleError, MissingExtra, SpecError
from auricle.core.files import make_folder
from auricle.core.redaction import redact
from auricle.engine.shards.launch_document import Notify, Work, WorkerDocument, WorkerReport
from auricle.engine.shards.worker import StopSignal, stop_on_signals
from auricle.engine.workers.protocol import encode_error, unpack_error

POLL_SECONDS = 2.0
CANCEL_SECONDS = 60.0
"""Seconds in which cancelled jobs may finish what is in flight."""
CLUSTER_PARAMETER = "cluster"
"""Parameter that chooses what submitit runs jobs with: `slurm` or, to try it out, `local`."""
OWN_PARAMETERS = ("timeout_min", "mem_gb", "nodes", "cpus_per_task", "gpus_per_node", "tasks_per_node", "name")
"""Parameters that submitit has for all clusters; others are options of `sbatch`."""


class ShardJob:
    """What a job executes. A job that reaches its time limit is queued again, and continues with any open shard.

    Args:
        work: Processes shards.
    """

    def __init__(self, work: Work) -> None:
        self._work = work

    def __call__(self, document: bytes) -> dict[str, Any]:
        stop = StopSignal()
        try:
            with stop_on_signals(stop):
                return {"report": asdict(self._work(WorkerDocument.parse(document), stop))}
        except AuricleError as error:
            return {"error": encode_error(error)}

    def checkpoint(self, document: bytes) -> Any:
        """Return what submitit queues when a job is preempted or reaches its time limit."""
        from submitit.helpers import DelayedSubmission

        return DelayedSubmission(self, document)


class SlurmLauncher:
    """Runs workers as an array of jobs; the files of the jobs are in `logs/slurm`.

    Args:
        work: Processes shards.
        documents: One per worker. They are written to the disk, so they must not contain secrets.
        log_folder: Folder for the files of jobs, which all machines see.
        parameters: Options of `sbatch`, such as `partition`, and submitit's own, such as `timeout_min`.
        notify: Shows a message to the user.
    """

    def __init__(
        self,
        work: Work,
        documents: Sequence[WorkerDocument],
        log_folder: Path,
        parameters: Mapping[str, Any],
        *,
        notify: Notify = lambda _: None,
    ) -> None:
        _check_secrets(documents[0])
        self._work = work
        self._documents = documents
        self._folder = log_folder / "slurm"
        self._parameters = dict(parameters)
        self._notify = notify

    def run(self, stop: StopSignal) -> list[WorkerReport]:
        executor = self._make_executor()
        jobs = executor.map_array(ShardJob(self._work), [document.encode() for document in self._documents])
        self._notify(f"Submitted {len(jobs)} jobs, {jobs[0].job_id} and others; their files are in {self._folder}.")
        try:
            while not stop.is_set() and not all(job.done() for job in jobs):
                stop.wait(POLL_SECONDS)
        finally:
            if stop.is_set() or not all(job.done() for job in jobs):
                _cancel(jobs)
        return self._collect(jobs, is_stopped=stop.is_set())

    def _make_executor(self) -> Any:
        try:
            import submitit
        except ImportError as error:
            raise MissingExtra("--backend slurm", "slurm") from error
        make_folder(self._folder)
        parameters = dict(self._parameters)
        cluster = parameters.pop(CLUSTER_PARAMETER, "slurm")
        try:
            executor = submitit.AutoExecutor(folder=self._folder, cluster=cluster)
            executor.update_parameters(**name_parameters({"name": "auricle", **parameters}))
        except (NameError, RuntimeError, TypeError, ValueError) as error:
            raise SpecError(f"--slurm: {error}") from error
        return executor

    def _collect(self, jobs: Sequence[Any], *, is_stopped: bool) -> list[WorkerReport]:
        reports, lost = [], []
        for job in jobs:
            reply = _read_reply(job)
            if reply is None:
                lost.append(job)
            elif "error" in reply:
                raise unpack_error(reply["error"])
            else:
                reports.append(WorkerReport.parse(reply["report"]))
        if lost and not is_stopped:
            self._notify(f"{len(lost)} of {len(jobs)} jobs ended without a report; see {lost[0].paths.stderr}.")
        return reports


def name_parameters(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return parameters as submitit names them.

    >>> name_parameters({"partition": "gpu", "timeout_min": 60, "slurm_account": "speech"})
    {'slurm_partition': 'gpu', 'timeout_min': 60, 'slurm_account': 'speech'}
    """
    return {
        name if name in OWN_PARAMETERS or name.startswith("slurm_") else f"slurm_{name}": value
        for name, value in parameters.items()
    }


def _check_secrets(document: WorkerDocument) -> None:
    """Raise `SpecError` if a document has a secret: those of the environment reach the jobs, and are not stored."""
    judges = document.spec.get("judge") or ()
    arguments = [
        document.spec.get("model_args", {}),
        *(judge.get("args", {}) for judge in ([judges] if isinstance(judges, dict) else judges)),
    ]
    if any(redact(values) != values for values in arguments):
        raise SpecError(
            "--backend slurm would write the keys among the arguments of the model to the disk. Set the variable that "
            "the model reads, such as OPENAI_API_KEY; jobs have the variables of the shell that submits them."
        )


def _cancel(jobs: Sequence[Any]) -> None:
    for job in jobs:
        with suppress(Exception):  # it may have ended, and Slurm may be unreachable
            job.cancel()
    deadline = time.monotonic() + CANCEL_SECONDS
    while time.monotonic() < deadline and not all(job.done() for job in jobs):
        time.sleep(POLL_SECONDS / 4)


def _read_reply(job: Any) -> dict[str, Any] | None:
    """Return what a job has returned; None if it crashed or was cancelled."""
    try:
        reply: dict[str, Any] = job.result()
    except Exception:  # noqa: BLE001 - submitit raises errors of many classes for jobs without a result
        return None
    return reply
