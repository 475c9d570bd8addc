"""Log runs to Trackio.

A run of Trackio is identified by its name. Metrics are only appended to it; its config is stored with the first
metrics that are logged after it was opened.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from auricle.engine.trackers.base import DEFAULT_PROJECT, FinalState, TrackedRun, Tracker


class TrackioTracker(Tracker):
    """Logs to a database on this machine, or where `TRACKIO_SPACE_ID` or `TRACKIO_SERVER_URL` point to."""

    module = extra = "trackio"
    _run: Any  # its methods are untyped

    def start(self, run: TrackedRun) -> None:
        self._tracked = run
        self._project = run.project or DEFAULT_PROJECT
        self._has_logged = False
        self.location = f"run {run.name} of the project {self._project}; show it with `trackio show`"
        self._open()

    def log(self, values: Mapping[str, float], step: int) -> None:
        self._has_logged = True
        self._run.log(dict(values), step=step)

    def finish(self, final: FinalState) -> None:
        if self._has_logged:  # the config was stored already
            self._close()
            self._open()
        config: dict[str, Any] = self._run.config
        config.update(final.facts, status=final.status)
        self._run.log(dict(final.numbers), step=final.step)
        self._close()

    def _open(self) -> None:
        import trackio

        self._run = trackio.init(
            project=self._project,
            name=self._tracked.name,
            group=self._tracked.group or None,
            config=dict(self._tracked.parameters),
            resume="allow",
            embed=False,
            auto_log_cpu=False,
            auto_log_gpu=False,
        )

    def _close(self) -> None:
        import trackio

        trackio.finish()
