"""When the fake server sends what: foretold by its script, kept by its clock."""

import base64
import http.client
import json
import threading
import time
from itertools import pairwise
from typing import Any
from urllib.parse import urlsplit

import pytest

pytest.importorskip("aiohttp")

from auricle.core.errors import SpecError
from auricle.testing.fake_server import FakeServer, Script, compute_digest
from auricle.testing.fake_server.schedule import ServerSchedule

pytestmark = pytest.mark.flaky(reruns=2)  # it is about time, and machines rest

CHAT = "/v1/chat/completions"
SLACK = 0.1
"""Seconds that a machine with other things to do may be late."""
SPOKEN = {"modalities": ["text", "audio"], "audio": {"format": "pcm16"}}


@pytest.fixture
def serve(request: pytest.FixtureRequest) -> Any:
    """Start a server that keeps times; it is stopped when the test ends."""

    def start(**script: Any) -> Any:
        server = FakeServer(Script(record_times=True, **script))
        server.__enter__()
        request.addfinalizer(lambda: server.__exit__(None, None, None))
        return server

    return start


def body(text: Any, **rest: Any) -> Any:
    messages = [{"role": "user", "content": text}]
    return json.dumps({"model": "fake", "messages": messages, "stream": True, **rest}).encode()


class Heard:
    """What a client hears of a stream, and how long after it asked."""

    def __init__(self, server: Any, text: str = "a b c d", connection: Any = None, **rest: Any) -> None:
        content = body(text, **rest)
        self.digest = compute_digest(content)
        address = urlsplit(server.url).netloc
        line = connection or http.client.HTTPConnection(address, timeout=20)
        self.asked = time.monotonic()
        line.request("POST", CHAT, content)
        reply = line.getresponse()
        self.opened = time.monotonic() - self.asked
        self.lines = []
        while text := reply.readline():
            if text.strip():
                self.lines.append((time.monotonic() - self.asked, text.strip().decode()))
        self.ended = time.monotonic() - self.asked
        if not connection:
            line.close()

    def deltas(self) -> Any:
        """The deltas of its events, each with its time."""
        told = [(at, line.removeprefix("data: ")) for at, line in self.lines]
        events = [(at, json.loads(line)) for at, line in told if line.startswith("{")]
        return [(at, event["choices"][0]["delta"]) for at, event in events if event["choices"]]

    def of(self, *names: Any) -> Any:
        return [(at, delta) for at, delta in self.deltas() if any(delta.get(n) for n in names)]

    def words(self) -> Any:
        return [(at, delta["content"]) for at, delta in self.of("content")]


def times(server: Any, heard: Any) -> Any:
    (found,) = server.stats()["times"][heard.digest]
    return found


def close(value: Any) -> Any:
    """Not before its time, and not long after it."""
    return pytest.approx(value + SLACK / 2, abs=SLACK / 2 + 1e-6)


def near(value: Any) -> Any:
    """About so long between two times, each of which may be late."""
    return pytest.approx(value, abs=SLACK)


def test_words_come_at_the_pace_from_the_first_on(serve: Any) -> None:
    heard = Heard(serve(latency=0.1, pace=20))
    assert [at for at, _ in heard.words()] == [close(0.1 + 0.05 * at) for at in range(4)]


def test_late_pieces_do_not_make_later_ones_late(serve: Any) -> None:
    text = " ".join("abcdefghijklmnopqrst")
    heard = Heard(serve(pace=100), text)
    assert heard.ended == close(0.19)


def test_a_stream_opens_with_its_first_word(serve: Any) -> None:
    heard = Heard(serve(latency=0.1))
    assert heard.opened == close(0.1)
    assert heard.lines[0][0] == close(0.1)


def test_a_role_may_come_at_once(serve: Any) -> None:
    heard = Heard(serve(latency=0.15, role_first=True))
    (first, role), (second, word), *_ = heard.deltas()
    assert role == {"role": "assistant", "content": ""}
    assert first == close(0)
    assert word == {"content": "a"}
    assert second == close(0.15)


def test_a_silent_stream_tells_that_it_lives(serve: Any) -> None:
    heard = Heard(serve(latency=0.25, keep_alive=0.1))
    (early, comment), (later, empty), (_, role), *_ = heard.lines
    assert comment.startswith(":")
    assert json.loads(empty.removeprefix("data: "))["choices"][0]["delta"] == {"content": ""}
    assert "assistant" in role
    assert (early, later) == (close(0.1), close(0.2))
    assert heard.words()[0][0] == close(0.25)


