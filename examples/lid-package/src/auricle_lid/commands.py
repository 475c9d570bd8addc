"""`auricle language-sets`: list the sets of languages."""

import click

from auricle_lid.languages import LANGUAGE_SETS


@click.command(name="language-sets")
def language_sets() -> None:
    """List the sets of languages of `--as lid`."""
    for name, languages in LANGUAGE_SETS.items():
        click.echo(f"{name}: {', '.join(languages.values())}")
