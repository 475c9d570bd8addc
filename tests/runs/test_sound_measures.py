"""Tests of the measures of a run's recordings."""

import asyncio
import math
import shutil
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import numpy as np
import orjson
import pytest

from auricle.media import Audio
from auricle.media.sound_measures import SignalMeasures
from auricle.runs.sound_measures import (
    MAX_SHARE,
    SIGNALS_FILE,
    RecordingMeasurer,
    SignalLog,
    TimeBudget,
    measure_run,
    read_signals,
)
from tests.support.app_runs import make_run, write_speech_data


@pytest.fixture(scope="module")
def measured_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("signals")
    path = make_run(folder / "run", "asr", write_speech_data(folder, 4), "Recogniser", {"metrics": "wer"})
    (path / SIGNALS_FILE).unlink(missing_ok=True)  # what was measured while the run went on
    return path


@pytest.fixture
def run(measured_run: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(measured_run, tmp_path / "run"))


def test_recordings_are_measured_once(run: Path) -> None:
    opened: list[str] = []

    def resolve(audio: Audio) -> Audio:
        opened.append(audio.uri)
        return audio

    measures = list(measure_run(run, resolve))
    assert len(measures) == len(set(opened)) == 4
    assert measures[0].level == pytest.approx(-17, abs=0.1)
    assert list(measure_run(run, resolve)) == []
    stored = read_signals(run)
    assert len(stored) == 4
    assert [round(value.level, 3) for value in stored.values()] == [round(value.level, 3) for value in measures]


def test_recordings_that_may_not_or_cannot_be_read_are_unknown(run: Path) -> None:
    answers = iter([None, Audio("missing.wav"), None, None])
    assert all(math.isnan(measures.level) for measures in measure_run(run, lambda _: next(answers)))
    assert len(read_signals(run)) == 4


def test_measures_of_an_interrupted_job_are_kept(run: Path) -> None:
    with closing(measure_run(run, lambda audio: audio)) as job:
        next(job)
    assert len(read_signals(run)) == 1
    assert len(list(measure_run(run, lambda audio: audio))) == 3


def test_damaged_lines_are_skipped(run: Path) -> None:
    assert read_signals(run) == {}
    intact = b'{"key":"a","level":-1,"peak":null,"clipped":0,"snr":5,"band":4000,"active":0.5}\n'
    (run / SIGNALS_FILE).write_bytes(intact + b'{"key":\n[]\n{"key":"b"}\n')
    assert [(key, measures.snr) for key, measures in read_signals(run).items()] == [("a", 5.0)]


def test_realised_values_are_stored_once_with_the_measures(tmp_path: Path) -> None:
    measures = SignalMeasures(-20.0, -3.0, 0.0, 12.0, 3400.0, 0.7)
    with SignalLog(tmp_path) as log:
        log.append("a", measures, {"snr": 9.98})
        log.append("a", measures, {"snr": 1.0})
    with SignalLog(tmp_path) as log:
        log.append("a", measures, {"snr": 2.0})
        log.append("b", measures, {})
    lines = [orjson.loads(line) for line in (tmp_path / SIGNALS_FILE).read_bytes().splitlines()]
    assert {line["key"]: line["realised"] for line in lines} == {"a": {"snr": 9.98}, "b": {}}
    assert read_signals(tmp_path) == {"a": measures, "b": measures}


class Clock:
    """A clock that only measuring and the test advance."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_measuring_takes_its_share_of_the_time_and_at_most_one_recording_more() -> None:
    clock = Clock()
    budget, measured, recording_seconds = TimeBudget(MAX_SHARE, clock), 0, 0.02
    for _ in range(1000):  # a model that answers in 5 ms
        clock.now += 0.005
        while not budget.delay:
            with budget.spend():
                clock.now += recording_seconds
            measured += 1
            assert budget.used <= MAX_SHARE * clock.now + recording_seconds
    assert budget.used == pytest.approx(measured * recording_seconds)
    assert budget.used == pytest.approx(MAX_SHARE * clock.now, abs=recording_seconds)


def test_delay_is_the_time_until_measuring_is_within_its_share_again() -> None:
    clock = Clock()
    budget = TimeBudget(0.1, clock)
    with budget.spend():
        clock.now += 0.3
    assert budget.delay == pytest.approx(2.7)
    clock.now += 2.7
    assert budget.delay == pytest.approx(0.0, abs=1e-9)


def make_tones(count: int) -> list[Audio]:
    return [Audio.of(np.full(1600, 0.001 * (number + 1), np.float32), rate=16_000) for number in range(count)]


def measure_all(path: Path, tones: list[Audio], budget: TimeBudget) -> None:
    async def add_all(measurer: RecordingMeasurer) -> None:
        await asyncio.gather(*(measurer.add(str(number % 40), tone) for number, tone in enumerate(tones)))

    with SignalLog(path) as log, RecordingMeasurer(log, budget) as measurer:
        asyncio.run(add_all(measurer))


def test_recordings_are_measured_without_loss_or_repetition(tmp_path: Path) -> None:
    tones = make_tones(40)
    measure_all(tmp_path, [*tones, *tones], TimeBudget(1e9))
    measures = read_signals(tmp_path)
    assert len((tmp_path / SIGNALS_FILE).read_bytes().splitlines()) == len(measures) == 40
    assert measures["7"].level == pytest.approx(20 * math.log10(0.008), abs=0.01)


def test_any_thread_may_append_measures(tmp_path: Path) -> None:
    measures = SignalMeasures(*[0.0] * 6)
    with SignalLog(tmp_path) as log, ThreadPoolExecutor(8) as threads:
        list(threads.map(lambda number: log.append(str(number % 50), measures), range(400)))
    assert len((tmp_path / SIGNALS_FILE).read_bytes().splitlines()) == len(read_signals(tmp_path)) == 50


def test_recordings_for_which_there_is_no_time_are_left_out(tmp_path: Path) -> None:
    clock = Clock()
    budget = TimeBudget(MAX_SHARE, clock)
    with budget.spend():
        clock.now += 1.0
    measure_all(tmp_path, make_tones(40), budget)
    assert read_signals(tmp_path) == {}
    assert MAX_SHARE / (1 - MAX_SHARE) < 0.1  # of the time without measuring


def test_recordings_wait_until_there_is_time(tmp_path: Path) -> None:
    clock = Clock()
    budget = TimeBudget(MAX_SHARE, clock)
    with budget.spend():
        clock.now += 1.0
    tones = make_tones(2)
    with SignalLog(tmp_path) as log, RecordingMeasurer(log, budget) as measurer:
        asyncio.run(measurer.add("0", tones[0]))
        assert read_signals(tmp_path) == {}
        clock.now += 100.0
        asyncio.run(measurer.add("1", tones[1]))
        assert read_signals(tmp_path).keys() == {"0", "1"}


def test_recordings_that_were_left_out_are_not_measured_when_closed_again(tmp_path: Path) -> None:
    clock = Clock()
    budget = TimeBudget(MAX_SHARE, clock)
    with budget.spend():
        clock.now += 1.0
    with SignalLog(tmp_path) as log, RecordingMeasurer(log, budget) as measurer:
        asyncio.run(measurer.add("0", make_tones(1)[0]))
        measurer.close()
        clock.now += 100.0
    assert read_signals(tmp_path) == {}
