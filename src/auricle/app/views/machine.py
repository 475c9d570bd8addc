"""The sidebar: models in the memory of the app and of runs, with buttons to unload them, and the memory in use."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import streamlit as st

from auricle.app import machine, theme
from auricle.app.jobs import JobManager, is_alive
from auricle.app.live_run import stop_writer
from auricle.app.machine import GpuMonitor, GpuUsage
from auricle.app.model_pool import get_model_pool
from auricle.app.views.live_run import open_live_run
from auricle.app.workspace import Workspace, check_run_file, current_workspace
from auricle.runs.run_directory import find_writer, is_being_written
from auricle.runs.run_summary import RunSummary, find_run_folders

REFRESH_SECONDS = 5.0
SEARCH_SECONDS = 2.0
"""Time between two searches for runs that are going on, which read a file of every run."""
GIGABYTE, MEGABYTE = 1e9, 1e6


@dataclass(frozen=True, slots=True)
class RunProcess:
    """The process of this machine that writes a run."""

    run: RunSummary
    pid: int


@st.cache_resource(show_spinner=False)
def get_gpu_monitor() -> GpuMonitor:
    """Return the monitor that all sessions share."""
    return GpuMonitor()


def draw_machine() -> None:
    """Draw the models in memory and the memory in use; drawn again every few seconds."""
    st.fragment(run_every=REFRESH_SECONDS)(_draw)()


def _draw() -> None:
    workspace, gpus = current_workspace(), get_gpu_monitor().usage()
    st.caption("Models in memory")
    processes = find_run_processes(workspace)
    if not get_model_pool().loaded_slots() and not processes:
        st.markdown(":gray[None]")
    _draw_own_models()
    for process in processes:
        _draw_run(workspace, process, gpus)
    for memory in (machine.read_system_memory(), *gpus.memories):
        text = f"{memory.name}: {memory.used / GIGABYTE:.1f} of {memory.total / GIGABYTE:.1f} GB"
        st.progress(memory.share, text=f":gray[{theme.escape_markdown(text)}]")
    st.caption(f"This app uses {format_usage(*machine.read_process_memory(gpus=gpus))}.")


def _draw_own_models() -> None:
    """Draw the models that this process has loaded, for all users."""
    pool = get_model_pool()
    for slot in pool.loaded_slots():
        name = theme.escape_markdown(slot.name)
        text = f"{name} :gray[{format_usage(slot.memory_bytes)}]"
        _draw_row(text, f"unload-{id(slot)}", f"Unload {name}", partial(pool.unload, slot))


def _draw_run(workspace: Workspace, process: RunProcess, gpus: GpuUsage) -> None:
    """Draw the model of a run that is going on; its process has to end to unload it."""
    run, usage = process.run, format_usage(*machine.read_process_memory(process.pid, gpus))
    name = theme.escape_markdown(f"{run.model} in {run.title}")
    if run.phase == "stopping":
        st.markdown(f"{name} :gray[stopping, {usage}]")
        return
    note = f"Stop {theme.escape_markdown(run.title)}, which unloads its model; it can be resumed"
    _draw_row(f"{name} :gray[{usage}]", f"stop-{run.name}", note, partial(stop_run, workspace, run.name, run.path))


def _draw_row(text: str, key: str, note: str, unload: Callable[[], None]) -> None:
    """Draw a model beside the button that unloads it."""
    left, right = st.columns([5, 1], vertical_alignment="center", gap="small")
    left.markdown(text)
    options: Any = {"icon": ":material/close:", "type": "tertiary", "help": note, "on_click": unload}
    right.button("", key=key, **options)


def find_run_processes(workspace: Workspace) -> list[RunProcess]:
    """Find the processes of this machine that write runs of the workspace, whatever started them."""
    return [
        RunProcess(open_live_run(folder).summarise(workspace.root, check_run_file), pid)
        for folder, pid in _find_writers(str(workspace.root))
        if find_writer(Path(folder)) == pid  # it may have ended since
    ]


@st.cache_data(ttl=SEARCH_SECONDS, max_entries=8, show_spinner=False)
def _find_writers(root: str) -> list[tuple[str, int]]:
    """Return the folder of each run that is being written, and the process of this machine that does so."""
    folders = filter(is_being_written, find_run_folders(Path(root)))
    return [(str(folder), pid) for folder in folders if (pid := find_writer(folder))]


def stop_run(workspace: Workspace, name: str, path: Path) -> None:
    """Stop a run as its own page does: through its job, if the app started it."""
    jobs = JobManager(workspace)
    job = next((job for job in jobs.list_jobs() if name in job.runs and is_alive(job)), None)
    if job:
        jobs.cancel(job)
    else:
        stop_writer(path)


def format_usage(memory: int, gpu_memory: int = 0) -> str:
    """Format the memory of a process, and its memory on GPUs if it has any.

    >>> format_usage(250_000_000), format_usage(2_400_000_000, 6_000_000_000)
    ('250 MB', '2.4 GB, GPU 6.0 GB')
    """
    parts = [memory, *([gpu_memory] if gpu_memory else [])]
    texts = [f"{part / GIGABYTE:.1f} GB" if part >= GIGABYTE else f"{part / MEGABYTE:.0f} MB" for part in parts]
    return ", GPU ".join(texts)
