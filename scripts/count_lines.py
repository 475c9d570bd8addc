"""Print how large the rooms of the engine, the features and the tests are, and a few signs of indirection.

    python scripts/count_lines.py

`Any` and `dict[str, Any]` are counted per thousand lines. `used once` is the share of functions and methods that are
private and named in one further place of their module: a few hide something difficult, many make code hard to follow.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from auricle.core.features import ENGINE, find_features

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "auricle"
HEADER = f"{'':28}{'files':>7}{'lines':>9}{'Any':>7}{'dict[str, Any]':>16}{'used once':>11}"


@dataclass(frozen=True)
class Size:
    """Counts of some modules."""

    files: int = 0
    lines: int = 0
    any_names: int = 0
    any_dicts: int = 0
    functions: int = 0
    used_once: int = 0

    @classmethod
    def of(cls, path: Path) -> Size:
        """Count a module."""
        text = path.read_text(encoding="utf-8")
        nodes = [*ast.walk(ast.parse(text))]
        functions = [node.name for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
        names = Counter(node.id for node in nodes if isinstance(node, ast.Name))
        names.update(node.attr for node in nodes if isinstance(node, ast.Attribute))
        private = [name for name in functions if name.startswith("_") and not name.endswith("__")]
        return cls(
            files=1,
            lines=text.count("\n"),
            any_names=names["Any"],
            any_dicts=len(re.findall(r"\bdict\[str, Any\]", text)),
            functions=len(functions),
            used_once=sum(names[name] == 1 for name in private),
        )

    @classmethod
    def sum(cls, sizes: Iterable[Size]) -> Size:
        """Add up counts."""
        rows = [*sizes]
        return cls(**{name: sum(getattr(row, name) for row in rows) for name in cls.__dataclass_fields__})

    def format(self, name: str) -> str:
        """Return a line of the table."""
        per_thousand = 1000 / max(1, self.lines)
        share = self.used_once / max(1, self.functions)
        numbers = f"{self.any_names * per_thousand:7.1f}{self.any_dicts * per_thousand:16.1f}{share:11.1%}"
        return f"{name:28}{self.files:7,}{self.lines:9,}{numbers}"


def count_parts() -> Iterator[tuple[str, str, Size]]:
    """Yield the half, the name and the size of each room and feature."""
    features = {feature.package.partition(".")[2].replace(".", "/") for feature in find_features()}
    sizes: dict[tuple[str, str], list[Size]] = {}
    for path in sorted(SOURCE.rglob("*.py")):
        folder = path.relative_to(SOURCE).parent.as_posix()
        feature = next((name for name in features if folder == name or folder.startswith(f"{name}/")), "")
        room = folder.partition("/")[0]
        half = "engine" if not feature and (room in (*ENGINE, ".")) else "features"
        name = feature or (room if room != "." else "api and others")
        sizes.setdefault((half, name), []).append(Size.of(path))
    for half, name in sorted(sizes):
        yield half, name, Size.sum(sizes[half, name])


def main() -> None:
    """Print the table."""
    print(HEADER)
    parts = [*count_parts()]
    for half in ("engine", "features"):
        for each, name, size in parts:
            if each == half:
                print(size.format(name))
        print(Size.sum(size for each, _, size in parts if each == half).format(f"{half} together"), end="\n\n")
    print(Size.sum(size for *_, size in parts).format("src"))
    print(Size.sum(map(Size.of, (ROOT / "tests").rglob("*.py"))).format("tests"))


if __name__ == "__main__":
    main()
