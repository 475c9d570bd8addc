"""What is sent when, to whom it is sent once, and what is written about it."""

import base64
import json
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from auricle.core.errors import DataError, SpecError
from auricle.engine.spec import Spec
from auricle.perf.measurement import PerfConfig, measure
from auricle.perf.saturation import SaturationDetector
from auricle.testing.fake_server import FakeServer, Script

pytestmark = pytest.mark.flaky(reruns=2)  # it is about time, and machines rest

STREAM = {"stream": True}
LATENCY = 0.03
SPEECH = {"modalities": ["text", "audio"], "audio": {"voice": "alloy", "format": "pcm16"}}


def test_nothing_is_sent_before_its_time(measured: Any) -> None:
    requests = measured("poisson:100", Script(latency=LATENCY), count=60).requests()
    assert [each["index"] for each in requests] == list(range(60))
    assert all(each["sent"] >= each["due"] for each in requests)
    assert [each["due"] for each in requests] == sorted(each["due"] for each in requests)


def test_requests_of_the_warm_up_stand_before_those_that_count(measured: Any) -> None:
    run = measured("constant:50", duration=0.5, warmup=0.25, cooldown=0.25)
    phases = [each["phase"] for each in run.requests()]
    assert phases == ["warmup"] * 13 + ["measure"] * 25 + ["cooldown"] * 12
    assert run.point["counts"]["by_phase"]["measure"]["ok"] == 25
    assert len(run.answers()) == 25


def test_a_closed_loop_asks_exactly_as_often_as_told(measured: Any) -> None:
    for users in (1, 3, 8):
        run = measured(f"closed:{users}", Script(latency=0.01), count=5)
        assert len(run.requests()) == 5


def test_a_closed_loop_counts_after_its_warm_up(measured: Any) -> None:
    run = measured("closed:4", Script(latency=LATENCY), count=10, warmup=1.0)
    phases = Counter(each["phase"] for each in run.requests())
    assert phases["measure"] == 10
    assert phases["warmup"] > 0


def test_users_ask_on_at_once_when_the_warm_up_ends(measured: Any) -> None:
    run = measured("closed:3", Script(latency=0.1), duration=0.5, warmup=0.5)
    for user in range(3):
        own = sorted((e for e in run.requests() if e["user"] == user), key=lambda e: e["sent"])
        pauses = [after["sent"] - before["done"] for before, after in pairwise(own)]
        assert "measure" in {each["phase"] for each in own}
        assert min(pauses) < 0.1  # a drained server would have let all of them wait


def test_users_think_between_answer_and_question(measured: Any) -> None:
    run = measured("closed:2,think=0.1", count=6)
    for user in range(2):
        own = [each for each in run.requests() if each["user"] == user]
        pauses = [after["sent"] - before["done"] for before, after in pairwise(own)]
        assert min(pauses) >= 0.099
    assert run.point["measures"]["latency_s"]["min"] < 0.1


def test_users_begin_one_after_the_other(measured: Any) -> None:
    run = measured("closed:4,ramp=0.4", Script(latency=0.01), duration=1.0)
    first = {each["user"]: each["sent"] for each in reversed(run.requests())}
    firsts = {user: min(e["sent"] for e in run.requests() if e["user"] == user) for user in first}
    assert [firsts[user] >= 0.1 * user for user in range(4)] == [True] * 4
    assert sorted(firsts.values()) == [firsts[user] for user in range(4)]


def test_a_burst_is_in_flight_at_once(measured: Any) -> None:
    run = measured("burst:30", Script(latency=0.3))
    assert run.point["run"]["in_flight_max"]["value"] == 30
    assert {each["due"] for each in run.requests()} == {0.0}


def test_who_waits_for_the_cap_was_due_before_he_was_sent(measured: Any) -> None:
    run = measured("constant:50,cap=2", Script(latency=0.1), count=20)
    assert run.stats["most_at_once"] == 2
    assert run.point["run"]["in_flight_max"]["value"] == 2
    last = run.requests()[-1]
    assert last["sent"] - last["due"] > 0.3
    measures = run.point["measures"]
    assert measures["latency_s"]["p50"] < measures["sched_latency_s"]["p50"]
    assert measures["sched_latency_s"]["max"] > 0.4


def test_who_was_never_sent_is_told_of(measured: Any) -> None:
    run = measured("constant:50,cap=1", Script(latency=0.5), duration=0.4, grace=0.2)
    assert len(run.requests()) == 20
    counts = run.point["counts"]
    assert counts["all"]["cancelled"] >= 18
    assert counts["never_sent"] >= 18


