"""Ray actors, without starting Ray."""

from types import SimpleNamespace
from typing import Any

import pytest

from auricle import Generate, Generation, SpecError, Transient, Turn
from auricle.engine.batching import WorkerLost
from auricle.engine.workers import ray
from auricle.engine.workers.protocol import pack_request


def test_actor_answers_messages() -> None:
    actor = ray.ModelActor("echo", {})
    request = Generate(turns=(Turn("user", ("hello",)),))
    (reply,) = actor.answer_batch([pack_request(7, request)])
    assert ray._unpack_result(ray._unpack_message(reply)) == Generation(text="hello")


def test_too_few_gpus_are_rejected() -> None:
    cluster: Any = SimpleNamespace(cluster_resources=lambda: {"GPU": 1.0})
    ray._check_gpus(cluster, ray.RayOptions(replicas=2, gpus_per_replica=0.5))
    with pytest.raises(SpecError, match="2 replicas with 1 GPUs each need 2 GPUs; the cluster has 1"):
        ray._check_gpus(cluster, ray.RayOptions(replicas=2, gpus_per_replica=1.0))


def test_actor_that_cannot_load_its_model_is_lost_for_good() -> None:
    text = "The actor died: auricle.core.errors.SpecError: Unknown model 'x'."
    error = ray._explain_actor_death(RuntimeError(text))
    assert isinstance(error, WorkerLost)
    assert str(error) == "Unknown model 'x'."
    assert isinstance(ray._explain_actor_death(RuntimeError("node lost")), Transient)
