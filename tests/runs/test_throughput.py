"""Throughput of runs: time and answers of the same passes."""

import asyncio
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from auricle import Audio, Generation, Sample, Settings, Spec, evaluate
from auricle.api import score
from auricle.core.errors import DataError, SampleError
from auricle.core.types import Failure, Input, Output, Record, Request, Timing, has_media
from auricle.engine.inferencers import Respond
from auricle.engine.observer import Observer
from auricle.engine.run_loop import RunLoop
from auricle.report.usage_text import describe_speed_facts, format_usage_line, usage_facts
from auricle.runs.metrics import Delay, Metrics, ModelFacts, TaskFacts, Throughput
from auricle.runs.outcome_counts import OutcomeCounts
from auricle.runs.progress import PassTiming, Progress
from auricle.runs.run_directory import Run
from auricle.runs.run_spec import RunSpec
from auricle.runs.throughput import PassTimer, StreamDelays, read_passes, summarise_throughput
from auricle.runs.usage import UsageTotals
from auricle.testing.models import Echo, FakeApi

SPEC = RunSpec(identity={}, spec={})


def texts(size: int) -> list[Sample]:
    return [Sample(id=str(number), inputs={"question": f"{number}"}) for number in range(size)]


@pytest.fixture
def spoken_samples(tone: Any) -> Any:
    def make(size: int) -> list[Sample]:
        paths = [str(tone(f"{number}.wav", seconds=0.5)) for number in range(size)]
        return [Sample(id=path, inputs={"audio": Audio(path)}) for path in paths]

    return make


def run_pass(
    path: Any, samples: Any, model: Any, *, prompt: str = "{question}", settings: Any = None, stop: Any = None
) -> Any:
    async def main() -> None:
        loop = RunLoop(Respond(prompt), samples, run, settings or Settings(), Observer())
        await loop.run(model, stop or asyncio.Event())

    with Run.open(path, SPEC) as run:
        asyncio.run(main())
    return read_passes(Run.load(path))


def record(*, audio_seconds: float | None = None, with_audio: bool = False, **fields: Any) -> Record:
    inputs: dict[str, Input] = {"audio": Audio("a.wav")} if with_audio else {"question": "x"}
    sample = Sample(id="s", inputs=inputs)
    outputs = () if "error" in fields else (Generation(text="x"),)
    return Record(sample=sample, row=0, audio_seconds=audio_seconds, outputs=outputs, **fields)


def measure(*added: tuple[Record, float, float], ready_at: float | None = None) -> list[PassTiming]:
    """Time samples whose model took a quarter of a second each."""
    timer = PassTimer()
    for finished, *span in added:
        add_sample(timer, finished, *span)
    return timer.timings(ready_at)


def add_sample(timer: PassTimer, finished: Record, started_at: float, ended_at: float) -> None:
    timer.add(finished, (started_at, ended_at), model_seconds=0.25, has_media=has_media(finished.sample))


def timing(wall: float = 10.0, samples: int = 5, audio: float | None = 30.0) -> PassTiming:
    return PassTiming(wall, samples, audio, 0.25 * samples)


# --- one pass -------------------------------------------------------------------------


def test_pass_is_timed_from_first_request_to_last_answer() -> None:
    answered = record(audio_seconds=3.0, with_audio=True)
    timings = measure((answered, 2.0, 4.0), (answered, 1.0, 5.0), (answered, 3.0, 7.0))
    assert timings == [timing(wall=6.0, samples=3, audio=9.0)]


def test_failure_counts_as_time_only() -> None:
    failed = record(audio_seconds=3.0, with_audio=True, error=Failure("Transient", "429"))
    answered = record(audio_seconds=3.0, with_audio=True)
    timings = measure((answered, 1.0, 2.0), (failed, 1.0, 9.0))
    assert timings == [timing(wall=8.0, samples=1, audio=3.0)]