def test_token_counts_may_be_long_in_coming(serve: Any) -> None:
    server = serve(usage_delay=0.15)
    heard = Heard(server, stream_options={"include_usage": True})
    assert heard.words()[-1][0] == close(0)
    counts, done = heard.lines[-2:]
    assert '"usage"' in counts[1]
    assert done[1] == "data: [DONE]"
    assert counts[0] == close(0.15)
    kept = times(server, heard)
    assert kept["done"] - kept["last_content"] == near(0.15)


def test_thoughts_come_before_words_and_are_counted(serve: Any) -> None:
    server = serve(reasoning=3, pace=50)
    heard = Heard(server, stream_options={"include_usage": True})
    thoughts = heard.of("reasoning_content")
    assert [at for at, _ in thoughts] == [close(0.02 * at) for at in range(3)]
    assert heard.words()[0][0] == close(0.06)
    usage = next(json.loads(line[6:])["usage"] for _, line in heard.lines if '"usage"' in line)
    assert usage["completion_tokens"] == 7
    assert usage["completion_tokens_details"] == {"reasoning_tokens": 3}
    kept = times(server, heard)
    assert kept["first_content"] - kept["first_token"] == near(0.06)


def test_an_event_may_hold_several_tokens(serve: Any) -> None:
    heard = Heard(serve(tokens_per_event=3, pace=30), "a b c d")
    assert heard.words() == [(close(0), "a b c"), (close(0.1), " d")]


# --- spoken ----------------------------------------------------------------------------


def spoken(heard: Any) -> Any:
    """When sound came, and how many seconds of it."""
    found = [(at, delta["audio"]["data"]) for at, delta in heard.of("audio") if "data" in delta["audio"]]
    return [(at, len(base64.b64decode(data)) / 48_000) for at, data in found]


def test_sound_comes_in_chunks_at_its_pace(serve: Any) -> None:
    server = serve(latency=0.1, audio_chunk_seconds=0.2, audio_pace=2)
    heard = Heard(server, "a b c d e f g h i j k l", **SPOKEN)  # 0.6 seconds
    assert spoken(heard) == [(close(0.1 + 0.1 * at), pytest.approx(0.2)) for at in range(3)]
    kept = times(server, heard)
    assert kept["first_audio"] - kept["arrival"] == close(0.1)
    assert [seconds for _, seconds in kept["spoken"]] == pytest.approx([0.2, 0.2, 0.2])


def test_chunks_are_late_by_turns_and_the_rest_is_not(serve: Any) -> None:
    server = serve(audio_chunk_seconds=0.1, audio_pace=1, audio_gaps=(0, 0.08, 0))
    heard = Heard(server, "a b c d e f g h", **SPOKEN)
    assert [at for at, _ in spoken(heard)] == [close(0), close(0.18), close(0.2), close(0.3)]


def test_the_last_chunk_holds_what_is_left(serve: Any) -> None:
    heard = Heard(serve(audio_chunk_seconds=0.2), "a b c d e", **SPOKEN)
    assert [seconds for _, seconds in spoken(heard)] == pytest.approx([0.2, 0.05])


def test_a_chunk_never_overtakes_one_before_it(serve: Any) -> None:
    heard = Heard(serve(audio_chunk_seconds=0.05, audio_gaps=(0.1, 0)), "a b", **SPOKEN)
    assert [at for at, _ in spoken(heard)] == [close(0.1), close(0.1)]


# --- turns and rests ---------------------------------------------------------------------


