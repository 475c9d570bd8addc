"""Check the installed packages against requirements.lock, without a network.

    python scripts/audit.py                       versions, files, code that runs at start-up, licences
    python scripts/audit.py --advisories FOLDER   also known vulnerabilities, from a folder of OSV files (JSON)

A finding is a package that is missing, not locked or of another version; a file that differs from what was installed;
a `.pth` file that runs code and belongs to no package; a licence that forbids use or distribution with this project;
a known vulnerability. Exits with 1 if there are findings. If pip-audit is installed, `make audit` runs it as well.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import importlib.metadata
import json
import re
import site
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

from lock import LOCK, Package, normalize, read_lock, this_environment
from packaging.version import InvalidVersion, Version

PROJECT = "auricle"
OPTIONAL = {"pip-audit"}
"""Tools that may be added by hand."""
FORBIDDEN_LICENCES = re.compile(
    r"\bAGPL|Affero|(?<!L)GPL-3|(?<!Lesser )General Public License v3|SSPL|Server Side Public"
    r"|Non-?Commercial|CC-BY-NC|Commons Clause|Proprietary|Free for non",
    re.IGNORECASE,
)

Distribution = importlib.metadata.Distribution


def installed() -> dict[str, Distribution]:
    """Return the installed packages by name; the first on the path counts, as in imports."""
    packages: dict[str, Distribution] = {}
    for distribution in importlib.metadata.distributions():
        packages.setdefault(normalize(distribution.metadata["Name"]), distribution)
    return packages


def compare_versions(packages: dict[str, Distribution], locked: dict[str, Package]) -> Iterator[str]:
    for name, package in locked.items():
        if name not in packages:
            yield f"{name}: locked at {package.version}, but not installed"
        elif _public(packages[name].version) != _public(package.version):
            yield f"{name}: locked at {package.version}, installed {packages[name].version}"
    for name in sorted(packages.keys() - locked.keys() - OPTIONAL - {PROJECT}):
        yield f"{name}: installed {packages[name].version}, but not in {LOCK.name}"


def _public(version: str) -> str:
    """Remove the local part: builds of one version for different machines differ in it."""
    return version.partition("+")[0]


def check_files(name: str, distribution: Distribution) -> Iterator[str]:
    """Compare the files of a package with the hashes recorded when it was installed."""
    files = distribution.files
    if files is None:
        yield f"{name}: no list of installed files"
    for file in files or ():
        if file.hash is None or file.suffix == ".pyc":
            continue
        path = Path(str(file.locate()))
        if not path.is_file():
            yield f"{name}: missing file {file}"
        elif _digest(path, file.hash.mode) != file.hash.value:
            yield f"{name}: changed file {file}"


def _digest(path: Path, algorithm: str) -> str:
    with path.open("rb") as stream:
        digest = hashlib.file_digest(stream, algorithm).digest()
    return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()


def check_startup_code(packages: Iterable[Distribution]) -> Iterator[str]:
    """Report `.pth` files with code that no package installed."""
    owned = {Path(str(file.locate())).resolve() for package in packages for file in package.files or ()}
    for folder in site.getsitepackages():
        for path in sorted(Path(folder).glob("*.pth")):
            runs_code = re.search(r"^import[ \t]", path.read_text(encoding="utf-8", errors="replace"), re.MULTILINE)
            if runs_code and path.resolve() not in owned:
                yield f"{path.name}: runs code whenever Python starts, and belongs to no package"


def check_source(name: str, distribution: Distribution, locked: Package) -> Iterator[str]:
    """Report a package that was installed from a folder, a repository or another file than the locked one."""
    text = distribution.read_text("direct_url.json")
    if text is None:
        return
    sha256 = json.loads(text).get("archive_info", {}).get("hashes", {}).get("sha256")
    if locked.sha256 and sha256 != locked.sha256:
        yield f"{name}: not installed from the locked file"


def licence_of(distribution: Distribution) -> str:
    metadata = distribution.metadata
    classifiers = [text for text in metadata.get_all("Classifier") or () if text.startswith("License ::")]
    lines = (metadata.get("License") or "").strip().splitlines()
    return metadata.get("License-Expression") or "; ".join(classifiers) or (lines[0] if lines else "unknown")


def check_licence(name: str, distribution: Distribution) -> Iterator[str]:
    licence = licence_of(distribution)
    alternatives = re.split(r"\bOR\b", licence)
    if all(FORBIDDEN_LICENCES.search(part) for part in alternatives):
        yield f"{name}: licence {licence}"


def check_advisories(folder: Path, packages: dict[str, Distribution]) -> Iterator[str]:
    """Compare installed versions with advisories in the OSV format."""
    for path in sorted(folder.rglob("*.json")):
        advisory = json.loads(path.read_text(encoding="utf-8"))
        if advisory.get("withdrawn"):
            continue
        for affected in advisory.get("affected", ()):
            name = normalize(affected.get("package", {}).get("name", ""))
            if name in packages and is_affected(_public(packages[name].version), affected):
                summary = advisory.get("summary") or advisory.get("details", "")
                yield f"{name} {packages[name].version}: {advisory['id']} {summary.splitlines()[0] if summary else ''}"


def is_affected(version: str, affected: dict[str, Any]) -> bool:
    return version in affected.get("versions", ()) or any(
        _is_in_range(parse_version(version), item["events"])
        for item in affected.get("ranges", ())
        if item.get("type") == "ECOSYSTEM"
    )


def _is_in_range(version: Version, events: list[dict[str, str]]) -> bool:
    """Follow the events of a range in their order: a version is affected from `introduced` to before `fixed`."""
    inside = False
    for event in events:
        if "introduced" in event and version >= parse_version(event["introduced"]):
            inside = True
        if "fixed" in event and version >= parse_version(event["fixed"]):
            inside = False
        if "last_affected" in event and version > parse_version(event["last_affected"]):
            inside = False
    return inside


@cache
def parse_version(text: str) -> Version:
    try:
        return Version(text)
    except InvalidVersion:
        return Version("0")


def audit(lock: Path, advisories: Path | None) -> list[str]:
    """Return all findings."""
    environment, locked = read_lock(lock)
    packages = installed()
    findings = list(check_startup_code(packages.values()))
    if environment == this_environment():
        findings += compare_versions(packages, locked)
    else:
        print(f"{lock.name} is for {environment}: versions are not compared on {this_environment()}.")
    for name, distribution in sorted(packages.items()):
        if name == PROJECT:
            continue  # its files are in version control
        findings += check_files(name, distribution)
        findings += check_licence(name, distribution)
        if name in locked:
            findings += check_source(name, distribution, locked[name])
    if advisories:
        findings += check_advisories(advisories, packages)
    return findings


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lock", type=Path, default=LOCK, help="the lock file [default: requirements.lock]")
    parser.add_argument("--advisories", type=Path, metavar="FOLDER", help="folder of OSV files")
    parser.add_argument("--licences", action="store_true", help="print the licence of every package")
    options = parser.parse_args()
    if options.licences:
        for name, distribution in sorted(installed().items()):
            print(f"{name} {distribution.version}: {licence_of(distribution)}")
    findings = audit(options.lock, options.advisories)
    print(*findings, f"{len(findings)} findings in {len(installed())} installed packages", sep="\n")
    return int(bool(findings))


if __name__ == "__main__":
    sys.exit(main())
