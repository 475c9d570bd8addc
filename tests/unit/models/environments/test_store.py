"""Stored environments and the choice of an interpreter."""

from pathlib import Path
from typing import Any

import pytest

from auricle.core.errors import SpecError
from auricle.models.environments import EnvironmentSpec, create, find, resolve_interpreter
from auricle.models.environments.store import compute_digest, find_usable
from tests.support.environment_folders import finished, unfinished


@pytest.mark.parametrize("name", ["../up", ".hidden", "a b", "", "a/b"])
def test_invalid_name_is_refused(nowhere: Any, name: str) -> None:
    with pytest.raises(SpecError, match="Invalid environment name"):
        create(name, EnvironmentSpec())


def test_unknown_environment_error_explains_how_to_create_it(
    nowhere: Any, auricle: Any, quiz: Any, tmp_path: Path
) -> None:
    finished(nowhere, "mine")
    done = auricle("run", quiz, "--as", "qa", "-m", "echo", "-M", "environment=yours", "-o", "run")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "Existing: mine. Create it with: auricle env create yours --package PACKAGE" in done.stderr
    assert not (tmp_path / "run").exists()


def test_unfinished_environment_is_refused(nowhere: Any, auricle: Any) -> None:
    unfinished(nowhere)
    done = auricle("ask", "-m", "echo", "-M", "environment=half", "--text", "hello")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "'half' is unfinished" in done.stderr
    assert "auricle env create half" in done.stderr


def test_environment_without_its_python_is_refused(nowhere: Any) -> None:
    path = finished(nowhere, "mine")
    (path / "bin" / "python").symlink_to("/no/where/python")
    with pytest.raises(SpecError, match=r"no longer exists \(/no/where/python\)"):
        find_usable("mine")


def test_damaged_metadata_counts_as_unfinished(nowhere: Any) -> None:
    (finished(nowhere, "mine") / "environment.json").write_text('{"digest": ')
    assert not find("mine").is_finished


def test_python_and_environment_exclude_each_other() -> None:
    with pytest.raises(SpecError, match=r"exclude each other. Remove one"):
        resolve_interpreter({"python": "/a/python", "environment": "ear"})


def test_model_without_python_and_environment_runs_in_process() -> None:
    assert resolve_interpreter({"model": "x"}) is None


def test_digest_depends_on_packages_and_hides_secrets() -> None:
    plain, secret = (EnvironmentSpec(variables={"A": "1"}), EnvironmentSpec(variables={"A": "1", "TOKEN": "x"}))
    other = EnvironmentSpec(variables={"A": "1", "TOKEN": "y"})
    assert compute_digest(plain, "3.11.1", []) != compute_digest(plain, "3.11.1", ["numpy==2"])
    assert compute_digest(plain, "3.11.1", []) != compute_digest(plain, "3.12.0", [])
    assert compute_digest(plain, "3.11.1", []) != compute_digest(secret, "3.11.1", [])
    assert compute_digest(secret, "3.11.1", []) == compute_digest(other, "3.11.1", [])
