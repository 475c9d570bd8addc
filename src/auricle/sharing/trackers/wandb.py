"""Log runs to Weights & Biases.

A run is identified by its id, so that logging it again continues it. Offline, each time leaves a folder of its own with
that id, which `wandb sync` combines. No console output, code, command or list of packages is sent.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from auricle.core.errors import SpecError
from auricle.engine.trackers.base import DEFAULT_PROJECT, FinalState, TrackedRun, Tracker

INIT_SECONDS = 60.0
PHASES = ("inference", "judging")
EXIT_CODES = {"finished": 0, "stopped": 255, "failed": 1}


class WandbTracker(Tracker):
    """Logs to the server that `wandb login` chose, or with `WANDB_MODE=offline` to a folder."""

    module = extra = "wandb"
    _run: Any  # its methods are untyped

    def start(self, run: TrackedRun) -> None:
        import wandb

        settings = wandb.Settings(
            console="off",
            disable_code=True,
            disable_git=True,
            init_timeout=INIT_SECONDS,
            silent=True,
            x_disable_machine_info=True,
            x_disable_meta=True,
            x_disable_stats=True,
            x_save_requirements=False,
        )
        project = run.project or wandb.setup().settings.project or DEFAULT_PROJECT
        _check_login()
        self._run = wandb.init(
            project=project,
            id=run.key,
            name=run.name,
            group=run.group or None,
            config=dict(run.parameters),
            resume="allow",
            settings=settings,
        )
        self.location = f"run {run.name} of the project {project} in {self._run.dir}"
        if not self._run.offline:
            self.location = f"run {run.name} at {self._run.url}"
        for phase in PHASES:  # a chart by samples; steps of W&B may not repeat when a run is resumed
            self._run.define_metric(f"{phase}/*", step_metric=f"{phase}/done")

    def log(self, values: Mapping[str, float], step: int) -> None:
        self._run.log(dict(values))

    def finish(self, final: FinalState) -> None:
        self._run.config.update(dict(final.facts), allow_val_change=True)
        self._run.summary.update(dict(final.numbers))
        self._run.finish(exit_code=EXIT_CODES[final.status])


def _check_login() -> None:
    """Raise an error without an account, for which `init` would ask in the middle of a run."""
    import wandb

    if wandb.setup().settings.mode in ("online", "shared") and not wandb.login(prompt=False, verify=False):
        raise SpecError("There is no account. Run `wandb login`, or set WANDB_MODE=offline.")
