"""Import the pages and read the runs while a browser loads the app, so that its first page is drawn sooner."""

from __future__ import annotations

import gc
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib import import_module
from typing import Any

PRELOADED_MODULES = ("auricle.app.main", "auricle.app.pages.home", "auricle.app.views.results")
THREAD_NAME = "auricle-preload"


@asynccontextmanager
async def preload_during_startup(app: Any) -> AsyncIterator[None]:
    """Start to preload when the server is ready; Streamlit's caches must not be created before."""
    threading.Thread(target=preload, name=THREAD_NAME, daemon=True).start()
    yield


def preload() -> None:
    """Import the modules that every page needs, and read the summaries of the runs."""
    for name in PRELOADED_MODULES:
        import_module(name)
    from auricle.app.views.run_list import list_runs

    list_runs()
    # Streamlit collects garbage after every run of a script. Modules never become garbage, and looking through them
    # takes a tenth of a second, which every page would wait for.
    gc.freeze()
