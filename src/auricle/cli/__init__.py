"""`auricle`: a thin skin over `auricle.api`. A command imports what it needs when called."""

from __future__ import annotations

import sys

import click

from auricle.cli import keeping, reading, running, showing
from auricle.core.errors import SpecError


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="auricle", message="%(prog)s %(version)s")
def cli() -> None:
    """Evaluate anything that listens.

    Try `auricle demo` first: two real recognisers on speech that ships with the package.
    """


for command in (
    *(running.run, running.demo, running.perf, running.ask, running.preview, running.doctor),
    *(reading.score, reading.show, reading.samples, reading.compare, reading.export),
    *(
        reading.leaderboard,
        reading.list_,
        keeping.import_,
        keeping.cache,
        keeping.data,
        keeping.env,
        running.fake_server,
        showing.ui,
    ),
):
    cli.add_command(command)


def main() -> None:
    try:
        cli(standalone_mode=False)
    except SpecError as error:
        click.echo(f"auricle: {error}", err=True)
        sys.exit(2)
    except click.ClickException as error:
        error.show()
        sys.exit(2)
    except OSError as error:  # a full disk, a folder that may not be written to
        click.echo(f"auricle: {error}", err=True)
        sys.exit(2)
    except (click.Abort, KeyboardInterrupt):
        click.echo("auricle: stopped at once. The same command resumes a run.", err=True)
        sys.exit(130)
