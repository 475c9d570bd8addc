"""Use the answers of a run again where the same questions are asked: in a run of the same task under conditions."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from auricle.core.errors import DataError
from auricle.core.files import make_folder
from auricle.engine.conditions import CLEAN, PERTURB_ARGUMENT
from auricle.engine.factory import Evaluation, build_run_spec, sanitise_name
from auricle.runs.journal import SPEECH_FOLDER
from auricle.runs.progress import read_progress, write_progress
from auricle.runs.run_directory import contains_run
from auricle.runs.run_spec import OUTPUTS_FILE, SPEC_FILE, read_run_spec
from auricle.runs.suites import contains_suite, read_suite_run


def share_clean_answers(evaluation: Evaluation, path: Path, folder: Path) -> Path | None:
    """Copy the answers of another run of the same task and model into a run directory that does not exist yet.

    The unchanged part of a run under conditions gets those of an ordinary run, and the other way round. When the run
    is started, each answer is kept only if the content of its sample is the same.

    Args:
        evaluation: What is to be run, without a condition.
        path: Its run directory.
        folder: The folder with other runs.

    Returns:
        The run whose answers were copied, or None.
    """
    if PERTURB_ARGUMENT in evaluation.spec.task_args or path.exists():
        return None
    spec = build_run_spec(evaluation.spec, evaluation.task, evaluation.inferencer)
    is_part = path.parent != folder
    for candidate in _list_candidates(evaluation, folder, plain=is_part):
        if contains_run(candidate) and not read_run_spec(candidate).describe_differences(spec):
            make_folder(path)
            for name in (SPEC_FILE, OUTPUTS_FILE):
                if (candidate / name).is_file():
                    shutil.copyfile(candidate / name, path / name)
            with suppress(DataError):  # a damaged file, which is not needed
                # The time of the passes is that of the other run.
                write_progress(path, replace(read_progress(candidate), passes=()))
            if (candidate / SPEECH_FOLDER).is_dir():
                shutil.copytree(candidate / SPEECH_FOLDER, path / SPEECH_FOLDER)
            return candidate
    return None


def _list_candidates(evaluation: Evaluation, folder: Path, *, plain: bool) -> Iterator[Path]:
    """Yield ordinary runs of the task, or the unchanged parts of its runs under conditions."""
    if plain:
        yield from sorted(folder.glob(f"{evaluation.folder_name}*"))
        return
    for suite in sorted(folder.glob(f"{sanitise_name(evaluation.task.name)}*")):
        try:
            if contains_suite(suite) and read_suite_run(suite).average == "conditions":
                yield suite / CLEAN
        except DataError:  # a damaged file, which only costs this candidate
            continue