def test_a_sample_with_some_cached_answers_is_timed() -> None:
    answers = (Generation(text="x"), Generation(text="y"))
    partly_cached = replace(record(audio_seconds=3.0, with_audio=True, cached=1), outputs=answers)
    assert measure((partly_cached, 0.0, 2.0)) == [timing(2.0, 1, 3.0)]
    totals = UsageTotals()
    totals.add(partly_cached)
    assert totals.audio_seconds == 3.0


def test_cached_answers_are_ignored() -> None:
    cached, answered = (record(audio_seconds=3.0, with_audio=True, cached=count) for count in (1, 0))
    timings = measure((cached, 0.0, 0.1), (answered, 1.0, 2.0), (cached, 2.0, 5.0))
    assert timings == [timing(wall=1.0, samples=1, audio=3.0)]


def test_pass_without_answers_has_no_timing() -> None:
    assert measure() == []
    assert measure((record(error=Failure("Transient", "429")), 0.0, 9.0)) == []


def test_time_before_the_model_is_ready_is_excluded() -> None:
    assert measure((record(), 1.0, 9.0), ready_at=7.0) == [timing(wall=2.0, samples=1, audio=0.0)]


def test_one_unknown_duration_makes_the_sum_unknown() -> None:
    timings = measure((record(with_audio=True), 0.0, 1.0), (record(with_audio=True, audio_seconds=1.0), 0.0, 2.0))
    assert timings == [timing(wall=2.0, samples=2, audio=None)]


def test_throughput_and_delays_are_rounded() -> None:
    total = summarise_throughput([PassTiming(1.234_567_8, 1, 1.000_06)])
    assert total
    assert (total.wall_seconds, total.audio_seconds) == (1.234_568, 1.0001)
    assert collect_delays([streamed(Timing(first_token=0.123_456_7))]).first_token == Delay(1, 0.123_457)


# --- passes over a run ------------------------------------------------------------------


@pytest.mark.parametrize("model", [Echo, FakeApi])
def test_pass_records_samples_audio_and_wall_time(tmp_path: Path, spoken_samples: Any, model: Any) -> None:
    (measured,) = run_pass(tmp_path / "run", spoken_samples(4), model(), prompt="{audio}")
    assert (measured.samples, measured.audio_seconds) == (4, 2.0)
    assert measured.wall_seconds > 0


def test_resumed_run_has_one_timing_per_pass(tmp_path: Path) -> None:
    first = run_pass(tmp_path, texts(8), FakeApi())
    both = run_pass(tmp_path, texts(12), FakeApi())
    assert both[0] == first[0]
    assert [measured.samples for measured in both] == [8, 4]
    total = summarise_throughput(both)
    assert total
    assert (total.samples, total.passes) == (12, 2)
    assert total.wall_seconds == pytest.approx(sum(measured.wall_seconds for measured in both))


def test_pass_without_requests_adds_no_timing(tmp_path: Path) -> None:
    first = run_pass(tmp_path, texts(8), FakeApi())
    assert run_pass(tmp_path, texts(8), FakeApi()) == first


def test_aborted_pass_is_left_out_and_earlier_ones_are_kept(tmp_path: Path) -> None:
    def broken() -> Iterator[Sample]:
        yield from texts(300)
        raise DataError("the file ends in the middle")

    first = run_pass(tmp_path, texts(8), FakeApi())
    with pytest.raises(DataError):
        run_pass(tmp_path, broken(), FakeApi(), settings=Settings(concurrency=4))
    assert Run.load(tmp_path).read_progress() == Progress(passes=tuple(first))
    answered = len(list(Run.load(tmp_path).records()))
    timings = run_pass(tmp_path, texts(310), FakeApi())
    assert [measured.samples for measured in timings] == [8, 310 - answered]


def test_stopped_pass_counts_its_answers(tmp_path: Path) -> None:
    class Stops(FakeApi):
        async def generate(self, request: Any) -> Any:
            if self.calls == 20:
                stop.set()
            return await super().generate(request)

    stop = asyncio.Event()
    (measured,) = run_pass(tmp_path, texts(500), Stops(), settings=Settings(concurrency=4), stop=stop)
    assert measured.samples == len(list(Run.load(tmp_path).records()))


