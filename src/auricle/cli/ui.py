"""`auricle ui`: open the web app."""

from __future__ import annotations

from pathlib import Path

import click

from auricle.cli.options import any_path


@click.command()
@click.option("--runs", type=any_path, default=Path("runs"), metavar="DIR", help="Folder that contains the runs.")
@click.option(
    "--allow",
    "allowed_folders",
    type=any_path,
    multiple=True,
    metavar="DIR",
    help="Additional folder that the app may read (audio, data, weights, model files); repeat for several.",
)
@click.option("--port", type=click.IntRange(0, 65_535), default=8501, help="Port to listen on; 0 chooses a free port.")
@click.option(
    "--host", default="127.0.0.1", help="Address to listen on. With another address, others can use the app, too."
)
@click.option("--max-upload", type=click.IntRange(1), default=50, metavar="MB", help="Maximum upload size in MB.")
@click.option(
    "--open/--no-browser",
    "open_browser",
    default=None,
    help="Whether to open the app in a browser. [default: only on a desktop]",
)
def ui(
    runs: Path, allowed_folders: tuple[Path, ...], port: int, host: str, max_upload: int, open_browser: bool | None
) -> None:
    """Open the web app to try models, start runs and inspect results."""
    from auricle.app.server import serve

    serve(runs, allowed_folders, port, host, max_upload, open_browser)
