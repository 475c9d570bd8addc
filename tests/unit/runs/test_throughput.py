"""How fast a run was: time and answers of the same passes, and nothing else."""

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from auricle import Audio, Generation, Sample, Settings, Spec, evaluate
from auricle.api import score
from auricle.core.errors import DataError, SampleError
from auricle.core.types import Failure, Record, has_media
from auricle.engine.observer import NullObserver
from auricle.engine.run_loop import RunLoop
from auricle.report.usage_text import describe_speed_facts, format_usage_line, usage_facts
from auricle.runs.run_directory import Run
from auricle.runs.throughput import PassTimer, read_passes, summarise_throughput
from auricle.tasks.inferencers import Respond
from auricle.testing.models import Echo, FakeApi

SPEC = {"identity": {}, "spec": {}}


def texts(size: Any, start: int = 0) -> Any:
    return [Sample(id=str(at), inputs={"question": f"{at}"}) for at in range(start, start + size)]


@pytest.fixture
def sounds(tone: Any) -> Any:
    def make(size: Any) -> Any:
        return [Sample(id=str(at), inputs={"audio": Audio(str(tone(f"{at}.wav", seconds=0.5)))}) for at in range(size)]

    return make


def one_pass(
    path: Any, samples: Any, model: Any, *, infer: str = "{question}", settings: Any = None, stop: Any = None
) -> Any:
    async def main() -> None:
        going = RunLoop(Respond(infer), model, run, settings or Settings(), NullObserver())
        await going.run(samples, stop or asyncio.Event())

    with Run.open(path, SPEC) as run:
        asyncio.run(main())
    return read_passes(Run.load(path))


def record(*, audio_seconds: Any = None, sounds: bool = False, **more: Any) -> Any:
    inputs = {"audio": Audio("a.wav")} if sounds else {"question": "x"}
    sample = Sample(id="s", inputs=inputs)
    told = {} if "error" in more else {"outputs": (Generation(text="x"),)}
    return Record(sample=sample, row=0, audio_seconds=audio_seconds, **told, **more)


def clocked(*added: Any, ready: Any = None) -> Any:
    clock = PassTimer()
    for each, began, ended in added:
        clock.add(each, began, ended, has_media=has_media(each.sample))
    return clock.timings(ready)


def took(wall: float = 10.0, samples: int = 5, audio: float = 30.0) -> Any:
    return {"wall_seconds": wall, "samples": samples, "audio_seconds": audio}


# --- one pass -------------------------------------------------------------------------


def test_the_clock_runs_from_the_first_question_to_the_last_answer() -> None:
    heard = record(audio_seconds=3.0, sounds=True)
    found = clocked((heard, 2.0, 4.0), (heard, 1.0, 5.0), (heard, 3.0, 7.0))
    assert found == [took(wall=6.0, samples=3, audio=9.0)]


def test_a_failure_takes_time_and_is_no_answer() -> None:
    failed = record(audio_seconds=3.0, sounds=True, error=Failure("Transient", "429"))
    heard = record(audio_seconds=3.0, sounds=True)
    found = clocked((heard, 1.0, 2.0), (failed, 1.0, 9.0))
    assert found == [took(wall=8.0, samples=1, audio=3.0)]


def test_answers_from_the_cache_are_left_out_of_both_sides() -> None:
    known, heard = (record(audio_seconds=3.0, sounds=True, cached=each) for each in (1, 0))
    found = clocked((known, 0.0, 0.1), (heard, 1.0, 2.0), (known, 2.0, 5.0))
    assert found == [took(wall=1.0, samples=1, audio=3.0)]


def test_a_pass_that_answered_nothing_is_not_measured() -> None:
    assert clocked() == []
    assert clocked((record(error=Failure("Transient", "429")), 0.0, 9.0)) == []


def test_a_model_that_loads_when_first_asked_is_timed_from_then_on() -> None:
    assert clocked((record(), 1.0, 9.0), ready=7.0) == [took(wall=2.0, samples=1, audio=0.0)]


def test_one_sound_of_unknown_length_makes_the_sum_unknown() -> None:
    found = clocked((record(sounds=True), 0.0, 1.0), (record(sounds=True, audio_seconds=1.0), 0.0, 2.0))
    assert found == [took(wall=2.0, samples=2, audio=None)]


# --- passes over a run ------------------------------------------------------------------