def test_a_trace_is_played_from_the_data(measured: Any, manifest: Any) -> None:
    at = [10.0, 10.1, 10.15, 10.4]
    data = manifest({"id": str(n), "question": "a", "answer": "a", "timestamp": each} for n, each in enumerate(at))
    run = measured("trace", data=data)
    assert [each["due"] for each in run.requests()] == pytest.approx([0, 0.1, 0.15, 0.4])
    fast = measured("trace:scale=2", data=data)
    assert [each["due"] for each in fast.requests()] == pytest.approx([0, 0.05, 0.075, 0.2])


def test_a_trace_without_timestamps_is_refused(measured: Any) -> None:
    with pytest.raises(DataError, match="column `timestamp`"):
        measured("trace")


def test_what_is_under_way_when_grace_ends_is_cancelled_and_not_failed(measured: Any) -> None:
    run = measured("constant:20", Script(latency=1.0), duration=0.3, grace=0.1)
    assert Counter(each["status"] for each in run.requests()) == {"cancelled": 6}
    counts = run.point["counts"]["all"]
    assert (counts["ok"], counts["failed"], counts["cancelled"]) == (0, 0, 6)
    assert not run.point["failures"]


def test_failures_are_told_in_the_servers_words_and_nothing_is_tried_twice(measured: Any, questions: Any) -> None:
    script = Script(faults={"500": 0.3}, retry_after=0.01)
    run = measured("closed:4", script, data=questions(100), count=100)
    failed = [each for each in run.requests() if each["status"] == "failed"]
    assert 10 < len(failed) < 60
    assert all("HTTP 500" in each["error"] for each in failed)
    received = run.stats["received"].values()
    assert sorted(received)[:-1] == [1] * 99  # the first is sent before the clock starts, too
    assert run.point["counts"]["all"]["failed"] == len(failed)
    assert "HTTP 500" in run.point["failures"][0]["examples"][0]


def test_a_busy_server_is_not_spared(measured: Any) -> None:
    """An answer of 429 slows an evaluation down; a load goes on as planned."""
    run = measured("constant:50", Script(capacity=1, latency=0.1, retry_after=5.0), count=20)
    assert run.requests()[-1]["sent"] < 5.0  # as long as the server asked to be spared
    assert run.point["counts"]["all"]["failed"] > 10


def test_too_many_errors_end_it(measured: Any, questions: Any) -> None:
    script = Script(faults={"503": 0.5})
    run = measured("closed:2", script, data=questions(200), count=200, max_errors=5)
    failed = run.point["counts"]["all"]["failed"]
    assert 5 <= failed <= 7
    assert "requests failed" in run.point["health"]["stopped"]


