"""Check that a tag, the files to publish, CHANGELOG.md and CITATION.cff have the same version, and images a digest.

python scripts/check_release.py v0.1.0 dist
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def find_problems(tag: str, dist: Path, root: Path = ROOT) -> Iterator[str]:
    """Yield what is not ready for a release of this tag."""
    version = tag.removeprefix("v")
    if tag == version:
        yield f"The tag {tag} does not start with v."
    names = sorted(path.name for path in dist.iterdir())
    expected = [f"auricle-{version}-py3-none-any.whl", f"auricle-{version}.tar.gz"]
    if names != expected:
        yield f"Expected {' and '.join(expected)} in {dist}, not {', '.join(names) or 'an empty folder'}."
    if f"\n## {version}" not in (root / "CHANGELOG.md").read_text(encoding="utf-8"):
        yield f"CHANGELOG.md has no section {version}. Rename the section Unreleased."
    cited = re.search(r"^version: (\S+)$", (root / "CITATION.cff").read_text(encoding="utf-8"), re.MULTILINE)
    if not cited or cited[1] != version:
        yield f"The version in CITATION.cff is {cited[1] if cited else 'missing'}, not {version}."
    images = re.findall(r"^FROM (\S+)", (root / "Dockerfile").read_text(encoding="utf-8"), re.MULTILINE)
    for image in dict.fromkeys(images):
        if "@sha256:" not in image:
            yield f"The image {image} in Dockerfile has no digest, so that its content may change. Pin it."


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tag", help="tag of the release, such as v0.1.0")
    parser.add_argument("dist", type=Path, help="folder with the wheel and the sdist")
    options = parser.parse_args()
    problems = list(find_problems(options.tag, options.dist))
    for problem in problems:
        print(problem, file=sys.stderr)
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())
