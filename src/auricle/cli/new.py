"""`auricle new`: write a package that adds a benchmark, a model or a metric."""

from __future__ import annotations

import keyword
import re
import shlex
from collections.abc import Mapping
from pathlib import Path
from string import Template

import click

from auricle.cli import options as opt
from auricle.cli.output import print_result
from auricle.core.errors import SpecError
from auricle.core.registry import Registry, import_object

TEMPLATES = Path(__file__).parent / "package_templates"
TEMPLATE_SUFFIX = ".in"
"""Suffix of files in which names are replaced; others are copied."""
PACKAGE_FOLDER = "PACKAGE"
REGISTRIES = {
    "benchmark": "auricle.engine.catalogue:TASKS",
    "model": "auricle.models.catalogue:MODELS",
    "metric": "auricle.metrics.catalogue:METRICS",
}
NAME_PATTERN = re.compile(r"[a-z][a-z0-9]*([-_][a-z0-9]+)*")
USES = {"benchmark": "auricle run {} -m echo", "model": "auricle run demo -m {}", "metric": "auricle list metrics"}
"""A first command with the new part."""


@click.command()
@click.argument("kind", type=click.Choice(list(REGISTRIES)))
@click.argument("name")
@opt.path("--to DIR", "Folder of the package; it must be empty or not exist yet. [default: auricle-NAME]")
@opt.json_option
def new(kind: str, name: str, to: Path | None, as_json: bool) -> None:
    """Write a package that adds a benchmark, a model or a metric.

    The package can be installed, tested and published as it is; replace its example by your own data or code. NAME is
    the name that commands will use, such as city-noise. To evaluate a model on your data, `auricle init` writes a
    project instead.
    """
    names = build_names(kind, name)
    folder = to or Path(names["distribution"])
    files = write_package(kind, folder, names)
    install = f"pip install -e {shlex.quote(f'{folder}[test]')}"
    commands = [install, f"pytest {shlex.quote(str(folder))}", USES[kind].format(name)]
    document = {"folder": str(folder), "files": list(map(str, files)), "commands": commands}
    print_result(as_json, document, [f"Wrote {folder}. Next:", *(f"  {command}" for command in commands)])


def build_names(kind: str, name: str) -> dict[str, str]:
    """Return the names of a new package and of what it contains.

    Raises:
        SpecError: if the name is not valid, or already taken.
    """
    if not NAME_PATTERN.fullmatch(name):
        raise SpecError(
            f"Invalid name {name!r}. Use words of lower-case letters and digits, joined by '-' or '_': city-noise."
        )
    words = re.split("[-_]", name)
    function = "_".join(words)
    if keyword.iskeyword(function):
        raise SpecError(f"Invalid name {name!r}: it is a keyword of Python. Choose another name.")
    registry: Registry[object] = import_object(REGISTRIES[kind])
    if name in registry:
        package = registry.package(name) or "Auricle"
        raise SpecError(f"There is already a {registry.kind} {name!r} in {package}. Choose another name.")
    distribution = "-".join(words if words[0] == "auricle" and len(words) > 1 else ["auricle", *words])
    return {
        "name": name,
        "title": " ".join(words).capitalize(),
        "distribution": distribution,
        "package": distribution.replace("-", "_"),
        "class_name": "".join(word.capitalize() for word in words),
        "function": function,
    }


def write_package(kind: str, folder: Path, names: Mapping[str, str]) -> list[Path]:
    """Write the files of a package, and return their paths.

    Raises:
        SpecError: if there is already something in the folder.
    """
    require_empty(folder, "Choose another one with --to DIR.")
    return write_templates(TEMPLATES / kind, folder, names)


def require_empty(folder: Path, advice: str) -> None:
    """Refuse a folder in which there is something."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise SpecError(f"{folder} already exists and is not an empty folder. {advice}")


def write_templates(template_folder: Path, folder: Path, names: Mapping[str, str]) -> list[Path]:
    """Copy the files of a folder of templates with their names replaced, and return the paths of the copies.

    Args:
        template_folder: Folder of the templates; the folder `PACKAGE` in it gets the name of the package.
        folder: Where the copies are written.
        names: What replaces `$name` in the files that end in `.in`.
    """
    written = []
    for source in sorted(path for path in template_folder.rglob("*") if path.is_file()):
        parts = source.relative_to(template_folder).parts
        target = folder.joinpath(*(names["package"] if part == PACKAGE_FOLDER else part for part in parts))
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.suffix == TEMPLATE_SUFFIX:
            text = Template(source.read_text(encoding="utf-8")).substitute(names)
            target = target.with_suffix("")
            target.write_text(text, encoding="utf-8")
        else:
            target.write_bytes(source.read_bytes())
        written.append(target)
    return written
