"""Install throw-away packages, as pip would: a module, and a `.dist-info` folder with its entry points."""

import textwrap
from collections.abc import Mapping
from pathlib import Path

EntryPoints = Mapping[str, Mapping[str, str]]
"""Import paths by name, by group without the prefix `auricle.`."""


def write_package(folder: Path, name: str, entry_points: EntryPoints, code: str = "", version: str = "1.0") -> None:
    """Write the package `name`, whose module has the same name with underscores, into a folder of packages."""
    folder.mkdir(parents=True, exist_ok=True)
    module = name.replace("-", "_")
    (folder / f"{module}.py").write_text(textwrap.dedent(code), encoding="utf-8")
    metadata = folder / f"{module}-{version}.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n", encoding="utf-8")
    sections = [
        "\n".join([f"[auricle.{group}]", *(f"{key} = {path}" for key, path in points.items())])
        for group, points in entry_points.items()
    ]
    (metadata / "entry_points.txt").write_text("\n\n".join(sections) + "\n", encoding="utf-8")
