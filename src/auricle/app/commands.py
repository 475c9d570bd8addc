"""`auricle ui`: open the web app."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from auricle.cli import options as opt
from auricle.core.errors import SpecError


@click.command()
@click.argument("folder", required=False, type=click.Path(path_type=Path), metavar="[RUNS]")
@opt.path("--runs DIR", "Folder that contains the runs; the same as RUNS. [default: runs]", default=None)
@opt.path(
    "--allow allowed_folders DIR",
    "Additional folder that the app may read (audio, data, weights, model files); repeat for several.",
    multiple=True,
)
@opt.repeated(
    "--allow-env allowed_variables NAME",
    "Environment variable that model options in the app may use, beside the API keys of known providers; repeat for "
    "several.",
)
@opt.text("--port", "Port to listen on; 0 chooses a free port.", type=click.IntRange(0, 65_535), default=8501)
@opt.text("--host", "Address to listen on. With another address, other machines can connect.", default="127.0.0.1")
@opt.text("--max-upload MB", "Maximum upload size in MB.", type=click.IntRange(1), default=50)
@opt.flag(
    "--open/--no-browser open_browser",
    "Whether to open the app in a browser. [default: only on a desktop]",
    default=None,
)
@opt.flag(
    "--token/--no-token with_token",
    "Whether every connection needs the token in the printed URL. Without it, anyone who can connect, such as other "
    "users of this machine, can start runs with your API keys and read the allowed folders.",
    default=True,
)
def ui(folder: Path | None, runs: Path | None, **options: Any) -> None:
    """Open the web app to try models, start runs and inspect results."""
    if folder and runs:
        raise SpecError(f"Two folders of runs are given: {folder} and {runs}. Give one of them.")
    from auricle.app.server import ServerOptions, serve
    from auricle.core.platform_support import require_posix

    require_posix("The app and its jobs")
    serve(ServerOptions(runs=folder or runs or Path("runs"), **options))