def test_failed_samples_are_not_counted(tmp_path: Path) -> None:
    class FailsEverySecondRequest(FakeApi):
        async def generate(self, request: Any) -> Any:
            if self.calls % 2:
                self.calls += 1
                raise SampleError("400 bad request")
            return await super().generate(request)

    (measured,) = run_pass(tmp_path, texts(10), FailsEverySecondRequest())
    assert measured.samples == 5


def test_timings_are_discarded_with_the_journal(tmp_path: Path) -> None:
    run_pass(tmp_path, texts(8), FakeApi())
    (tmp_path / "outputs.jsonl").unlink()
    assert [measured.samples for measured in run_pass(tmp_path, texts(3), FakeApi())] == [3]


# --- over all passes --------------------------------------------------------------------


def test_throughput_is_of_wall_time_and_the_speed_of_one_request_of_the_time_of_the_model() -> None:
    assert summarise_throughput([timing(10.0, 5, 30.0), timing(2.0, 1, 3.0)]) == Throughput(
        wall_seconds=12.0,
        samples=6,
        samples_per_second=0.5,
        audio_seconds=33.0,
        throughput=2.75,
        rtfx=22.0,
        passes=2,
        model_seconds=1.5,
    )


def test_a_pass_that_recorded_only_its_wall_time_leaves_the_speed_of_one_request_unknown() -> None:
    summary = summarise_throughput([PassTiming(10.0, 5, 30.0), timing(2.0, 8, 6.0)])
    assert summary
    assert (summary.throughput, summary.rtfx, summary.model_seconds, summary.passes) == (3.0, None, None, 2)


def test_sums_are_rounded() -> None:
    summary = summarise_throughput([PassTiming(1.12345678, 3, 2.123456, 1.12345678)])
    assert summary
    assert (summary.wall_seconds, summary.audio_seconds, summary.model_seconds) == (1.123457, 2.1235, 1.123457)
    assert (summary.samples_per_second, summary.rtfx) == (2.67033, 1.89011)


def test_a_pass_without_duration_has_no_rates() -> None:
    summary = summarise_throughput([PassTiming(0.0, 3, 2.0)])
    assert summary
    assert summary.samples_per_second is summary.throughput is summary.rtfx is None


def test_without_audio_there_is_no_speed() -> None:
    summary = summarise_throughput([timing(10.0, 5, 0.0)])
    assert summary
    assert summary.throughput is summary.rtfx is summary.audio_seconds is None
    assert summary.samples_per_second == 0.5


def test_unknown_duration_makes_speed_unknown() -> None:
    summary = summarise_throughput([timing(), timing(audio=None)])
    assert summary
    assert summary.throughput is summary.rtfx is summary.audio_seconds is None


def test_run_without_timings_has_no_throughput() -> None:
    assert summarise_throughput([]) is None


# --- presentation -------------------------------------------------------------------------


def metrics_with_speed(
    wall: float = 10.0, samples: int = 5, audio: float | None = 30.0, *, answered: int = 5
) -> Metrics:
    return with_speed(summarise_throughput([PassTiming(wall, samples, audio, 4 * wall)]), answered)


def with_speed(speed: Throughput | None, answered: int) -> Metrics:
    outcomes = OutcomeCounts(total=answered, answered=answered)
    return Metrics(task=TaskFacts("t"), model=ModelFacts("m"), outcomes=outcomes, speed=speed)


def test_terminal_and_report_show_time_throughput_and_speed_of_one_request() -> None:
    metrics = metrics_with_speed(wall=118.2, audio=4881.66)
    assert format_usage_line(metrics) == (
        "Usage: 118 s of wall time, throughput 41.3×, concurrency 4, speed of one request 10.3×"
    )
    assert usage_facts(metrics) == [
        ("Wall time", "118 s"),
        ("Throughput", "41.3×"),
        ("Concurrency", "4"),
        ("Speed of one request", "10.3×"),
    ]
    assert "Known as RTFx" in dict(describe_speed_facts(metrics))["Speed of one request"]


