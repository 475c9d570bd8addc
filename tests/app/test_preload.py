"""Tests of what the server loads before the first page is opened."""

import asyncio
import gc
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from auricle.app.preload import THREAD_NAME, preload_during_startup
from auricle.app.views.run_list import list_runs, open_run_index
from auricle.app.workspace import Workspace, workspace_environment


async def start_server() -> None:
    """Start what the server starts, and wait until it is loaded."""
    async with preload_during_startup(None):
        for thread in threading.enumerate():
            if thread.name == THREAD_NAME:
                thread.join()


@pytest.fixture(autouse=True)
def _unfreeze() -> Iterator[None]:
    yield
    gc.unfreeze()
    gc.freeze()  # what was collected, as at the start of all tests


def test_garbage_collection_after_each_page_leaves_out_what_the_server_imported(
    monkeypatch: pytest.MonkeyPatch, runs: Path
) -> None:
    for name, value in workspace_environment(Workspace(runs)).items():
        monkeypatch.setenv(name, value)
    asyncio.run(start_server())
    assert gc.get_freeze_count() > len(sys.modules)
    examined = {id(value) for value in gc.get_objects()}
    assert id(vars(sys.modules["auricle.app.main"])) not in examined


def test_server_reads_the_runs_before_a_page_is_opened(monkeypatch: pytest.MonkeyPatch, runs: Path) -> None:
    for name, value in workspace_environment(Workspace(runs)).items():
        monkeypatch.setenv(name, value)
    open_run_index.clear()
    asyncio.run(start_server())
    known = open_run_index(str(runs))._known
    assert {path.name for path in known} == {summary.path.name for summary in list_runs()} != set()
