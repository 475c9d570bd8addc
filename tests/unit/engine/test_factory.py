"""Building tasks, loading models and checking settings."""

from pathlib import Path
from typing import Any

import pytest

from auricle import Settings, Spec, SpecError
from auricle.engine.factory import (
    build_run_spec,
    build_task,
    check_settings,
    construct_model,
    deploy_model,
    display_name,
    resolve_model,
)
from auricle.engine.workers.replicas import ReplicaPool
from auricle.engine.workers.senders import SenderPool
from auricle.testing.models import Echo, FakeApi


@pytest.fixture
def spec(manifest: Any) -> Spec:
    return Spec(
        task="qa", task_args={"data": str(manifest([{"id": "1", "question": "x", "answer": "x"}]))}, model="echo"
    )


def test_unknown_argument_lists_the_accepted_ones() -> None:
    with pytest.raises(SpecError, match=r"echo: got an unexpected keyword argument 'dely'; it takes .*delay"):
        construct_model(Echo, "echo", {"dely": 1})


def test_error_in_a_task_function_is_a_spec_error(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("def fails():\n    raise ValueError('no data')\n")
    with pytest.raises(SpecError, match=r"^mine\.py:fails raised ValueError: no data \(mine\.py:2\)"):
        build_task(Spec(task=f"{tmp_path / 'mine.py'}:fails", model="echo"))


def test_task_function_must_return_a_task(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("def nothing():\n    return 3\n")
    with pytest.raises(SpecError, match="returned int instead of a Task"):
        build_task(Spec(task=f"{tmp_path / 'mine.py'}:nothing", model="echo"))


@pytest.mark.parametrize(
    ("model", "settings", "message"),
    [
        ("fake-api", Settings(replicas=2), "--replicas, --devices and --backend do not apply to fake-api"),
        ("echo", Settings(processes=2), "--processes does not apply to echo"),
        ("echo", Settings(backend="ray", devices=("0",)), "--backend ray cannot be combined with --devices"),
    ],
)
def test_settings_of_another_kind_of_model_are_rejected(model: str, settings: Settings, message: str) -> None:
    spec = Spec(task="demo", model=model)
    with pytest.raises(SpecError, match=message):
        check_settings(resolve_model(spec), spec, settings)


def test_model_is_deployed_as_the_settings_require() -> None:
    local, remote = Spec(task="demo", model="echo"), Spec(task="demo", model="fake-api")
    assert isinstance(deploy_model(Echo, local, Settings()), Echo)
    assert isinstance(deploy_model(FakeApi, remote, Settings(processes=2)), SenderPool)
    pool = deploy_model(Echo, local, Settings(replicas=3))
    assert isinstance(pool, ReplicaPool)
    assert len(pool.workers) == 3


def test_spec_document_has_identity_and_versions(spec: Spec) -> None:
    task = build_task(spec)
    run_spec = build_run_spec(spec, task, task.inferencer)
    assert run_spec.identity["task"] == "qa"
    assert run_spec.identity["inferencer"] == repr(task.inferencer)
    assert run_spec.versions.keys() == {"auricle", "python"}
    assert run_spec.platform


def test_display_name_omits_folders() -> None:
    assert display_name("/long/path/mine.py:Model") == "mine.py:Model"
    assert display_name("package.module:Model") == "package.module:Model"
