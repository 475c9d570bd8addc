"""Hand-made wheels, so that pip installs without a network."""

import zipfile
from importlib.metadata import distribution
from typing import Any

from packaging.tags import parse_tag, sys_tags

SUPPORTED = frozenset(sys_tags())
WHEEL = "Wheel-Version: 1.0\nGenerator: by hand\nRoot-Is-Purelib: true\nTag: py3-none-any\n"


def made(folder: Any, name: Any, code: Any, version: str = "1.0") -> Any:
    """Write the wheel of a package with one module."""
    path = folder / f"{name}-{version}-py3-none-any.whl"
    about = f"{name}-{version}.dist-info"
    with zipfile.ZipFile(path, "w") as wheel:
        wheel.writestr(f"{name}.py", code)
        wheel.writestr(f"{about}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
        wheel.writestr(f"{about}/WHEEL", WHEEL)
        wheel.writestr(f"{about}/RECORD", "")
    return path


def packed_again(folder: Any, name: Any) -> Any:
    """Rebuild the wheel of a package installed in this environment."""
    result = distribution(name)
    tags = [line[5:] for line in (result.read_text("WHEEL") or "").splitlines() if line.startswith("Tag: ")]
    (tag, *_) = [tag for tag in tags if parse_tag(tag) & SUPPORTED]
    path = folder / f"{name.replace('-', '_')}-{result.version}-{tag}.whl"
    generated = {script.name for script in result.entry_points.select(group="console_scripts")}
    with zipfile.ZipFile(path, "w") as wheel:
        for file in result.files or ():
            if file.parent.name == "bin" and ".." in file.parts and file.name not in generated:
                wheel.write(file.locate(), f"{path.name.rsplit('-', 3)[0]}.data/scripts/{file.name}")
            inside = ".." not in file.parts and "__pycache__" not in file.parts
            if inside and file.name not in ("INSTALLER", "REQUESTED", "direct_url.json"):
                wheel.write(file.locate(), str(file))
    return path