def together(server: Any, count: Any, **rest: Any) -> Any:
    """So many asked at the same time, each on a connection of its own, by when they ended."""
    found = []
    threads = [
        threading.Thread(target=lambda at=at: found.append(Heard(server, f"n{at}", **rest))) for at in range(count)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sorted(found, key=lambda heard: heard.ended)


def test_whoever_finds_no_slot_waits_for_one(serve: Any) -> None:
    found = together(serve(latency=0.2, slots=2), 6)
    assert [heard.ended for heard in found] == [near(at) for at in (0.2, 0.2, 0.4, 0.4, 0.6, 0.6)]


def test_a_slot_is_taken_until_the_last_token_is_said(serve: Any) -> None:
    server = serve(latency=0.05, pace=20, slots=1)
    first, second = together(server, 2)
    begun = sorted(times(server, heard)["begun"] for heard in (first, second))
    assert begun[1] - begun[0] == pytest.approx(0.05)


def test_turns_follow_from_arrivals_alone() -> None:
    timetable = ServerSchedule(Script(slots=2))
    arrivals = [0.0, 0.1, 0.2, 0.3, 5.0]
    assert [timetable.assign_slot(at, 1.0) for at in arrivals] == [0.0, 0.1, 1.0, 1.1, 5.0]


def test_work_rests_in_a_stall_and_goes_on_after_it() -> None:
    timetable = ServerSchedule(Script(stall_at=10, stall_seconds=2))
    timetable.start_clock(100.0)
    timetable.start_clock(105.0)
    assert timetable.finish_time(100.0, 1.0) == 101.0
    assert timetable.finish_time(109.5, 1.0) == 112.5
    assert timetable.finish_time(111.0, 1.0) == 113.0
    assert timetable.finish_time(112.0, 1.0) == 113.0


def test_nothing_leaves_in_a_stall(serve: Any) -> None:
    heard = Heard(serve(pace=20, stall_at=0.07, stall_seconds=0.4, keep_alive=0.02))
    assert [at for at, _ in heard.words()] == [close(at) for at in (0, 0.05, 0.5, 0.55)]
    assert max(late - early for (early, _), (late, _) in pairwise(heard.lines)) > 0.25


def test_a_request_that_comes_in_a_stall_is_held(serve: Any) -> None:
    server = serve(latency=0.05, stall_at=0.05, stall_seconds=0.3)
    began = time.monotonic()
    Heard(server, "first")
    second = Heard(server, "second")
    assert second.asked + second.ended - began == near(0.4)


def test_a_new_connection_may_be_accepted_late(serve: Any) -> None:
    server = serve(accept_delay=0.1)
    connection = http.client.HTTPConnection(urlsplit(server.url).netloc, timeout=20)
    assert Heard(server, "one", connection).ended == close(0.1)
    assert Heard(server, "two", connection).ended == close(0)
    connection.close()


# --- what is kept ------------------------------------------------------------------------


def test_times_are_those_of_the_clock_that_a_client_has(serve: Any) -> None:
    server = serve(latency=0.05, pace=50, role_first=True)
    heard = Heard(server)
    kept = times(server, heard)
    assert heard.asked <= kept["arrival"] <= kept["first_byte"] <= kept["first_token"]
    assert kept["first_token"] == kept["first_content"] <= kept["last_content"] <= kept["done"]
    assert heard.words()[0][0] + heard.asked == near(kept["first_token"])
    assert heard.ended + heard.asked == near(kept["done"])
    assert sum(kept["gaps"]) == pytest.approx(kept["last_content"] - kept["first_token"])
    assert kept["first_audio"] is None


def test_a_whole_answer_has_only_a_beginning_and_an_end(serve: Any) -> None:
    server = serve(latency=0.05)
    heard = Heard(server, stream=False)
    kept = times(server, heard)
    assert kept["done"] - kept["arrival"] == close(0.05)
    assert kept["first_token"] is kept["last_content"] is None


def test_each_attempt_has_its_times(serve: Any) -> None:
    server = serve(faults={"cut": 1}, fault_attempts=1)
    Heard(server)
    heard = Heard(server)
    cut, whole = server.stats()["times"][heard.digest]
    assert cut["first_token"] is not None
    assert cut["done"] is None
    assert whole["done"] is not None


def test_times_are_told_to_whoever_asks_the_server(serve: Any) -> None:
    server = serve()
    heard = Heard(server)
    line = http.client.HTTPConnection(urlsplit(server.url).netloc, timeout=20)
    line.request("GET", "/stats")
    told = json.loads(line.getresponse().read())
    line.close()
    assert told["times"][heard.digest][0]["done"] == times(server, heard)["done"]


def test_times_are_not_kept_unasked() -> None:
    with FakeServer() as server:
        Heard(server)
        assert "times" not in server.stats()


@pytest.mark.parametrize(
    "wrong",
    [
        {"keep_alive": 0},
        {"slots": 0},
        {"tokens_per_event": 0},
        {"usage_delay": -1},
        {"audio_pace": 0},
        {"audio_gaps": (0.1, -0.1)},
        {"stall_at": -1},
        {"reasoning": -1},
    ],
)
def test_impossible_times_are_refused(wrong: Any) -> None:
    with pytest.raises(SpecError, match=next(iter(wrong))):
        Script(**wrong)


def test_every_field_of_a_script_is_told_in_the_documentation(pytestconfig: Any) -> None:
    page = (pytestconfig.rootpath / "docs" / "fake-server.md").read_text(encoding="utf-8")
    names = [name for name in Script.__dataclass_fields__ if name not in ("faults", "models")]
    named = [name.removesuffix("s") if name == "audio_gaps" else name for name in names]
    assert [name for name in named if f"--{name.replace('_', '-')}" not in page] == []
