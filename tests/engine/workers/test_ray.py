"""Ray actors, with a fake Ray that runs them in this process."""

import asyncio
import logging
import sys
from types import SimpleNamespace
from typing import Any

import pytest

from auricle import BatchModel, Generate, Generation, SampleError, SpecError, Transient, Turn
from auricle.core.errors import MissingExtra, TimedOut
from auricle.engine.batching import WorkerLost
from auricle.engine.workers import ray
from auricle.engine.workers.protocol import pack_request, unpack_answer
from auricle.models.call_timer import start_call_timer
from auricle.models.catalogue import MODELS
from tests.support.clocks import FakeClock
from tests.support.fake_ray import FakeRay


class Repeats(BatchModel):
    """Returns the text of each request, or fails."""

    batch_size, batch_seconds, sample_rate = 3, 20.0, 8_000

    def generate(self, batch: Any) -> list[Generation]:
        texts = [request.turns[0].parts[0] for request in batch]
        if "fail" in texts:
            raise SampleError("cannot do that")
        return [Generation(text=text) for text in texts]


@pytest.fixture
def fake_ray(monkeypatch: pytest.MonkeyPatch) -> FakeRay:
    fake = FakeRay()
    monkeypatch.setitem(sys.modules, "ray", fake)
    monkeypatch.setattr(MODELS, "get", {"repeats": Repeats}.__getitem__)
    return fake


def make_pool(**options: Any) -> ray.RayReplicaPool:
    return ray.RayReplicaPool("repeats", {}, Repeats, ray.RayOptions(**options))


def ask(*texts: str) -> list[Generate]:
    return [Generate(turns=(Turn("user", (text,)),)) for text in texts]


def send(worker: ray.RayReplica, *texts: str) -> list[Any]:
    """Send a batch, and return the texts of the answers."""
    return [output.text for output in asyncio.run(worker("generate", ask(*texts)))]  # type: ignore[union-attr]


def test_actor_answers_messages() -> None:
    actor = ray.ModelActor("echo", {})
    (reply,) = actor.answer_batch([pack_request(7, ask("hello")[0])])
    assert unpack_answer(ray._unpack_message(reply)) == Generation(text="hello")


def test_pool_has_the_limits_of_the_model_and_its_actors_answer(fake_ray: FakeRay) -> None:
    pool = make_pool(replicas=2, gpus_per_replica=1.0, timeout=30.0)
    assert (pool.batch_size, pool.batch_seconds, pool.sample_rate) == (3, 20.0, 8_000)
    assert len(pool.workers) == 2
    assert send(pool.workers[1], "a", "b") == ["a", "b"]
    assert fake_ray.actor_options == {"num_cpus": 0, "num_gpus": 1.0}
    assert fake_ray.actor_arguments == [("repeats", {}, 30.0)]


def test_by_default_one_actor_runs_on_a_local_ray_without_gpus(fake_ray: FakeRay) -> None:
    assert len(make_pool().workers) == 1
    assert fake_ray.actor_options == {"num_cpus": 0, "num_gpus": 0.0}
    assert ray.RayOptions().timeout == 600.0
    assert fake_ray.init_options == {
        "address": "local",
        "log_to_driver": False,
        "include_dashboard": False,
        "logging_level": logging.ERROR,
        "ignore_reinit_error": True,
    }


def test_a_running_cluster_keeps_its_dashboard(fake_ray: FakeRay) -> None:
    make_pool(address="head:6379")
    assert fake_ray.init_options["address"] == "head:6379"
    assert fake_ray.init_options["include_dashboard"] is None


def test_ray_that_cannot_be_reached_or_is_missing_is_named(fake_ray: FakeRay, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SpecError, match="Cannot connect to Ray at nowhere:6379: no route"):
        make_pool(address="nowhere:6379")
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingExtra, match=r"--backend ray.*\[ray\]"):
        make_pool()


def test_loading_is_timed_once_and_the_actor_is_kept(fake_ray: FakeRay) -> None:
    pool = make_pool(replicas=2)
    assert pool.ready_at is None
    worker = pool.workers[0]
    send(worker, "a")
    ready_at = worker.ready_at
    assert ready_at is not None
    assert pool.ready_at == ready_at
    send(worker, "b")
    assert worker.ready_at == ready_at
    assert len(fake_ray.started) == 1


