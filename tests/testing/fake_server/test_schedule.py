"""The fake server sends every event at the time that its script determines."""

import base64
import http.client
import json
import threading
import time
from itertools import pairwise
from typing import Any

import pytest

from auricle.testing.fake_server import FakeServer, Script, compute_digest
from auricle.testing.fake_server.schedule import ServerSchedule, StreamChunk, first_half
from tests.testing.fake_server.conftest import CHAT_PATH, StartServer, chat_body, connect, send

pytestmark = pytest.mark.flaky(reruns=2)  # depends on the timing of a busy machine

SLACK = 0.1
"""Seconds that a busy machine may be late."""
SPOKEN: dict[str, Any] = {"modalities": ["text", "audio"], "audio": {"format": "pcm16"}}


class TimedStream:
    """A streamed request, and when each line of its reply arrived, in seconds after it was sent."""

    def __init__(
        self,
        server: FakeServer,
        text: str = "a b c d",
        connection: http.client.HTTPConnection | None = None,
        **fields: Any,
    ) -> None:
        content = chat_body(text, **{"stream": True, **fields})
        self.digest = compute_digest(content)
        used_connection = connection or connect(server.url)
        self.sent = time.monotonic()
        used_connection.request("POST", CHAT_PATH, content)
        response = used_connection.getresponse()
        self.opened = time.monotonic() - self.sent
        self.lines: list[tuple[float, str]] = []
        while line := response.readline():
            if line.strip():
                self.lines.append((time.monotonic() - self.sent, line.strip().decode()))
        self.ended = time.monotonic() - self.sent
        if not connection:
            used_connection.close()

    def deltas(self, *names: str) -> list[tuple[float, dict[str, Any]]]:
        """Return the times and deltas of events; with names, of those in which one of these fields is set."""
        lines = [(at, line.removeprefix("data: ")) for at, line in self.lines]
        events = [(at, json.loads(line)) for at, line in lines if line.startswith("{")]
        deltas = [(at, event["choices"][0]["delta"]) for at, event in events if event["choices"]]
        return [(at, delta) for at, delta in deltas if not names or any(delta.get(name) for name in names)]

    def words(self) -> list[tuple[float, str]]:
        """Return the times and texts of events with content."""
        return [(at, delta["content"]) for at, delta in self.deltas("content")]

    def audio_chunks(self) -> list[tuple[float, float]]:
        """Return the times and lengths of audio chunks."""
        chunks = [(at, delta["audio"]["data"]) for at, delta in self.deltas("audio") if "data" in delta["audio"]]
        return [(at, len(base64.b64decode(data)) / 48_000) for at, data in chunks]


def recorded_times(server: FakeServer, stream: TimedStream) -> dict[str, Any]:
    (times,) = server.stats()["times"][stream.digest]
    assert isinstance(times, dict)
    return times


def on_time(value: float) -> Any:
    """Match times that are not before `value` and at most `SLACK` after it."""
    return pytest.approx(value + SLACK / 2, abs=SLACK / 2 + 1e-6)


def near(value: float) -> Any:
    """Match the difference of two times, each of which may be late."""
    return pytest.approx(value, abs=SLACK)


def test_tokens_are_sent_at_the_pace(start_server: StartServer) -> None:
    stream = TimedStream(start_server(record_times=True, latency=0.1, pace=20))
    assert [at for at, _ in stream.words()] == [on_time(0.1 + 0.05 * index) for index in range(4)]


def test_late_chunks_do_not_delay_later_ones(start_server: StartServer) -> None:
    text = " ".join("abcdefghijklmnopqrst")
    stream = TimedStream(start_server(record_times=True, pace=100), text)
    assert stream.ended == on_time(0.19)


def test_stream_opens_with_its_first_token(start_server: StartServer) -> None:
    stream = TimedStream(start_server(record_times=True, latency=0.1))
    assert stream.opened == on_time(0.1)
    assert stream.lines[0][0] == on_time(0.1)


def test_role_may_be_sent_on_arrival(start_server: StartServer) -> None:
    stream = TimedStream(start_server(record_times=True, latency=0.15, role_first=True))
    (first, role), (second, word), *_ = stream.deltas()
    assert role == {"role": "assistant", "content": ""}
    assert first == on_time(0)
    assert word == {"content": "a"}
    assert second == on_time(0.15)


def test_silent_stream_sends_keep_alives(start_server: StartServer) -> None:
    stream = TimedStream(start_server(record_times=True, latency=0.25, keep_alive=0.1))
    (early, comment), (later, empty), (_, role), *_ = stream.lines
    assert comment.startswith(":")
    assert json.loads(empty.removeprefix("data: "))["choices"][0]["delta"] == {"content": ""}
    assert "assistant" in role
    assert (early, later) == (on_time(0.1), on_time(0.2))
    assert stream.words()[0][0] == on_time(0.25)


