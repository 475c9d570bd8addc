"""The container image, without building it: its files, extras and Python exist, and it runs as an ordinary user."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml
from scripts.lock import read_lock

from tests.support import paths
from tests.support.extras import read_project

DOCKERFILE = paths.ROOT / "Dockerfile"
BUILD_ARGUMENT = re.compile(r"--build-arg (\w+)=")
EXTRAS = re.compile(r"EXTRAS[=:] ?([\w,-]+)")


def read_instructions() -> list[tuple[str, str]]:
    """Return the instructions of the Dockerfile with their arguments, lines joined and comments removed."""
    lines = [line for line in DOCKERFILE.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    joined = re.sub(r"\\\n\s*", "", "\n".join(lines))
    return [(word, rest) for word, _, rest in (line.partition(" ") for line in joined.splitlines() if line)]


def arguments_of(instruction: str) -> list[str]:
    return [rest for word, rest in read_instructions() if word == instruction]


def list_copied() -> list[str]:
    return [source for rest in arguments_of("COPY") if "--from" not in rest for source in rest.split()[:-1]]


def test_every_copied_file_exists_and_reaches_the_build() -> None:
    *lines, excluded = (paths.ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()[1:]
    assert (lines[0], excluded) == ("*", "**/__pycache__")
    assert sorted(line.removeprefix("!") for line in lines[1:]) == sorted(list_copied())
    assert [source for source in list_copied() if not (paths.ROOT / source).exists()] == []


def test_the_build_has_what_the_package_is_made_of() -> None:
    project = read_project()
    needed = [*project["license-files"], "README.md", "pyproject.toml", "src", "scripts/package_metadata.py"]
    assert {*needed} <= {*list_copied()}


def test_python_is_the_one_of_the_lock() -> None:
    environment, _ = read_lock()
    images = {rest.split()[0] for rest in arguments_of("FROM")}
    (image,) = images
    version = re.search(r"Python (\d+\.\d+)", environment)
    assert version
    name, _, digest = image.partition("@")
    assert name == f"python:{version[1]}-slim"
    assert re.fullmatch(r"(sha256:[0-9a-f]{64})?", digest)


def test_packages_of_the_image_are_installed_with_the_hashes_of_the_lock() -> None:
    installed = [command for run in arguments_of("RUN") for command in run.split("&&") if "install " in command]
    assert [command.split()[1:3] for command in installed if "python" in command] == [["scripts/lock.py", "install"]]


@pytest.mark.parametrize("name", ["Dockerfile", "docs/containers.md", ".github/workflows/release.yml"])
def test_extras_and_arguments_of_builds_exist(name: str) -> None:
    text = (paths.ROOT / name).read_text(encoding="utf-8")
    named = {extra for match in EXTRAS.findall(text) for extra in match.split(",") if match.islower()}
    assert named
    assert named <= read_project()["optional-dependencies"].keys()
    declared = {rest.partition("=")[0] for rest in arguments_of("ARG")}
    assert {*BUILD_ARGUMENT.findall(text)} <= declared


def test_the_image_runs_auricle_as_an_ordinary_user() -> None:
    assert arguments_of("USER") == ["1000"]
    assert arguments_of("ENTRYPOINT") == ['["auricle"]']
    assert arguments_of("VOLUME") == ['["/work", "/cache"]']
    words = [word for word, _ in read_instructions()]
    assert words.index("USER") > max(index for index, word in enumerate(words) if word in ("RUN", "COPY"))


def test_the_image_names_no_host() -> None:
    text = DOCKERFILE.read_text(encoding="utf-8")
    assert not re.search(r"https?://|index-url|\b\w+\.(com|io|org|net)\b", text.replace("org.opencontainers", ""))


def test_workflows_try_the_image_with_a_script_that_exists() -> None:
    for workflow in ("ci", "release"):
        text = (paths.ROOT / ".github" / "workflows" / f"{workflow}.yml").read_text(encoding="utf-8")
        (script,) = {Path(match) for match in re.findall(r"\$PWD/(\S+?\.py):", text)}
        assert (paths.ROOT / script).is_file()
        assert "image" in yaml.safe_load(text)["jobs"]