def test_batch_takes_the_time_of_the_model_in_the_actor(fake_ray: FakeRay, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = FakeClock(monkeypatch)

    class Slow(Repeats):
        def __init__(self) -> None:
            clock.advance(60.0)

        def generate(self, batch: Any) -> list[Generation]:
            clock.advance(2.0)
            return super().generate(batch)

    monkeypatch.setattr(MODELS, "get", {"repeats": Slow}.__getitem__)

    async def main() -> tuple[float, float]:
        timer = start_call_timer()
        await make_pool().workers[0]("generate", ask("a", "b"))
        timer.stop()
        return timer.model_seconds, timer.wait_seconds

    assert asyncio.run(main()) == (2.0, 60.0)


def test_actor_that_hangs_is_killed_and_replaced(fake_ray: FakeRay, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("auricle.engine.workers.ray.LOAD_SECONDS", 0.05)
    (worker,) = make_pool(timeout=0.05).workers
    for behaviours in (["hang"], ["answer", "hang"]):  # while loading, and while answering
        fake_ray.behaviours = behaviours
        with pytest.raises(TimedOut, match=r"a Ray actor did not answer within 0\.05 s .* and was killed"):
            send(worker, "a")
        assert fake_ray.killed == fake_ray.started
    assert send(worker, "a") == ["a"]
    assert len(fake_ray.started) == 3


def test_new_actor_that_never_answers_is_given_up_after_eight_starts(fake_ray: FakeRay) -> None:
    (worker,) = make_pool().workers
    fake_ray.behaviours = ["crash"] * 9
    for _ in range(8):
        with pytest.raises(Transient):
            send(worker, "a")
    with pytest.raises(WorkerLost, match="crashed 8 times"):
        send(worker, "a")


def test_actor_that_never_answers_is_given_up_after_eight_starts(fake_ray: FakeRay) -> None:
    (worker,) = make_pool().workers
    for _ in range(2):  # an answer starts the count again
        fake_ray.behaviours = ["crash"] * 7
        for _ in range(7):
            with pytest.raises(Transient, match="a Ray actor crashed"):
                send(worker, "a")
        assert send(worker, "a") == ["a"]
    fake_ray.behaviours = ["crash"] * 9
    for _ in range(8 + 1):  # the first one is the actor that answered
        with pytest.raises(Transient):
            send(worker, "a")
    with pytest.raises(WorkerLost, match="A Ray actor crashed 8 times without an answer"):
        send(worker, "a")


def test_errors_of_the_model_are_raised_here(fake_ray: FakeRay) -> None:
    (worker,) = make_pool().workers
    with pytest.raises(SampleError, match="cannot do that"):
        send(worker, "a", "fail")
    assert send(worker, "a") == ["a"]
    assert len(fake_ray.started) == 1


def test_closing_kills_the_actors_that_were_started(fake_ray: FakeRay) -> None:
    pool = make_pool(replicas=3)
    send(pool.workers[1], "a")
    asyncio.run(pool.aclose())
    assert fake_ray.killed == fake_ray.started
    assert fake_ray.is_shut_down


def test_too_few_gpus_are_rejected(fake_ray: FakeRay) -> None:
    make_pool(replicas=4, gpus_per_replica=0.5)
    with pytest.raises(SpecError, match="3 replicas with 1 GPUs each need 3 GPUs; the cluster has 2"):
        make_pool(replicas=3, gpus_per_replica=1.0)
    cluster: Any = SimpleNamespace(cluster_resources=lambda: {"CPU": 4.0})
    ray._await_gpus(cluster, ray.RayOptions())
    with pytest.raises(SpecError, match=r"need 0\.5 GPUs; the cluster has 0\."):
        ray._await_gpus(cluster, ray.RayOptions(gpus_per_replica=0.5))


def test_gpus_that_are_not_there_yet_are_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    gpus, messages, waits = iter([0.0, 0.0, 1.0, 2.0]), list[str](), list[float]()
    cluster: Any = SimpleNamespace(cluster_resources=lambda: {"GPU": next(gpus)})
    monkeypatch.setattr("auricle.engine.workers.ray.time.sleep", waits.append)
    ray.await_gpus(cluster, 2, "A worker needs 2 GPUs", "Use fewer", wait=True, notify=messages.append)
    assert len(waits) == 3
    assert messages == [
        "A worker needs 2 GPUs; the cluster has 0. Waiting for more.",
        "A worker needs 2 GPUs; the cluster has 1. Waiting for more.",
    ]


def test_actor_that_cannot_load_its_model_is_lost_for_good() -> None:
    text = "The actor died: auricle.core.errors.SpecError: Unknown model 'x'."
    error = ray._explain_actor_death(RuntimeError(text))
    assert isinstance(error, WorkerLost)
    assert str(error) == "Unknown model 'x'."
    assert isinstance(ray._explain_actor_death(RuntimeError("node lost")), Transient)


def test_error_of_the_setup_is_raised_as_it_is(fake_ray: FakeRay, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_name: str) -> Any:
        raise SpecError("no weights")

    monkeypatch.setattr(MODELS, "get", refuse)
    (worker,) = make_pool().workers
    with pytest.raises(SpecError, match=r"^no weights$"):
        send(worker, "a")
    named = RuntimeError("died")
    named.cause = SpecError("by name")  # type: ignore[attr-defined]
    assert str(ray._explain_actor_death(named)) == "by name"