def test_usage_may_be_delayed(start_server: StartServer) -> None:
    server = start_server(record_times=True, usage_delay=0.15)
    stream = TimedStream(server, stream_options={"include_usage": True})
    assert stream.words()[-1][0] == on_time(0)
    counts, done = stream.lines[-2:]
    assert '"usage"' in counts[1]
    assert done[1] == "data: [DONE]"
    assert counts[0] == on_time(0.15)
    times = recorded_times(server, stream)
    assert times["done"] - times["last_content"] == near(0.15)


def test_reasoning_comes_before_the_answer_and_is_counted(start_server: StartServer) -> None:
    server = start_server(record_times=True, reasoning=3, pace=50)
    stream = TimedStream(server, stream_options={"include_usage": True})
    reasoning = stream.deltas("reasoning_content")
    assert [at for at, _ in reasoning] == [on_time(0.02 * index) for index in range(3)]
    assert stream.words()[0][0] == on_time(0.06)
    usage = next(json.loads(line[6:])["usage"] for _, line in stream.lines if '"usage"' in line)
    assert usage["completion_tokens"] == 7
    assert usage["completion_tokens_details"] == {"reasoning_tokens": 3}
    times = recorded_times(server, stream)
    assert times["first_content"] - times["first_token"] == near(0.06)


def test_event_may_have_several_tokens(start_server: StartServer) -> None:
    stream = TimedStream(start_server(record_times=True, tokens_per_event=3, pace=30), "a b c d")
    assert stream.words() == [(on_time(0), "a b c"), (on_time(0.1), " d")]


# --- audio -----------------------------------------------------------------------------


def test_audio_chunks_are_sent_at_their_pace(start_server: StartServer) -> None:
    server = start_server(record_times=True, latency=0.1, audio_chunk_seconds=0.2, audio_pace=2)
    stream = TimedStream(server, "a b c d e f g h i j k l", **SPOKEN)  # 0.6 seconds
    assert [at for at, _ in stream.audio_chunks()] == [on_time(0.1 + 0.1 * index) for index in range(3)]
    assert [seconds for _, seconds in stream.audio_chunks()] == pytest.approx([0.2, 0.2, 0.2])
    times = recorded_times(server, stream)
    assert times["first_audio"] - times["arrival"] == on_time(0.1)
    assert [seconds for _, seconds in times["spoken"]] == pytest.approx([0.2, 0.2, 0.2])


def test_audio_gaps_delay_chunks_in_turn(start_server: StartServer) -> None:
    server = start_server(record_times=True, audio_chunk_seconds=0.1, audio_pace=1, audio_gaps=(0, 0.08, 0))
    stream = TimedStream(server, "a b c d e f g h", **SPOKEN)
    assert [at for at, _ in stream.audio_chunks()] == [on_time(0), on_time(0.18), on_time(0.2), on_time(0.3)]


def test_last_audio_chunk_has_the_remainder(start_server: StartServer) -> None:
    stream = TimedStream(start_server(record_times=True, audio_chunk_seconds=0.2), "a b c d e", **SPOKEN)
    assert [seconds for _, seconds in stream.audio_chunks()] == pytest.approx([0.2, 0.05])


def test_audio_chunks_stay_in_order(start_server: StartServer) -> None:
    stream = TimedStream(
        start_server(record_times=True, audio_chunk_seconds=0.05, audio_gaps=(0.1, 0)), "a b", **SPOKEN
    )
    assert [at for at, _ in stream.audio_chunks()] == [on_time(0.1), on_time(0.1)]


# --- slots and stalls --------------------------------------------------------------------