@pytest.mark.parametrize("model", [Echo, FakeApi])
def test_a_pass_tells_what_it_answered_and_how_long_that_took(tmp_path: Path, sounds: Any, model: Any) -> None:
    (found,) = one_pass(tmp_path / "run", sounds(4), model(), infer="{audio}")
    assert (found["samples"], found["audio_seconds"]) == (4, 2.0)
    assert found["wall_seconds"] > 0


def test_a_resumed_pass_adds_up(tmp_path: Path) -> None:
    first = one_pass(tmp_path, texts(8), FakeApi())
    both = one_pass(tmp_path, texts(12), FakeApi())
    assert both[0] == first[0]
    assert [each["samples"] for each in both] == [8, 4]
    total = summarise_throughput(both)
    assert (total["samples"], total["passes"]) == (12, 2)
    assert total["wall_seconds"] == pytest.approx(sum(each["wall_seconds"] for each in both))


def test_a_pass_with_nothing_left_to_ask_changes_nothing(tmp_path: Path) -> None:
    first = one_pass(tmp_path, texts(8), FakeApi())
    assert one_pass(tmp_path, texts(8), FakeApi()) == first


def test_a_pass_that_breaks_off_is_left_out_and_those_before_it_are_kept(tmp_path: Path) -> None:
    def broken() -> Iterator[Any]:
        yield from texts(300)
        raise DataError("the file ends in the middle")

    first = one_pass(tmp_path, texts(8), FakeApi())
    with pytest.raises(DataError):
        one_pass(tmp_path, broken(), FakeApi(), settings=Settings(concurrency=4))
    assert Run.load(tmp_path).read_progress() == {"passes": first}
    held = len(list(Run.load(tmp_path).records()))
    last = one_pass(tmp_path, texts(310), FakeApi())
    assert [each["samples"] for each in last] == [8, 310 - held]


def test_a_stopped_pass_counts_what_it_answered(tmp_path: Path) -> None:
    class Stops(FakeApi):
        async def generate(self, request: Any) -> Any:
            if self.calls == 20:
                stop.set()
            return await super().generate(request)

    stop = asyncio.Event()
    (found,) = one_pass(tmp_path, texts(500), Stops(), settings=Settings(concurrency=4), stop=stop)
    assert found["samples"] == len(list(Run.load(tmp_path).records()))


def test_failed_samples_are_no_answers(tmp_path: Path) -> None:
    class Odd(FakeApi):
        async def generate(self, request: Any) -> Any:
            if self.calls % 2:
                self.calls += 1
                raise SampleError("400 bad request")
            return await super().generate(request)

    (found,) = one_pass(tmp_path, texts(10), Odd())
    assert found["samples"] == 5


def test_what_passes_took_goes_with_the_journal(tmp_path: Path) -> None:
    one_pass(tmp_path, texts(8), FakeApi())
    (tmp_path / "outputs.jsonl").unlink()
    assert [each["samples"] for each in one_pass(tmp_path, texts(3), FakeApi())] == [3]


# --- over all passes --------------------------------------------------------------------


def test_speed_is_sums_over_sums() -> None:
    assert summarise_throughput([took(10.0, 5, 30.0), took(2.0, 1, 3.0)]) == {
        "wall_seconds": 12.0,
        "samples": 6,
        "samples_per_second": 0.5,
        "audio_seconds": 33.0,
        "rtfx": 2.75,
        "passes": 2,
    }


def test_without_sound_there_is_no_rtfx() -> None:
    found = summarise_throughput([took(10.0, 5, 0.0)])
    assert found["rtfx"] is found["audio_seconds"] is None
    assert found["samples_per_second"] == 0.5


def test_an_unknown_length_makes_rtfx_unknown() -> None:
    found = summarise_throughput([took(), took(audio=None)])
    assert found["rtfx"] is found["audio_seconds"] is None


def test_a_run_that_never_was_measured_has_no_speed() -> None:
    assert summarise_throughput([]) is None


# --- told -------------------------------------------------------------------------------


def told(answered: int = 5, **more: Any) -> Any:
    return {"speed": summarise_throughput([took(**more)]), "outcomes": {"answered": answered}}