def test_without_audio_samples_per_second_are_shown() -> None:
    metrics = metrics_with_speed(wall=0.5, samples=5000, audio=0.0, answered=5000)
    assert format_usage_line(metrics) == "Usage: 0.5 s of wall time, 10,000 samples/s"
    assert usage_facts(metrics)[1] == ("Samples/s", "10,000")


def test_partially_measured_run_shows_the_number_of_samples() -> None:
    metrics = metrics_with_speed(answered=2000, wall=10.0, samples=500, audio=0.0)
    assert "10 s of wall time for 500 of 2,000 answers" in format_usage_line(metrics)
    assert dict(describe_speed_facts(metrics))["Wall time"].endswith("Measured for 500 of 2,000 answers.")


@pytest.mark.parametrize(("seconds", "text"), [(3.14159, "3.14 s"), (1800, "30 min"), (36_000, "10 h")])
def test_wall_time_has_a_suitable_unit(seconds: float, text: str) -> None:
    assert usage_facts(metrics_with_speed(wall=seconds))[0] == ("Wall time", text)


# --- complete runs ------------------------------------------------------------------------


@pytest.fixture
def spec(manifest: Any, tone: Any) -> Any:
    rows = [{"id": f"s{row}", "audio": str(tone(f"{row}.wav", seconds=0.5)), "text": "x"} for row in range(4)]
    return Spec(task="asr", task_args={"data": str(manifest(rows))}, model="echo")


def metrics(folder: Path) -> dict[str, Any]:
    document: dict[str, Any] = json.loads((folder / "metrics.json").read_text())
    return document


def test_every_result_file_contains_the_throughput(spec: Spec, tmp_path: Path) -> None:
    evaluate(spec, tmp_path / "run")
    speed = metrics(tmp_path / "run")["speed"]
    assert (speed["samples"], speed["audio_seconds"], speed["passes"]) == (4, 2.0, 1)
    assert speed["rtfx"] == pytest.approx(2.0 / speed["model_seconds"], rel=1e-5)
    assert "Throughput" in (tmp_path / "run" / "report.html").read_text()
    header, first, *_ = (tmp_path / "run" / "metrics_summary.csv").read_text().splitlines()
    assert header.endswith(",rtfx")
    assert float(first.rpartition(",")[2]) == speed["rtfx"]


@pytest.mark.slow
def test_scoring_again_gives_the_same_throughput(spec: Spec, tmp_path: Path) -> None:
    evaluate(spec, tmp_path / "run")
    before = metrics(tmp_path / "run")["speed"]
    score(tmp_path / "run", "none")
    assert metrics(tmp_path / "run")["speed"] == before


def test_run_of_an_earlier_version_has_no_throughput(spec: Spec, tmp_path: Path) -> None:
    evaluate(spec, tmp_path / "run")
    (tmp_path / "run" / "progress.json").write_text('{"complete": true, "rows": 4}')
    score(tmp_path / "run")
    assert metrics(tmp_path / "run")["speed"] is None
    assert "Throughput" not in (tmp_path / "run" / "report.html").read_text()
    values = {
        line.rpartition(",")[2] for line in (tmp_path / "run" / "metrics_summary.csv").read_text().splitlines()[1:]
    }
    assert values == {""}


def test_cached_run_has_no_throughput(spec: Spec, tmp_path: Path) -> None:
    class MemoryCache:
        def __init__(self) -> None:
            self.outputs: dict[Request, Output] = {}

        def put(self, request: Request, output: Output) -> None:
            self.outputs[request] = output

        def get(self, request: Request) -> Output | None:
            return self.outputs.get(request)

    settings = Settings(cache=MemoryCache())
    for name in ("first", "second"):
        evaluate(spec, tmp_path / name, settings=settings)
    assert metrics(tmp_path / "first")["speed"]["samples"] == 4
    assert metrics(tmp_path / "second")["usage"]["cached"] == 4
    assert metrics(tmp_path / "second")["speed"] is None


