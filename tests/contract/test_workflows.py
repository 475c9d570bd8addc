"""The workflows of the build server: pinned, without rights that they do not need, and about files that exist."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support import paths
from tests.support.extras import read_project, require_extra

WORKFLOWS = {path.stem: path for path in (paths.ROOT / ".github" / "workflows").glob("*.yml")}
PINNED = re.compile(r"uses: [\w.-]+/[\w./-]+@[0-9a-f]{40} # v\d+(\.\d+)+$")


def read(name: str) -> dict[str, Any]:
    workflow: dict[str, Any] = yaml.safe_load(WORKFLOWS[name].read_text(encoding="utf-8"))
    return workflow


def scripts_of(name: str) -> list[str]:
    return [step["run"] for job in read(name)["jobs"].values() for step in job["steps"] if "run" in step]


@pytest.mark.slow
def test_zizmor_reports_nothing() -> None:
    require_extra("packaging")
    command = [str(Path(sys.executable).with_name("zizmor")), "--offline", "--persona", "auditor", ".github", "action"]
    process = subprocess.run(command, cwd=paths.ROOT, capture_output=True, text=True, check=False)
    assert not process.returncode, process.stdout + process.stderr


@pytest.mark.parametrize("name", WORKFLOWS)
def test_actions_are_pinned_to_a_commit_with_its_version(name: str) -> None:
    lines = [line.strip().removeprefix("- ") for line in WORKFLOWS[name].read_text(encoding="utf-8").splitlines()]
    used = [line for line in lines if line.startswith("uses:")]
    assert used
    assert not [line for line in used if not PINNED.fullmatch(line)]


@pytest.mark.parametrize("name", WORKFLOWS)
def test_a_workflow_has_no_rights_that_a_job_does_not_name(name: str) -> None:
    workflow = read(name)
    assert workflow["permissions"] == {}
    for job in workflow["jobs"].values():
        assert job["timeout-minutes"] <= 60
        assert job["permissions"]
        checkouts = [step for step in job["steps"] if "actions/checkout" in step.get("uses", "")]
        assert all(step["with"]["persist-credentials"] is False for step in checkouts)


def test_only_the_job_without_scripts_may_publish() -> None:
    jobs = read("release")["jobs"]
    publish = jobs["publish"]
    assert publish["permissions"] == {"id-token": "write"}
    assert publish["environment"] == "pypi"
    assert {*publish["needs"]} == {"build", "list", "try"}
    assert not [step for step in publish["steps"] if "run" in step]
    for name in publish["needs"]:
        assert jobs[name]["permissions"] == {"contents": "read"}


def test_jobs_install_from_the_lock() -> None:
    """What tries a wheel installs as a user does, and what tries the oldest packages chooses versions itself."""
    for name in WORKFLOWS:
        for job in {*read(name)["jobs"]} - {"try", "lowest"}:
            for step in read(name)["jobs"][job]["steps"]:
                script = step.get("run", "")
                assert "uvx" not in script
                assert "pip install" not in script or "--constraint constraints.txt" in script


@pytest.mark.parametrize("name", WORKFLOWS)
def test_files_in_scripts_exist_and_no_expression_is_written_into_one(name: str) -> None:
    for script in scripts_of(name):
        assert "${{" not in script
        for path in re.findall(r"(?:scripts|tests|\.ci)/[\w./-]+", script):
            assert (paths.ROOT / path).exists(), path
        for extra in re.findall(r"'\.\[([\w,]+)\]'", script):
            assert {*extra.split(",")} <= read_project()["optional-dependencies"].keys()


def test_every_supported_python_is_tested() -> None:
    jobs = read("ci")["jobs"]
    tested = {"3.11", *jobs["python"]["strategy"]["matrix"]["python"]}
    prefix = "Programming Language :: Python :: 3."
    supported = {f"3.{text.removeprefix(prefix)}" for text in read_project()["classifiers"] if text.startswith(prefix)}
    assert tested == supported
    assert "3.11" in str(jobs["everything"]["steps"])


def test_forms_and_updates_are_valid_yaml() -> None:
    files = [*(paths.ROOT / ".github").rglob("*.yml")]
    assert {"bug.yml", "feature.yml", "config.yml", "dependabot.yml"} <= {path.name for path in files}
    for path in files:
        assert isinstance(yaml.safe_load(path.read_text(encoding="utf-8")), dict), path
    for name in ("bug.yml", "feature.yml"):
        form = yaml.safe_load((paths.ROOT / ".github" / "ISSUE_TEMPLATE" / name).read_text(encoding="utf-8"))
        assert {"name", "description", "body"} <= form.keys()
        fields = [field for field in form["body"] if field["type"] != "markdown"]
        assert len({field["id"] for field in fields}) == len(fields)
        assert all(field["attributes"]["label"] for field in fields)