def test_terminal_and_page_tell_time_and_speed() -> None:
    document = told(wall=118.2, audio=4881.66)
    assert format_usage_line(document) == "Usage: 118 s of wall time, RTFx 41.3"
    assert usage_facts(document) == [("Wall time", "118 s"), ("RTFx", "41.3")]
    assert "per second of wall time" in dict(describe_speed_facts(document))["RTFx"]


def test_without_sound_samples_a_second_are_told() -> None:
    document = told(wall=0.5, samples=5000, audio=0.0)
    assert format_usage_line(document) == "Usage: 0.5 s of wall time, 10,000 samples/s"
    assert usage_facts(document)[1] == ("Samples/s", "10,000")


def test_a_speed_that_is_of_some_samples_only_says_so() -> None:
    document = told(answered=2000, wall=10.0, samples=500, audio=0.0)
    assert "10 s of wall time for 500 of 2,000 answers" in format_usage_line(document)
    assert dict(describe_speed_facts(document))["Wall time"].endswith("Measured for 500 of 2,000 answers.")


@pytest.mark.parametrize(("seconds", "words"), [(3.14159, "3.14 s"), (1800, "30 min"), (36_000, "10 h")])
def test_spans_are_told_in_a_unit_that_suits_them(seconds: float, words: str) -> None:
    assert usage_facts(told(wall=seconds))[0] == ("Wall time", words)


# --- a whole run ------------------------------------------------------------------------


@pytest.fixture
def spoken(manifest: Any, tone: Any) -> Any:
    rows = [{"id": f"s{at}", "audio": str(tone(f"{at}.wav", seconds=0.5)), "text": "x"} for at in range(4)]
    return Spec(task="asr", task_args={"data": str(manifest(rows))}, model="echo")


def metrics(folder: Any) -> Any:
    return json.loads((folder / "metrics.json").read_text())


def test_a_run_tells_its_speed_in_every_file(spoken: Any, tmp_path: Path) -> None:
    evaluate(spoken, tmp_path / "run")
    found = metrics(tmp_path / "run")["speed"]
    assert (found["samples"], found["audio_seconds"], found["passes"]) == (4, 2.0, 1)
    assert found["rtfx"] == pytest.approx(2.0 / found["wall_seconds"], rel=1e-5)
    assert "RTFx" in (tmp_path / "run" / "report.html").read_text()
    head, first, *_ = (tmp_path / "run" / "metrics_summary.csv").read_text().splitlines()
    assert head.endswith(",rtfx")
    assert float(first.rpartition(",")[2]) == found["rtfx"]


def test_scoring_again_tells_the_same_speed(spoken: Any, tmp_path: Path) -> None:
    evaluate(spoken, tmp_path / "run")
    before = metrics(tmp_path / "run")["speed"]
    score(tmp_path / "run", "none")
    assert metrics(tmp_path / "run")["speed"] == before


def test_a_run_of_an_earlier_version_has_no_speed(spoken: Any, tmp_path: Path) -> None:
    evaluate(spoken, tmp_path / "run")
    (tmp_path / "run" / "progress.json").write_text('{"complete": true, "rows": 4}')
    score(tmp_path / "run")
    assert metrics(tmp_path / "run")["speed"] is None
    assert "RTFx" not in (tmp_path / "run" / "report.html").read_text()
    (summary,) = {
        line.rpartition(",")[2] for line in (tmp_path / "run" / "metrics_summary.csv").read_text().splitlines()[1:]
    }
    assert summary == ""


def test_a_run_answered_from_the_cache_has_no_speed(spoken: Any, tmp_path: Path) -> None:
    class Remembers(dict):
        def put(self, request: Any, output: Any) -> None:
            self[request] = output

        def get(self, request: Any) -> Any:
            return super().get(request)

    settings = Settings(cache=Remembers())
    for name in ("first", "again"):
        evaluate(spoken, tmp_path / name, settings=settings)
    assert metrics(tmp_path / "first")["speed"]["samples"] == 4
    assert metrics(tmp_path / "again")["usage"]["cached"] == 4
    assert metrics(tmp_path / "again")["speed"] is None


def test_of_several_runs_the_usage_says_whose_it_is(auricle: Any) -> None:
    for name in ("a", "b"):
        auricle("run", "demo", "-m", "echo", "--limit", "2", "-o", name)
    told = auricle("show", "a", "b").stdout
    assert told.count("echo on demo: Usage:") == 2
    assert "\nUsage:" in auricle("show", "a").stdout
