"""`auricle ui`: open the web app."""

from __future__ import annotations

from pathlib import Path

import click

from auricle.cli import options as opt


@click.command()
@opt.path("--runs DIR", "Folder that contains the runs.", default=Path("runs"))
@opt.path(
    "--allow allowed_folders DIR",
    "Additional folder that the app may read (audio, data, weights, model files); repeat for several.",
    multiple=True,
)
@opt.text("--port", "Port to listen on; 0 chooses a free port.", type=click.IntRange(0, 65_535), default=8501)
@opt.text("--host", "Address to listen on. With another address, others can use the app, too.", default="127.0.0.1")
@opt.text("--max-upload MB", "Maximum upload size in MB.", type=click.IntRange(1), default=50)
@opt.flag(
    "--open/--no-browser open_browser",
    "Whether to open the app in a browser. [default: only on a desktop]",
    default=None,
)
def ui(
    runs: Path, allowed_folders: tuple[Path, ...], port: int, host: str, max_upload: int, open_browser: bool | None
) -> None:
    """Open the web app to try models, start runs and inspect results."""
    from auricle.app.server import serve

    serve(runs, allowed_folders, port, host, max_upload, open_browser)
