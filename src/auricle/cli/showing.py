"""The command that opens the app."""

from __future__ import annotations

from pathlib import Path

import click

path_type = click.Path(path_type=Path)


@click.command()
@click.option("--runs", type=path_type, default=Path("runs"), show_default=True, help="The runs' folder.")
@click.option(
    "--allow", "allowed", type=path_type, multiple=True, metavar="DIR",
    help="Where sounds, data, weights and model files may be read from, too.",
)  # fmt: skip
@click.option("--port", type=click.IntRange(0, 65_535), default=8501, show_default=True)
@click.option("--host", default="127.0.0.1", show_default=True, help="Where to listen.")
@click.option("--max-upload", type=click.IntRange(1), default=50, show_default=True, metavar="MB")
@click.option("--open/--no-browser", "browser", default=None, help="By default on a desktop.")
def ui(
    runs: Path, allowed_folders: tuple[Path, ...], port: int, host: str, max_upload: int,
    open_browser: bool | None,
) -> None:  # fmt: skip
    """Open the app: try models, run benchmarks, look at runs and compare them."""
    from auricle.app.server import serve

    serve(runs, allowed_folders, port, host, max_upload, open_browser)
