"""Lock the packages of development and CI to exact versions and hashes, and install them.

    python scripts/lock.py write            resolve pyproject.toml and write requirements.lock
    python scripts/lock.py install test     install the locked packages and this project
    python scripts/lock.py install dev      the same for the extra `dev`, which is much smaller
    python scripts/lock.py install demo     the same for the extra `demo`
    python scripts/lock.py install A,B --no-editable    the same for two extras, with a copy of the project
    python scripts/lock.py constraints      print the versions without hashes, for `pip install auricle -c FILE`

The lock holds one file per package, for the Python version and platform in its first line. There, `install` accepts no
other files. Elsewhere it lets pip resolve pyproject.toml as usual. Packages in WITHOUT_HASH are built for each kind of
machine by different people, so that only their version is fixed.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
LOCK = ROOT / "requirements.lock"
WITHOUT_HASH = {"torch"}
TOOLS = ("pip", "hatchling", "hatch-vcs", "editables")
"""Installs and builds this project."""
LOCKED_EXTRA = "test"
LINE = re.compile(r"(?P<name>[\w.-]+)==(?P<version>\S+)(?: --hash=sha256:(?P<sha256>[0-9a-f]{64}))?")


@dataclass(frozen=True)
class Package:
    """A package in the lock."""

    name: str
    version: str
    sha256: str | None

    def __str__(self) -> str:
        return f"{self.name}=={self.version}" + (f" --hash=sha256:{self.sha256}" if self.sha256 else "")


def normalize(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def this_environment() -> str:
    return f"Python {sys.version_info.major}.{sys.version_info.minor} on {sysconfig.get_platform()}"


def read_lock(path: Path = LOCK) -> tuple[str, dict[str, Package]]:
    """Return the environment of the lock and its packages by name."""
    first, *lines = path.read_text(encoding="utf-8").splitlines()
    packages = [Package(**match.groupdict()) for line in lines if (match := LINE.fullmatch(line))]
    return first.removeprefix("# Made by scripts/lock.py for ").removesuffix("."), {
        package.name: package for package in packages
    }


def write(path: Path) -> None:
    """Resolve the project and its tools, and write the lock."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        options = ["--quiet", "--dry-run", "--ignore-installed", "--report", str(report)]
        pip("install", *options, f"{ROOT}[{LOCKED_EXTRA}]", *TOOLS)
        packages = sorted(locked(json.loads(report.read_text(encoding="utf-8"))["install"]), key=lambda item: item.name)
    header = f"# Made by scripts/lock.py for {this_environment()}.\n"
    path.write_text(header + "".join(f"{package}\n" for package in packages), encoding="utf-8")
    print(f"{path.name}: {len(packages)} packages for {this_environment()}")


def locked(installs: Iterable[dict[str, Any]]) -> Iterator[Package]:
    """Yield the packages of a report of pip; refuse what was withdrawn or has no hash."""
    for entry in installs:
        name, version = normalize(entry["metadata"]["name"]), entry["metadata"]["version"]
        if entry["is_direct"]:
            continue  # this project
        if entry.get("is_yanked"):
            sys.exit(f"{name} {version} was withdrawn by its authors. Exclude the version in pyproject.toml.")
        if name in WITHOUT_HASH:
            yield Package(name, version.partition("+")[0], None)
            continue
        sha256 = entry["download_info"].get("archive_info", {}).get("hashes", {}).get("sha256")
        if sha256 is None:
            sys.exit(f"{name} {version} comes without a SHA-256 hash. Install it from a source that has one.")
        yield Package(name, version, sha256)


def print_constraints(path: Path) -> None:
    """Print the versions alone: pip accepts hashes only if everything it installs has one, Auricle included."""
    _, packages = read_lock(path)
    print("".join(f"{package.name}=={package.version}\n" for package in packages.values()), end="")


def install(extra: str, path: Path, *, is_editable: bool = True) -> None:
    """Install the locked files of an extra, then this project."""
    environment, packages = read_lock(path)
    source = f"{ROOT}[{extra}]"
    project = ["--quiet", *(["--editable"] if is_editable else []), source]
    if environment != this_environment():
        print(f"{path.name} is for {environment}; on {this_environment()} pip chooses the versions.")
        pip("install", "--quiet", "--upgrade", "pip")
        pip("install", *no_compile(extra), *project)
        return
    with tempfile.TemporaryDirectory() as folder:
        hashed, versions = Path(folder) / "hashed.txt", Path(folder) / "versions.txt"
        versions.write_text(
            "".join(f"{package.name}=={package.version}\n" for package in packages.values()), encoding="utf-8"
        )
        pip("install", "--quiet", "--require-hashes", "--no-deps", "-r", write_hashed(hashed, packages, TOOLS))
        constraints = ["--constraint", str(versions), "--build-constraint", str(versions)]
        names = packages if extra == LOCKED_EXTRA else resolve(source, Path(folder) / "report.json", constraints)
        options = ["--quiet", *no_compile(extra), "--no-deps", "--require-hashes", "--build-constraint", str(versions)]
        pip("install", *options, "-r", write_hashed(hashed, packages, names))
        pip("install", *no_compile(extra), "--no-build-isolation", "--constraint", str(versions), *project)


def resolve(source: str, report: Path, constraints: list[str]) -> list[str]:
    """Return the names of the packages that the project with its extras needs, and the tools that build it."""
    options = ["--quiet", "--dry-run", "--ignore-installed", "--report", str(report)]
    pip("install", *options, *constraints, source, *TOOLS)
    entries = json.loads(report.read_text(encoding="utf-8"))["install"]
    return [normalize(entry["metadata"]["name"]) for entry in entries]


def write_hashed(file: Path, packages: dict[str, Package], names: Iterable[str]) -> str:
    lines = [f"{packages[name]}\n" for name in names if name in packages and packages[name].sha256]
    file.write_text("".join(lines), encoding="utf-8")
    return str(file)


def no_compile(extra: str) -> list[str]:
    """Return the option that leaves compiling to the first import, which is faster for the large extra."""
    return ["--no-compile"] if extra == LOCKED_EXTRA else []


def pip(*words: str) -> None:
    process = subprocess.run([sys.executable, "-m", "pip", *words], check=False)
    if process.returncode:
        sys.exit(process.returncode)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=["write", "install", "constraints"])
    parser.add_argument("extra", nargs="?", default=LOCKED_EXTRA, help="extra to install [default: test]")
    parser.add_argument("--no-editable", action="store_true", help="install a copy of this project")
    parser.add_argument("--lock", type=Path, default=LOCK, help="the lock file [default: requirements.lock]")
    options = parser.parse_args()
    if options.command == "install":
        install(options.extra, options.lock, is_editable=not options.no_editable)
    else:
        {"write": write, "constraints": print_constraints}[options.command](options.lock)


if __name__ == "__main__":
    main()
