"""One sample's way to a model: patience, and giving up when all is lost."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from auricle import AsyncModel, Generate, Generation, Sample, SampleError, Settings, Turn
from auricle.api import NullObserver
from auricle.core.errors import AllRequestsFailed, AudioError, Refused, Transient, Unreachable
from auricle.core.types import Prediction
from auricle.engine.retry import FAIL_FAST_AFTER, MAX_RETRY_AFTER, FailFast, RetryingSender
from auricle.engine.run_loop import DirectSlot, RunLoop
from auricle.runs.run_directory import Run
from auricle.tasks.inferencers import Respond

QUESTION = Generate(turns=(Turn("user", ("hello",)),))
QUICK = Settings(initial_backoff=0.0)


class Scripted(AsyncModel):
    """Raises what it was given, one after the other, then answers."""

    def __init__(self, *errors: Any) -> None:
        self.errors = list(errors)
        self.asked = 0

    async def generate(self, request: Any) -> Any:
        self.asked += 1
        if self.errors:
            raise self.errors.pop(0)
        return Generation(text="fine")


class Failing(AsyncModel):
    """Fails by the number of the request."""

    def __init__(self, error_for: Any) -> None:
        self.error_for = error_for
        self.asked = 0

    async def generate(self, request: Any) -> Any:
        self.asked += 1
        if error := self.error_for(self.asked):
            raise error
        return Generation(text="fine")


@pytest.fixture
def slept(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Sleeping takes no time, and is noted."""
    naps = []

    async def sleep(seconds: Any) -> None:
        naps.append(seconds)

    monkeypatch.setattr("auricle.engine.retry.asyncio.sleep", sleep)
    return naps


def ask(model: Any, settings: Any = QUICK) -> Any:
    asking = RetryingSender(DirectSlot(model, 1), settings)
    return asyncio.run(asking(QUESTION)), asking.attempts


def run(path: Any, model: Any, size: int = 200) -> Any:
    samples = [Sample(id=str(at), inputs={"question": str(at)}, target="") for at in range(size)]

    async def main() -> None:
        one_pass = RunLoop(Respond("{question}"), model, opened, QUICK, NullObserver())
        await one_pass.run(samples, asyncio.Event())

    with Run.open(path, {"identity": {}, "spec": {}}) as opened:
        asyncio.run(main())
    return list(Run.load(path).records())


# --- patience --------------------------------------------------------------------


def test_what_may_pass_is_tried_as_often_as_allowed(slept: Any) -> None:
    model = Scripted(*[Transient("busy")] * 5)
    assert ask(model) == (Generation(text="fine"), 6)
    with pytest.raises(Transient, match="busy"):
        ask(Scripted(*[Transient("busy")] * 6))


@pytest.mark.parametrize("error", [Refused("no"), AudioError("broken"), SampleError("odd")])
def test_what_will_not_pass_is_not_tried_again(slept: Any, error: Any) -> None:
    model = Scripted(error)
    with pytest.raises(type(error)):
        ask(model)
    assert (model.asked, slept) == (1, [])


def test_each_wait_is_about_twice_the_last(slept: Any) -> None:
    ask(Scripted(*[Transient("busy")] * 5), Settings(initial_backoff=1.0))
    assert all(0.5 * 2**at <= nap <= 1.5 * 2**at for at, nap in enumerate(slept))


def test_a_server_that_says_how_long_is_waited_for_that_long_and_no_shorter(slept: Any) -> None:
    ask(Scripted(Transient("busy", 7.0)))
    assert 7.0 <= slept[0] <= 7.0 * 1.2


def test_a_server_that_wants_too_long_a_wait_fails_the_sample(slept: Any) -> None:
    model = Scripted(Transient("tomorrow", MAX_RETRY_AFTER + 1))
    with pytest.raises(Transient, match="tomorrow"):
        ask(model)
    assert (model.asked, slept) == (1, [])


def test_an_answer_of_the_wrong_kind_is_told() -> None:
    class Odd(AsyncModel):
        async def generate(self, request: Any) -> Any:
            return Prediction(values={}, scale="logit")

    with pytest.raises(SampleError, match="returned Prediction where Generation was due"):
        ask(Odd())


# --- luck ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "error", [Refused("HTTP 401 from host: wrong key"), Unreachable("no connection to host: refused")]
)
def test_a_run_ends_when_its_first_requests_all_fail_alike(tmp_path: Path, error: Any) -> None:
    model = Failing(lambda _: error)
    with pytest.raises(AllRequestsFailed, match=f"The first {FAIL_FAST_AFTER} requests all failed alike: {error}"):
        run(tmp_path, model)
    assert model.asked < 200


def test_different_words_about_one_status_are_alike(tmp_path: Path) -> None:
    model = Failing(lambda at: Refused(f"HTTP 404 from host: no model {at}"))
    with pytest.raises(AllRequestsFailed):
        run(tmp_path, model)


def test_mixed_failures_are_the_samples_own(tmp_path: Path) -> None:
    model = Failing(lambda at: Refused(f"HTTP {400 if at % 3 else 413} from host: no"))
    assert {record.error.kind for record in run(tmp_path, model)} == {"Refused"}


def test_after_one_answer_a_run_goes_on_whatever_fails(tmp_path: Path) -> None:
    model = Failing(lambda at: Refused("HTTP 400 from host: no") if at != 15 else None)
    records = run(tmp_path, model)
    assert sum(record.error is None for record in records) == 1
    assert len(records) == 200


@pytest.mark.parametrize("error", [Transient("HTTP 429 from host: slow down"), AudioError("gone")])
def test_a_busy_server_or_broken_sounds_end_no_run(tmp_path: Path, error: Any) -> None:
    records = run(tmp_path, Failing(lambda _: error), size=60)
    assert len(records) == 60


def test_nineteen_failures_are_not_enough() -> None:
    luck = FailFast()
    for _ in range(FAIL_FAST_AFTER - 1):
        luck.record_failure(Refused("HTTP 400 from host: no"))
    with pytest.raises(AllRequestsFailed):
        luck.record_failure(Refused("HTTP 400 from host: no"))


def test_a_run_that_was_given_up_can_be_taken_up_again(tmp_path: Path) -> None:
    with pytest.raises(AllRequestsFailed):
        run(tmp_path, Failing(lambda _: Refused("HTTP 401 from host: no")))
    records = run(tmp_path, Scripted())
    assert len(records) == 200
    assert all(record.error is None for record in records)
