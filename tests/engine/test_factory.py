"""Building tasks, loading models and checking settings."""

import asyncio
import sys
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from auricle import Generate, Settings, Spec, SpecError, Turn, evaluate
from auricle.core.errors import RunMismatch, Unsupported
from auricle.core.redaction import SECRETS
from auricle.engine.factory import (
    Evaluation,
    build_run_spec,
    build_task,
    check_arguments,
    check_settings,
    construct_model,
    deploy_model,
    describe_environment,
    display_name,
    model_identity,
    model_label,
    model_name,
    resolve_model,
)
from auricle.engine.workers import replicas
from auricle.engine.workers.ray import RayReplicaPool
from auricle.engine.workers.replicas import ReplicaOptions, ReplicaPool
from auricle.engine.workers.senders import SenderPool
from auricle.models.catalogue import MODELS
from auricle.runs.run_directory import Run
from auricle.testing.models import Echo, FakeApi
from tests.support.fake_ray import FakeRay


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


def test_display_name_is_the_name_that_a_class_gives_itself(spec: Spec, tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text("class Mine:\n    NAME = 'My-Model'\n    def generate_inner(self, msg): ...\n")
    assert display_name(f"kimi:{file}:Mine") == "My-Model"
    task = build_task(spec)
    run_spec = build_run_spec(spec.model_copy(update={"model": f"kimi:{file}:Mine"}), task, task.inferencer)
    assert run_spec.model_name == "My-Model"
    file.unlink()
    assert display_name(f"kimi:{file}:Mine") == "kimi:mine.py:Mine"
    assert model_name(Run(tmp_path, run_spec)) == "My-Model"


def test_display_name_omits_folders() -> None:
    assert display_name("/long/path/mine.py:Model") == "mine.py:Model"
    assert display_name("package.module:Model") == "package.module:Model"
    assert display_name("org/model:tag") == "org/model:tag"


def test_only_classes_of_other_frameworks_name_themselves(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text("class Mine:\n    declared_name = 'My-Model'\n    def generate(self, request): ...\n")
    assert display_name(f"{file}:Mine") == "mine.py:Mine"


def test_spec_document_has_what_the_task_states_about_its_data(spec: Spec) -> None:
    task = replace(build_task(spec), licence="CC-BY-4.0")
    assert build_run_spec(spec, task, task.inferencer).provenance["licence"] == "CC-BY-4.0"
    assert all(build_run_spec(spec, task, task.inferencer).provenance.values())


# --- evaluations, and what is deployed ----------------------------------------------------


def test_evaluation_is_named_after_task_and_model(manifest: Any) -> None:
    data = manifest([{"id": "1", "question": "x", "answer": "x"}], "my data!.jsonl")
    evaluation = Evaluation.prepare(Spec(task="qa", task_args={"data": str(data), "name": "my data!"}, model="echo"))
    assert evaluation.title == "my data! × echo"
    assert evaluation.folder_name == "my-data--echo"
    assert (evaluation.model_class, evaluation.task.name) == (Echo, "my data!")


@pytest.mark.parametrize(("limit", "count"), [(None, 3), (2, 2), (5, 3)])
def test_number_of_samples_is_known_and_limited(manifest: Any, limit: int | None, count: int) -> None:
    rows = [{"id": str(number), "question": "x", "answer": "x"} for number in range(3)]
    spec = Spec(task="qa", task_args={"data": str(manifest(rows))}, model="echo", limit=limit)
    evaluation = Evaluation.prepare(spec)
    sized = replace(evaluation, task=replace(evaluation.task, samples=[*evaluation.task.samples]))
    assert sized.sample_count == count
    endless = replace(evaluation, task=replace(evaluation.task, samples=iter(())))
    assert endless.sample_count == limit


def test_profile_of_the_spec_is_that_of_the_task(manifest: Any) -> None:
    data = str(manifest([{"id": "1", "audio": "a.wav", "text": "x"}]))
    plain, changed = (
        build_task(Spec(task="asr", task_args={"data": data}, model="echo", profile=profile))
        for profile in (None, "none")
    )
    assert [str(metric.profile) for metric in plain.metrics] != [str(metric.profile) for metric in changed.metrics]


def test_task_function_without_a_name_names_the_task(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "from auricle import Task\nfrom auricle.engine.inferencers import Respond\n\n\ndef quiz(name=''):\n"
        "    return Task(name=name, samples=[], inferencer=Respond('x'), metrics=[])\n"
    )
    reference = f"{tmp_path / 'mine.py'}:quiz"
    assert build_task(Spec(task=reference, model="echo")).name == "quiz"
    assert build_task(Spec(task=reference, task_args={"name": "other"}, model="echo")).name == "other"


def test_constructor_that_exits_is_a_spec_error(tmp_path: Path) -> None:
    class Exits(Echo):
        def __init__(self) -> None:
            raise SystemExit("no licence")

    with pytest.raises(SpecError, match="exits raised SystemExit: no licence"):
        construct_model(Exits, "exits", {})


def test_function_without_arguments_takes_nothing() -> None:
    with pytest.raises(SpecError, match="quiz: got an unexpected keyword argument 'x'; it takes nothing"):
        check_arguments(lambda: None, "quiz", {"x": 1})


@pytest.mark.parametrize(
    ("model", "settings", "message"),
    [
        ("fake-api", Settings(devices=("0",)), "do not apply to fake-api"),
        ("fake-api", Settings(backend="ray"), "do not apply to fake-api"),
        ("fake-api", Settings(stream=True), "--stream and --no-stream do not apply to fake-api"),
        ("echo", Settings(stream=False), "--stream and --no-stream do not apply to echo"),
        ("echo", Settings(lease=5.0), "--lease needs a sharded run"),
    ],
)
def test_further_settings_of_another_kind_of_model_are_rejected(model: str, settings: Settings, message: str) -> None:
    spec = Spec(task="demo", model=model)
    with pytest.raises(SpecError, match=message):
        check_settings(resolve_model(spec), spec, settings)


@pytest.mark.parametrize(
    ("model", "settings"),
    [
        ("fake-api", Settings(processes=4)),
        ("fake-api", Settings(replicas=1)),
        ("echo", Settings(replicas=2, devices=("0", "1"))),
        ("echo", Settings(backend="ray", replicas=2)),
        ("openai", Settings(stream=True)),
    ],
)
def test_suitable_settings_are_accepted(model: str, settings: Settings) -> None:
    spec = Spec(task="demo", model=model, model_args={"model": "m"} if model == "openai" else {})
    check_settings(resolve_model(spec), spec, settings)


def test_a_wrong_size_of_the_object_cache_is_refused_before_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AURICLE_OBJECT_CACHE", "much")
    with pytest.raises(SpecError, match="AURICLE_OBJECT_CACHE='much' is not a number of gigabytes"):
        check_settings(Echo, Spec(task="demo", model="echo"), Settings())


def test_settings_check_the_arguments_of_the_model() -> None:
    spec = Spec(task="demo", model="echo", model_args={"dely": 1})
    with pytest.raises(SpecError, match="'dely'"):
        check_settings(Echo, spec, Settings())


def test_one_process_needs_no_pool() -> None:
    remote = Spec(task="demo", model="fake-api", model_args={"reply": "x"})
    model = deploy_model(FakeApi, remote, Settings(processes=1))
    assert isinstance(model, FakeApi)
    assert model.reply == "x"
    assert isinstance(deploy_model(Echo, Spec(task="demo", model="echo"), Settings(replicas=1)), Echo)


def test_replicas_get_their_devices_timeout_and_logs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    created = []
    monkeypatch.setattr(replicas, "ReplicaPool", lambda *arguments: created.append(arguments))
    spec = Spec(task="demo", model="echo", model_args={"delay": 1.0})
    deploy_model(Echo, spec, Settings(replicas=2, devices=("0", "1"), timeout=30.0), tmp_path)
    deploy_model(Echo, spec, Settings(replicas=2))
    first, second = created
    assert first[:3] == ("echo", {"delay": 1.0}, Echo)
    assert first[3] == ReplicaOptions(replicas=2, devices=("0", "1"), timeout=30.0, log_folder=tmp_path / "logs")
    assert second[3].log_folder is None


def test_another_python_makes_a_pool_without_its_argument(monkeypatch: pytest.MonkeyPatch) -> None:
    created = []
    monkeypatch.setattr(replicas, "ReplicaPool", lambda *arguments: created.append(arguments))
    spec = Spec(task="demo", model="echo", model_args={"delay": 1.0, "python": sys.executable})
    deploy_model(Echo, spec, Settings())
    ((name, arguments, model_class, options),) = created
    assert (name, arguments, model_class) == ("echo", {"delay": 1.0}, Echo)
    assert options.python == sys.executable
    assert "PYTHONPATH" in options.environment
    sender = Spec(task="demo", model="fake-api", model_args={"reply": "x", "python": sys.executable})
    assert isinstance(deploy_model(FakeApi, sender, Settings()), SenderPool)
    with pytest.raises(SpecError, match="--backend ray cannot be combined with --devices, -M python"):
        check_settings(Echo, spec, Settings(backend="ray"))


def test_ray_gets_its_address_replicas_gpus_and_timeout(monkeypatch: pytest.MonkeyPatch) -> None:
    fake_ray = FakeRay()
    monkeypatch.setitem(sys.modules, "ray", fake_ray)
    settings = Settings(backend="ray", ray_address="head:6379", replicas=3, gpus_per_replica=0.5, timeout=30.0)
    pool = deploy_model(Echo, Spec(task="demo", model="echo", model_args={"delay": 0.0}), settings)
    assert isinstance(pool, RayReplicaPool)
    assert len(pool.workers) == 3
    assert fake_ray.init_options["address"] == "head:6379"
    assert fake_ray.actor_options["num_gpus"] == 0.5
    asyncio.run(pool.workers[0]("generate", [Generate(turns=(Turn("user", ("hello",)),))]))
    assert fake_ray.actor_arguments == [("echo", {"delay": 0.0}, 30.0)]


def test_devices_alone_make_replicas() -> None:
    pool = deploy_model(Echo, Spec(task="demo", model="echo"), Settings(devices=("0", "1")))
    assert isinstance(pool, ReplicaPool)
    assert len(pool.workers) == 2


def test_stream_becomes_an_argument_of_the_model() -> None:
    spec = Spec(task="demo", model="openai", model_args={"model": "m", "base_url": "http://127.0.0.1:9/v1"})
    streaming = deploy_model(resolve_model(spec), spec, Settings(stream=True))
    assert vars(streaming)["service"].stream is True
    assert "stream" not in spec.model_args


def test_identity_has_the_version_of_the_task_and_no_environment(spec: Spec) -> None:
    task = build_task(spec)
    run_spec = build_run_spec(spec, replace(task, version=7), task.inferencer)
    assert run_spec.identity["task_version"] == 7
    assert "environment" not in run_spec.identity
    assert run_spec.environment is None
    assert model_identity(spec) == spec.model_args == {}
    assert describe_environment(spec) == {}


def test_created_is_a_time_in_utc(spec: Spec) -> None:
    task = build_task(spec)
    created = datetime.fromisoformat(build_run_spec(spec, task, task.inferencer).created)
    assert created.utcoffset() == timedelta(0)
    assert created.microsecond == 0


def test_display_name_keeps_the_prefix_of_a_framework() -> None:
    assert display_name("kimi:/long/path/mine.py:Model") == "kimi:mine.py:Model"
    assert display_name("echo") == "echo"


def test_secrets_of_a_model_are_registered_when_it_is_loaded() -> None:
    class Keyed(Echo):
        def __init__(self, api_key: str) -> None:
            super().__init__()

    construct_model(Keyed, "keyed", {"api_key": "sk-very-secret-key"})
    assert b"sk-very-secret-key" not in SECRETS.redact_bytes(b"the key is sk-very-secret-key")


@pytest.mark.parametrize(
    ("variant", "label"), [("org/whisper-tiny", "echo · whisper-tiny"), ("", "echo"), (3, "echo"), (None, "echo")]
)
def test_label_of_a_model_has_its_checkpoint(variant: object, label: str) -> None:
    assert model_label(Spec(task="demo", model="echo", model_args={"model": variant})) == label
    assert model_label(Spec(task="demo", model="echo", model_args={"model": variant}, label="Mine")) == "Mine"


def test_environment_is_part_of_the_identity(spec: Spec, monkeypatch: pytest.MonkeyPatch) -> None:
    environment = {"name": "whisper", "digest": "ab12"}
    monkeypatch.setattr("auricle.engine.factory.describe_environment", lambda _: environment)
    task = build_task(spec)
    run_spec = build_run_spec(spec, task, task.inferencer)
    assert (run_spec.identity["environment"], run_spec.environment) == ("ab12", environment)
    assert model_identity(spec) == {"environment": "ab12"}


def test_class_of_a_model_is_described_by_its_python(monkeypatch: pytest.MonkeyPatch) -> None:
    def describe(name: str, python: str, variables: Mapping[str, str]) -> type[Echo]:
        assert (name, python, dict(variables)) == ("mine.py:Model", sys.executable, {})
        return Echo

    monkeypatch.setattr("auricle.engine.workers.other_python.describe_model_class", describe)
    assert resolve_model(Spec(task="demo", model="mine.py:Model", model_args={"python": sys.executable})) is Echo


def reply(question: str, speaker: str) -> str:
    return f"{speaker}: {question}"


def prepare_with(manifest: Any, rows: list[dict[str, str]], **fields: Any) -> Evaluation:
    data = manifest([{"question": "x", "answer": "x", **row} for row in rows])
    return Evaluation.prepare(Spec(task="qa", task_args={"data": str(data)}, model=reply, **fields))  # type: ignore[arg-type]


def test_input_that_no_sample_has_is_refused_with_the_available_ones(manifest: Any) -> None:
    with pytest.raises(SpecError, match=r"reply takes 'speaker', which no sample of .* has\. Available: .*question"):
        prepare_with(manifest, [{"id": "1"}])
    prepare_with(manifest, [{"id": "1", "speaker": "Ann"}])
    prepare_with(manifest, [])


def test_a_required_input_must_occur_among_the_first_hundred_samples(manifest: Any) -> None:
    rows = [{"id": str(number)} for number in range(100)]
    prepare_with(manifest, [*rows[:99], {"id": "99", "speaker": "Ann"}])
    with pytest.raises(SpecError, match="takes 'speaker'"):
        prepare_with(manifest, [*rows, {"id": "100", "speaker": "Ann"}])


def test_a_required_input_may_be_an_argument_and_rejected_rows_are_left_out(spec: Spec) -> None:
    class NeedsSpeaker(Echo):
        required_inputs = ("speaker",)

        def __init__(self, speaker: str = "") -> None:
            super().__init__()

    refused = spec.model_copy(update={"model": MODELS.add_object(NeedsSpeaker)})
    with pytest.raises(SpecError, match="takes 'speaker'"):
        Evaluation.prepare(refused)
    Evaluation.prepare(refused.model_copy(update={"model_args": {"speaker": "Ann"}}))


def test_secrets_are_registered_before_anything_is_built() -> None:
    spec = Spec(task="no-such-task", model="echo", model_args={"api_key": "sk-prepared-secret"})
    with pytest.raises(SpecError):
        Evaluation.prepare(spec)
    assert b"sk-prepared-secret" not in SECRETS.redact_bytes(b"the key is sk-prepared-secret")


def test_a_model_of_this_process_runs_in_this_process_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(MODELS, "is_local", lambda name: name == "echo")
    spec = Spec(task="demo", model="echo")
    assert isinstance(deploy_model(Echo, spec, Settings()), Echo)
    for settings in (Settings(replicas=2), Settings(devices=("0",)), Settings(backend="ray")):
        with pytest.raises(SpecError, match="Other processes cannot import echo"):
            deploy_model(Echo, spec, settings)


def test_metrics_replace_those_of_a_task_that_takes_no_such_argument() -> None:
    task = build_task(Spec(task="demo", model="echo", task_args={"metrics": "mer,empty"}))
    own = build_task(Spec(task="demo", model="echo"))
    assert [metric.name for metric in task.metrics] == ["mer", "empty"]
    assert task.metrics[0].profile == own.metrics[0].profile


@pytest.mark.parametrize("names", ["empty,repetition_loops", ["empty", "repetition_loops"]])
def test_metrics_can_be_added_to_any_task(spec: Spec, names: Any) -> None:
    for other in (spec, Spec(task="demo", model="echo")):
        args = {**other.task_args, "add_metrics": names}
        added = build_task(other.model_copy(update={"task_args": args})).metrics
        assert [metric.name for metric in added] == [
            *(metric.name for metric in build_task(other).metrics), "empty", "repetition_loops",
        ]  # fmt: skip


def test_added_metrics_score_every_answer_of_a_sample(spec: Spec) -> None:
    args = {**spec.task_args, "samples": 3, "temperature": 0.5, "add_metrics": "empty"}
    assert build_task(spec.model_copy(update={"task_args": args})).metrics[-1].variant == "mean"


@pytest.mark.parametrize(("names", "message"), [(3, "Invalid add_metrics 3"), ("emty", "Did you mean empty")])
def test_added_metrics_that_do_not_exist_are_refused(spec: Spec, names: Any, message: str) -> None:
    with pytest.raises(SpecError, match=message):
        build_task(spec.model_copy(update={"task_args": {**spec.task_args, "add_metrics": names}}))


def test_two_metrics_of_one_name_are_refused(manifest: Any, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("def wer(sample, output):\n    return 1.0\n")
    arguments = {"data": str(manifest([])), "metrics": ["wer", f"{tmp_path / 'mine.py'}:wer"]}
    with pytest.raises(SpecError, match=r"has two metrics named 'wer'\. Rename one"):
        build_task(Spec(task="asr", model="echo", task_args=arguments))


def test_the_seed_is_part_of_a_runs_identity_but_not_of_its_signature(spec: Spec, tmp_path: Path) -> None:
    first = evaluate(spec, tmp_path / "a")
    other = spec.model_copy(update={"seed": 7})
    with pytest.raises(RunMismatch, match="seed"):
        evaluate(other, tmp_path / "a")
    second = evaluate(other, tmp_path / "b")
    assert not first.numbers[0].signature.differences(second.numbers[0].signature)


def test_model_that_cannot_do_what_a_task_needs_is_refused_with_both_names(spec: Spec) -> None:
    with pytest.raises(Unsupported, match=r"^qa-mine needs a model that can .*; fake-reward can predict"):
        Evaluation.prepare(spec.model_copy(update={"model": "fake-reward"}))