@pytest.mark.slow
def test_usage_of_several_runs_names_the_run(auricle: Any) -> None:
    for name in ("a", "b"):
        auricle("run", "demo", "-m", "echo", "--limit", "2", "-o", name)
    output = auricle("show", "a", "b").stdout
    assert output.count("echo on demo: Usage:") == 2
    assert "\nUsage:" in auricle("show", "a").stdout


# --- delays of streamed answers -----------------------------------------------------------


def streamed(*timings: Timing | None) -> Record:
    outputs = tuple(Generation(text="x", timing=timing) for timing in timings)
    return Record(sample=Sample(id="s", inputs={"question": "x"}), row=0, outputs=outputs)


def collect_delays(records: list[Record]) -> StreamDelays:
    delays = StreamDelays()
    for record in records:
        delays.add(record)
    return delays


def test_delays_are_summarised_over_all_streamed_answers() -> None:
    records = [streamed(Timing(first_token=number / 100, first_audio=1.0)) for number in range(1, 22)]
    speed = summarise_throughput([timing()], collect_delays([*records, streamed(None), streamed(Timing(done=9.0))]))
    assert speed
    assert speed.ttft_s == Delay(21, 0.11, 0.2)
    assert speed.ttfa_s == Delay(21, 1.0, 1.0)


def test_run_without_streams_has_no_delays() -> None:
    speed = summarise_throughput([timing(samples=1)], collect_delays([streamed(Timing(done=2.0))]))
    assert speed
    assert (speed.ttft_s, speed.ttfa_s) == (None, None)


def test_twenty_answers_have_a_95th_percentile() -> None:
    records = [streamed(Timing(first_audio=1.0)) for _ in range(20)]
    assert collect_delays(records).first_audio == Delay(20, 1.0, 1.0)
    assert collect_delays(records[1:]).first_audio == Delay(19, 1.0, None)


def test_few_answers_have_no_95th_percentile() -> None:
    assert collect_delays([streamed(Timing(first_token=0.5), Timing(first_token=1.5))]).first_token == Delay(2, 1.0)


def test_delays_are_stated_in_the_usage_line_and_the_report() -> None:
    metrics = with_speed(Throughput(2.0, 30, samples_per_second=15.0, ttft_s=Delay(30, 0.104, 0.25)), 30)
    assert format_usage_line(metrics) == "Usage: 2 s of wall time, 15 samples/s, TTFT 0.104 s (p95 0.25 s)"
    assert ("TTFT", "0.104 s") in usage_facts(metrics)
    assert dict(describe_speed_facts(metrics))["TTFT"].startswith("Median time from sending")


def test_the_timing_of_a_pass_is_rounded() -> None:
    timer = PassTimer()
    timer.add(record(audio_seconds=0.123456), (1.0, 2.23456789), model_seconds=0.123456789, has_media=True)
    assert timer.timings() == [PassTiming(1.234568, 1, 0.1235, 0.123457)]
    assert timer.timings(ready_at=2.0) == [PassTiming(0.234568, 1, 0.1235, 0.123457)]


def test_the_first_start_counts_and_a_pass_without_an_answer_has_no_timing() -> None:
    timer = PassTimer()
    add_sample(timer, record(error=Failure("Rejected", "no")), 0.5, 1.0)
    add_sample(timer, record(cached=1), 0.0, 9.0)
    assert timer.timings() == []
    add_sample(timer, record(), 0.75, 3.0)
    assert timer.timings() == [timing(2.5, 1, 0.0)]
    add_sample(timer, record(with_audio=True), 0.25, 4.0)
    assert timer.timings() == [timing(3.75, 2, None)]