def send_together(server: FakeServer, count: int) -> list[TimedStream]:
    """Send requests at the same time on separate connections, and return them by when they ended."""
    streams: list[TimedStream] = []
    threads = [
        threading.Thread(target=lambda text: streams.append(TimedStream(server, text)), args=(f"n{number}",))
        for number in range(count)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sorted(streams, key=lambda stream: stream.ended)


@pytest.mark.slow
def test_requests_wait_for_a_free_slot(start_server: StartServer) -> None:
    streams = send_together(start_server(record_times=True, latency=0.2, slots=2), 6)
    assert [stream.ended for stream in streams] == [near(at) for at in (0.2, 0.2, 0.4, 0.4, 0.6, 0.6)]


def test_slot_is_taken_until_the_last_token(start_server: StartServer) -> None:
    server = start_server(record_times=True, latency=0.05, pace=20, slots=1)
    first, second = send_together(server, 2)
    begun = sorted(recorded_times(server, stream)["begun"] for stream in (first, second))
    assert begun[1] - begun[0] == pytest.approx(0.05)


def test_slots_are_assigned_by_arrival() -> None:
    schedule = ServerSchedule(Script(slots=2))
    arrivals = [0.0, 0.1, 0.2, 0.3, 5.0]
    assert [schedule.assign_slot(at, 1.0) for at in arrivals] == [0.0, 0.1, 1.0, 1.1, 5.0]


def test_work_pauses_during_a_stall() -> None:
    schedule = ServerSchedule(Script(stall_at=10, stall_seconds=2))
    schedule.start_clock(100.0)
    schedule.start_clock(105.0)
    assert schedule.finish_time(100.0, 1.0) == 101.0
    assert schedule.finish_time(109.5, 1.0) == 112.5
    assert schedule.finish_time(111.0, 1.0) == 113.0
    assert schedule.finish_time(112.0, 1.0) == 113.0


@pytest.mark.slow
def test_nothing_is_sent_during_a_stall(start_server: StartServer) -> None:
    stream = TimedStream(start_server(record_times=True, pace=20, stall_at=0.07, stall_seconds=0.4, keep_alive=0.02))
    assert [at for at, _ in stream.words()] == [on_time(at) for at in (0, 0.05, 0.5, 0.55)]
    assert max(late - early for (early, _), (late, _) in pairwise(stream.lines)) > 0.25


@pytest.mark.slow
def test_request_that_arrives_during_a_stall_waits(start_server: StartServer) -> None:
    server = start_server(record_times=True, latency=0.05, stall_at=0.05, stall_seconds=0.3)
    began = time.monotonic()
    TimedStream(server, "first")
    second = TimedStream(server, "second")
    assert second.sent + second.ended - began == near(0.4)


def test_new_connection_may_be_accepted_late(start_server: StartServer) -> None:
    server = start_server(record_times=True, accept_delay=0.1)
    connection = connect(server.url)
    assert TimedStream(server, "one", connection).ended == on_time(0.1)
    assert TimedStream(server, "two", connection).ended == on_time(0)
    connection.close()


# --- recorded times ----------------------------------------------------------------------


def test_recorded_times_match_those_of_the_client(start_server: StartServer) -> None:
    server = start_server(record_times=True, latency=0.05, pace=50, role_first=True)
    stream = TimedStream(server)
    times = recorded_times(server, stream)
    assert stream.sent <= times["arrival"] <= times["first_byte"] <= times["first_token"]
    assert times["first_token"] == times["first_content"] <= times["last_content"] <= times["done"]
    assert stream.words()[0][0] + stream.sent == near(times["first_token"])
    assert stream.ended + stream.sent == near(times["done"])
    assert sum(times["gaps"]) == pytest.approx(times["last_content"] - times["first_token"])
    assert times["first_audio"] is None


def test_response_without_streaming_has_only_start_and_end(start_server: StartServer) -> None:
    server = start_server(record_times=True, latency=0.05)
    stream = TimedStream(server, stream=False)
    times = recorded_times(server, stream)
    assert times["done"] - times["arrival"] == on_time(0.05)
    assert times["first_token"] is times["last_content"] is None


def test_times_are_recorded_for_each_attempt(start_server: StartServer) -> None:
    server = start_server(record_times=True, faults={"cut": 1}, fault_attempts=1)
    TimedStream(server)
    stream = TimedStream(server)
    cut, whole = server.stats()["times"][stream.digest]
    assert cut["first_token"] is not None
    assert cut["done"] is None
    assert whole["done"] is not None


def test_stats_include_the_recorded_times(start_server: StartServer) -> None:
    server = start_server(record_times=True)
    stream = TimedStream(server)
    stats = send(server, "/stats", method="GET").json()
    assert stats["times"][stream.digest][0]["done"] == recorded_times(server, stream)["done"]


def test_times_are_not_recorded_by_default() -> None:
    with FakeServer() as server:
        TimedStream(server)
        assert "times" not in server.stats()


def test_first_half_ends_with_content() -> None:
    kinds = ("role", "keep_alive", "text", "text", "keep_alive", "text", "text", "end")
    chunks = [StreamChunk(0.0, kind, b"") for kind in kinds]
    assert [chunk.kind for chunk in first_half(chunks)] == ["role", "keep_alive", "text", "text"]
    assert [chunk.kind for chunk in first_half(chunks[:2])] == ["role"]


def test_keep_alives_fill_silences_in_turn() -> None:
    chunks = [StreamChunk(0.25, "text", b"a"), StreamChunk(0.5, "end", b"b")]
    filled = list(ServerSchedule(Script()).insert_keep_alives(chunks, 0.0, 0.1, (b"comment", b"empty")))
    assert [chunk.data for chunk in filled] == [b"comment", b"empty", b"a", b"comment", b"empty", b"b"]
    assert [chunk.due for chunk in filled] == pytest.approx([0.1, 0.2, 0.25, 0.35, 0.45, 0.5])