def test_a_backlog_that_only_grows_may_end_it(measured: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("auricle.perf.worker.PROGRESS_INTERVAL", 0.02)
    monkeypatch.setattr("auricle.perf.load_generator.SaturationDetector", lambda: SaturationDetector(1.0))
    script = Script(latency=0.1, slots=1)
    run = measured("constant:60", script, duration=20, grace=0.1, stop_saturated=True)
    assert run.point["health"]["stopped"] == "more was asked than could be answered"
    assert max(each["due"] for each in run.requests()) < 19


def test_a_server_that_cannot_answer_is_found_out_first(measured: Any) -> None:
    with pytest.raises(SpecError, match="The first request already failed: HTTP 401"):
        measured("closed:2", Script(key="secret"), count=10)


def test_whole_answers_have_no_first_token(measured: Any) -> None:
    whole = measured("closed:2", Script(latency=LATENCY), count=6, stream=False)
    assert not any("first_token" in each for each in whole.requests())
    told = whole.point["measures"]["ttft_s"]
    assert (told["n"], told["undefined"], told["p50"]) == (0, 6, None)
    assert whole.point["measures"]["latency_s"]["n"] == 6


def test_tokens_are_timed_where_the_server_counts_them(measured: Any) -> None:
    script = Script(latency=LATENCY, pace=100, tokens_per_event=2)
    extra = {"stream_options": {"continuous_usage_stats": True}}
    counted = measured("closed:2", script, count=10, stream=True, model_args={"extra": extra})
    tokens, pieces = (counted.point["measures"][name] for name in ("itl_s", "chunk_gap_s"))
    assert tokens["n"] == pieces["n"] == 20
    assert tokens["p50"] == pytest.approx(pieces["p50"] / 2, rel=0.01)
    plain = measured("closed:2", script, count=2, stream=True)
    assert plain.point["measures"]["itl_s"]["n"] == 0


def test_streamed_answers_tell_when_their_parts_came(measured: Any) -> None:
    script = Script(latency=LATENCY, pace=100, role_first=True, usage_delay=0.1)
    run = measured("closed:2", script, count=6, stream=True)
    for each in run.requests():
        times = [each[name] for name in ("sent", "first_byte", "first_token", "last_content")]
        assert [*times, each["done"]] == sorted([*times, each["done"]])
        assert each["first_byte"] - each["sent"] < LATENCY <= each["first_token"] - each["sent"]
        assert each["done"] - each["last_content"] > 0.05
        assert (each["output_tokens"], len(each["gaps"])) == (6, 5)


def test_untold_tokens_are_unknown_and_not_zero(measured: Any) -> None:
    run = measured("closed:1", Script(no_usage=True, pace=200), count=4, stream=True)
    assert all("output_tokens" not in each for each in run.requests())
    assert run.point["measures"]["tpot_s"]["undefined"] == 4
    assert run.point["run"]["tok_out_s"]["value"] is None


def test_the_schedule_and_its_samples_do_not_depend_on_who_sends(measured: Any, questions: Any) -> None:
    data = questions(7)
    plays = [measured("poisson:80", data=data, count=50, seed=3, senders=senders) for senders in (1, 2)]
    one, two = ([(e["index"], e["due"], e["sample"], e["body"]) for e in play.requests()] for play in plays)
    assert one == two
    assert {each["sender"] for each in plays[1].requests()} == {0, 1}
    assert len(one) == 50


def test_a_cap_is_one_for_all_senders(measured: Any) -> None:
    run = measured("constant:100,cap=3", Script(latency=0.1), count=24, senders=2)
    assert run.stats["most_at_once"] <= 3


def test_users_are_dealt_to_senders(measured: Any) -> None:
    run = measured("closed:4", Script(latency=0.02), count=21, senders=2)
    assert len(run.requests()) == 21
    assert {each["user"] % 2 == each["sender"] for each in run.requests()} == {True}


def test_other_seeds_have_other_schedules(measured: Any) -> None:
    one, two = (measured("poisson:80", count=20, seed=seed).requests() for seed in (1, 2))
    assert [each["due"] for each in one] != [each["due"] for each in two]


def test_samples_that_are_asked_again_are_answers_of_their_own(measured: Any, questions: Any) -> None:
    run = measured("closed:2", data=questions(4), count=10)
    names = Counter(each["id"] for each in run.answers())
    assert names == {f"s{at % 4}{f'~{at // 4}' if at >= 4 else ''}": 1 for at in range(10)}
    assert run.point["accuracy"][0]["scored"] == 10
    assert any("repeat" in each for each in run.point["notes"])


def test_no_sound_and_no_secret_is_written_down(measured: Any, manifest: Any, tone: Any) -> None:
    sound = tone("hello.wav", seconds=0.5)
    data = manifest([{"id": "a", "audio": str(sound), "text": "hello"}])
    secret = "sk-very-secret-indeed"
    script = Script(key=secret, faults={"500": 0.3})
    run = measured("closed:2", script, data=data, task="asr", count=6, model_args={"api_key": secret})
    encoded = base64.b64encode(sound.read_bytes())[200:260]
    for path in run.folder.rglob("*"):
        if path.is_file():
            content = path.read_bytes()
            assert secret.encode() not in content, path
            assert encoded not in content, path


def test_sound_that_was_sent_is_measured_in_seconds(measured: Any, manifest: Any, tone: Any) -> None:
    data = manifest({"id": str(at), "audio": str(tone(f"{at}.wav", seconds=0.5 + at)), "text": "x"} for at in range(3))
    run = measured("closed:1", Script(latency=LATENCY), data=data, task="asr", count=3)
    assert [each["audio_seconds"] for each in run.requests()] == [0.5, 1.5, 2.5]
    assert run.point["measures"]["rtf"]["n"] == 3


def test_transcriptions_are_measured(measured: Any, manifest: Any, tone: Any) -> None:
    data = manifest([{"id": "a", "audio": str(tone("good_morning.wav")), "text": "good morning"}])
    run = measured("closed:2", data=data, task="asr", count=6, model="transcription")
    assert run.point["counts"]["all"]["ok"] == 6
    assert set(run.stats["requests"]) == {"/v1/audio/transcriptions"}


def test_speech_that_comes_back_is_timed(measured: Any) -> None:
    script = Script(latency=0.05, audio_chunk_seconds=0.1, audio_pace=2.0, audio_gaps=(0.0, 0.0, 0.3))
    run = measured("closed:1", script, count=3, stream=True, model_args={"extra": SPEECH})
    point = run.point["measures"]
    assert point["ttfa_s"]["n"] == 3
    assert {each["outputs"][0].get("audio") for each in run.answers()} == {None}
    assert point["ttfa_s"]["min"] >= 0.05
    assert point["underrun_max_s"]["min"] > 0.1
    assert run.point["run"]["audio_out_x"]["value"] > 0


def test_turns_of_a_conversation_share_a_place_and_thinking_is_in_no_latency(measured: Any, manifest: Any) -> None:
    turns = ["one two", "three four", "five"]
    data = manifest([{"id": "talk", "turns": turns, "answer": "five"}])
    run = measured("closed:1,think=0.2", data=data, task="chat", count=2)
    requests = run.requests()
    assert [(each["index"], each.get("turn", 0)) for each in requests] == [
        (0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2),
    ]  # fmt: skip
    pauses = [after["sent"] - before["done"] for before, after in pairwise(requests)]
    assert min(pauses) >= 0.19
    assert run.point["measures"]["latency_s"]["min"] < 0.15


def test_several_loads_are_several_points(measured: Any) -> None:
    run = measured(("closed:1,2", "constant:40"), Script(latency=0.02), count=8)
    assert [each["load"] for each in run.document["points"]] == ["closed:1", "closed:2", "constant:40"]
    assert all(len(run.requests(at)) == 8 for at in range(3))
    names = sorted(path.name for path in run.folder.iterdir() if path.is_dir())
    assert names == ["00-closed-1", "01-closed-2", "02-constant-40"]


def test_a_search_finds_what_a_server_can_serve(measured: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("auricle.perf.summary.reasons", lambda _: [])  # however busy this machine
    script = Script(latency=0.1, slots=2)
    run = measured("search:closed,low=1,high=8", script, count=16, slo="p90(latency_s)<0.15")
    (found,) = run.document["searches"]
    assert (found["best"], found["beyond"]) == (2, 3)


def test_accuracy_under_load_is_that_of_an_ordinary_run(measured: Any, manifest: Any, tmp_path: Path) -> None:
    from auricle import api

    data = manifest({"id": f"s{at}", "question": f"w {at}", "answer": f"w {at if at % 3 else -1}"} for at in range(12))
    run = measured("closed:4", data=data, count=12)
    with FakeServer() as server:
        spec = Spec(
            task="qa",
            task_args={"data": str(data)},
            model="openai",
            model_args={"base_url": server.url, "model": "fake"},
        )
        plain = api.evaluate(spec, tmp_path / "plain")
    told = {each["metric"]: each["value"] for each in run.point["accuracy"]}
    assert told == {number.metric: number.value for number in plain}
    assert 0 < next(iter(told.values())) < 1


def test_a_folder_holds_one_measurement(measured: Any, questions: Any) -> None:
    run = measured("closed:1", count=2)
    spec = Spec(
        task="qa",
        task_args={"data": str(questions())},
        model="openai",
        model_args={"base_url": "http://127.0.0.1:1/v1", "model": "fake"},
    )
    with pytest.raises(SpecError, match="--fresh"):
        measure(spec, run.folder, PerfConfig(loads=("closed:1",), count=2), lambda _: None)


def test_a_load_without_an_end_is_refused(measured: Any) -> None:
    with pytest.raises(SpecError, match="--duration"):
        measured("closed:2")
    with pytest.raises(SpecError, match="promise"):
        measured("search:rate", count=3)


def test_numbers_can_be_had_again_from_what_was_written(measured: Any) -> None:
    from auricle.perf.request_columns import RequestColumns
    from auricle.perf.summary import summarise

    run = measured("constant:50", Script(latency=0.02), count=30)
    again = summarise(RequestColumns.read(run.folder / run.point["folder"] / "requests.jsonl"), "constant:50")
    assert again["measures"] == json.loads(json.dumps(run.point["measures"]))
