"""Measure the recordings of a run in the background, once for all users of the app."""

from __future__ import annotations

import threading
from pathlib import Path

import streamlit as st

from auricle.app.workspace import Workspace, check_run_file
from auricle.media import Audio
from auricle.runs.sound_measures import SIGNALS_FILE, measure_run

MAX_AUDIO_BYTES = 500_000_000


class MeasureJob:
    """A thread that measures the recordings of a run, and how many it has measured."""

    def __init__(self, path: Path, workspace: Workspace) -> None:
        self.count = 0
        self.error = ""
        self._path, self._workspace = path, workspace
        self._thread = threading.Thread(target=self._run, name=f"auricle-signals-{path.name}", daemon=True)
        self._thread.start()

    @property
    def is_running(self) -> bool:
        return self._thread.is_alive()

    def join(self, timeout: float) -> None:
        self._thread.join(timeout)

    def _run(self) -> None:
        try:
            for _ in measure_run(self._path, self._resolve):
                self.count += 1
        except OSError as error:  # such as a folder that cannot be written
            self.error = f"Recordings could not be measured: {error}"

    def _resolve(self, audio: Audio) -> Audio | None:
        """Return the recording if the app may read it and it is not too large."""
        resolved = self._workspace.resolve_recording(audio)
        is_readable = resolved is not None and Path(resolved.uri).stat().st_size <= MAX_AUDIO_BYTES
        return resolved if is_readable else None


class MeasureJobs:
    """The jobs of all runs; at most one for each."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._jobs: dict[Path, MeasureJob] = {}

    def get(self, path: Path) -> MeasureJob | None:
        return self._jobs.get(path)

    def start(self, path: Path, workspace: Workspace) -> MeasureJob:
        """Start to measure the recordings of a run, unless that is under way.

        Raises:
            DataError: if the file of measures is not inside the run.
        """
        check_run_file(path / SIGNALS_FILE)
        with self._lock:
            job = self._jobs.get(path)
            if job is None or not job.is_running:
                job = self._jobs[path] = MeasureJob(path, workspace)
            return job


@st.cache_resource(show_spinner=False)
def open_measure_jobs() -> MeasureJobs:
    """Return the jobs that all users of the app share."""
    return MeasureJobs()
