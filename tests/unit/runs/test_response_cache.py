"""Answers across runs: what finds them, what does not, and what cannot hurt them."""

import json
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from auricle import Audio, Generate, Generation, LogLikelihood, Predict, SpecError, Turn
from auricle.core.types import Likelihood, Prediction
from auricle.runs.response_cache import ResponseCache, clear, default_cache_path, list_entries_by_model

HELLO = Generate(turns=(Turn("user", ("hello",)),))
ANSWER = Generation(text="hi", tokens=3, input_tokens=7, finish="stop")


@pytest.fixture
def file(tmp_path: Path) -> Any:
    return tmp_path / "answers.sqlite"


@pytest.fixture
def kept(file: Any) -> Any:
    """Put an answer to a request, then look whether it answers another one."""

    def ask(first: Any, second: Any, one: Any = ("m", {}), other: Any = None) -> Any:
        with ResponseCache(file, *one) as cache:
            cache.put(first, ANSWER)
        with ResponseCache(file, *(other or one)) as cache:
            return cache.get(second)

    return ask


def test_an_answer_is_found_again_by_another_run(kept: Any) -> None:
    assert kept(HELLO, HELLO) == ANSWER


def test_an_answer_is_found_before_it_is_written(file: Any) -> None:
    with ResponseCache(file, "m", {}) as cache:
        cache.put(HELLO, ANSWER)
        assert cache.get(HELLO) == ANSWER


def test_what_was_never_asked_is_not_found(file: Any) -> None:
    with ResponseCache(file, "m", {}) as cache:
        assert cache.get(HELLO) is None


@pytest.mark.parametrize(
    "change",
    [
        {"turns": (Turn("user", ("hello ",)),)},
        {"turns": (Turn("system", ("hello",)),)},
        {"turns": (Turn("user", ("hel", "lo")),)},
        {"max_tokens": 5},
        {"temperature": 0.5},
        {"stop": (".",)},
    ],
)
def test_another_request_is_another_question(kept: Any, change: Any) -> None:
    assert kept(HELLO, replace(HELLO, **change)) is None


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("other", {"model": "big", "base_url": "http://a/v1"}),
        ("m", {"model": "small", "base_url": "http://a/v1"}),
        ("m", {"model": "big", "base_url": "http://b/v1"}),
        ("m", {"model": "big", "base_url": "http://a/v1", "extra": {"top_p": 0.5}}),
    ],
)
def test_another_model_is_another_question(kept: Any, name: str, arguments: Any) -> None:
    one = ("m", {"model": "big", "base_url": "http://a/v1"})
    assert kept(HELLO, HELLO, one, (name, arguments)) is None


@pytest.mark.parametrize(
    "transport",
    [
        {"api_key": "abc"},
        {"api_key_env": "MY_KEY"},
        {"headers": {"x": "y"}},
        {"timeout": 5},
        {"read_timeout": 5},
        {"rpm": 60, "tpm": 1000, "max_retries": 2, "concurrency": 4, "processes": 2},
        {"auth_token": "abc"},
    ],
)
def test_how_a_model_is_reached_does_not_matter(kept: Any, transport: Any) -> None:
    assert kept(HELLO, HELLO, ("m", {"model": "x"}), ("m", {"model": "x", **transport})) == ANSWER


def test_the_order_of_arguments_does_not_matter(kept: Any) -> None:
    assert kept(HELLO, HELLO, ("m", {"a": 1, "b": 2}), ("m", {"b": 2, "a": 1})) == ANSWER


def test_a_sound_is_known_by_its_content(kept: Any, tone: Any, tmp_path: Path) -> None:
    asked = Predict(inputs={"audio": Audio(str(tone("a.wav")))})
    copy = tmp_path / "copy.wav"
    copy.write_bytes((tmp_path / "a.wav").read_bytes())
    assert kept(asked, Predict(inputs={"audio": Audio(str(copy))})) == ANSWER
    longer = Predict(inputs={"audio": Audio(str(tone("b.wav", seconds=0.2)))})
    assert kept(asked, longer) is None
    part = Predict(inputs={"audio": Audio(str(copy), start=0.05)})
    assert kept(asked, part) is None


def test_a_sound_that_is_not_there_is_neither_found_nor_kept(kept: Any, file: Any) -> None:
    asked = Predict(inputs={"audio": Audio("nowhere.wav")})
    assert kept(asked, asked) is None
    assert list_entries_by_model(file) == []


def test_a_model_in_a_file_is_another_one_when_its_code_changes(kept: Any, tmp_path: Path) -> None:
    code = tmp_path / "mine.py"
    code.write_text("one")
    name = f"{code}:Model"
    assert kept(HELLO, HELLO, (name, {})) == ANSWER
    code.write_text("two")
    assert kept(replace(HELLO, max_tokens=1), HELLO, (name, {})) is None


@pytest.mark.parametrize(
    ("request_", "output"),
    [
        (LogLikelihood(turns=HELLO.turns, continuation="x"), Likelihood(logprobs=(-1.5, -0.25))),
        (Predict(inputs={"text": "x"}), Prediction(values={"a": 0.1}, scale="probability")),
        (HELLO, Generation(text="half a pair \ud83d")),
    ],
)
def test_every_kind_of_output_comes_back(file: Any, request_: Any, output: Any) -> None:
    with ResponseCache(file, "m", {}) as cache:
        cache.put(request_, output)
        found = cache.get(request_)
    whole = replace(output, text="half a pair ?") if isinstance(output, Generation) else output
    assert found == whole


@pytest.mark.parametrize("kind", ["bytes", "file", "array"])
def test_a_spoken_answer_comes_back_with_its_sound(file: Any, tone: Any, kind: str) -> None:
    path = tone("said.wav")
    sound = {
        "bytes": Audio(data=path.read_bytes()),
        "file": Audio(str(path)),
        "array": Audio(data=np.zeros(1600, np.float32), rate=16_000),
    }[kind]
    with ResponseCache(file, "m", {}) as cache:
        cache.put(HELLO, Generation(text="hi", audio=sound))
    with ResponseCache(file, "m", {}) as cache:
        found = cache.get(HELLO)
    assert isinstance(found.audio.data, bytes)
    assert found.audio.seconds == pytest.approx(0.1)


def test_threads_may_share_a_cache(file: Any) -> None:
    def fill(cache: Any, name: Any) -> None:
        for at in range(200):
            asked = Generate(turns=(Turn("user", (f"{name} {at}",)),))
            cache.put(asked, ANSWER)
            assert cache.get(asked) == ANSWER

    with ResponseCache(file, "m", {}) as cache:
        threads = [threading.Thread(target=fill, args=(cache, each)) for each in range(4)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
    assert list_entries_by_model(file)[0].entries == 800


WRITER = """
import sys, itertools, time
from pathlib import Path
from auricle import Generate, Generation, Turn
from auricle.runs.response_cache import AnswerCache
path, name, most = sys.argv[1:]
cache = AnswerCache(Path(path), "m", {})
for at in itertools.count() if most == "forever" else range(int(most)):
    asked = Generate(turns=(Turn("user", (f"{name} {at}",)),))
    cache.put(asked, Generation(text=f"{name} {at} " + "word " * 20))
    if at == 0:
        print("begun", flush=True)
    if most == "forever":
        time.sleep(0.001)
cache.close()
"""


def writer(file: Any, name: Any, most: Any) -> Any:
    words = [sys.executable, "-c", WRITER, str(file), name, str(most)]
    return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_several_processes_write_at_once(file: Any) -> None:
    children = [writer(file, f"p{at}", 500) for at in range(4)]
    for child in children:
        _, said = child.communicate(timeout=60)
        assert (child.returncode, said) == (0, "")
    assert list_entries_by_model(file)[0].entries == 2000


def _kept(file: Any, text: Any) -> Any:
    """Wait until another process has written this down."""
    until = time.monotonic() + 20
    with ResponseCache(file, "m", {}) as cache:
        while time.monotonic() < until:
            if cache.get(Generate(turns=(Turn("user", (text,)),))):
                return True
            time.sleep(0.05)
    return False


def test_a_process_killed_while_writing_leaves_a_whole_file(file: Any) -> None:
    for at in range(3):
        child = writer(file, f"k{at}", "forever")
        child.stdout.readline()
        assert _kept(file, f"k{at} 0")
        child.send_signal(signal.SIGKILL)
        child.communicate()
    with closing(sqlite3.connect(file)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    with ResponseCache(file, "m", {}) as cache:
        found = cache.get(Generate(turns=(Turn("user", ("k2 0",)),)))
    assert found.text.startswith("k2 0 ")


@pytest.mark.parametrize("content", [b"this is no database " * 100, b"SQLite format 3\0" + b"x" * 99])
def test_a_damaged_file_is_set_aside_with_one_line(file: Any, content: Any) -> None:
    file.write_bytes(content)
    said = []
    with ResponseCache(file, "m", {}, said.append) as cache:
        cache.put(HELLO, ANSWER)
    assert len(said) == 1
    assert "set aside as answers.sqlite.damaged-1" in said[0]
    assert (file.parent / "answers.sqlite.damaged-1").read_bytes() == content
    assert list_entries_by_model(file)[0].entries == 1


def test_damage_that_shows_while_running_stops_the_cache_and_not_the_run(file: Any) -> None:
    with ResponseCache(file, "m", {}) as cache:
        for at in range(500):
            cache.put(Generate(turns=(Turn("user", (f"{at}",)),)), ANSWER)
    whole = file.read_bytes()
    said = []
    with ResponseCache(file, "m", {}, said.append) as cache:
        file.write_bytes(whole[: 4096 * 3] + b"\xff" * (len(whole) - 4096 * 3))
        found = [cache.get(Generate(turns=(Turn("user", (f"{at}",)),))) for at in range(500)]
        cache.put(HELLO, ANSWER)
    assert None in found
    assert len(said) == 1
    with ResponseCache(file, "m", {}, said.append) as cache:
        assert cache.get(HELLO) is None
    assert len(said) == 1


def test_a_file_of_another_format_is_set_aside(file: Any) -> None:
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("PRAGMA user_version = 99")
    said = []
    ResponseCache(file, "m", {}, said.append).close()
    assert "format 99" in said[0]


def test_a_row_that_cannot_be_read_is_asked_again(file: Any) -> None:
    with ResponseCache(file, "m", {}) as cache:
        cache.put(HELLO, ANSWER)
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("UPDATE answers SET output = 'not json'")
    with ResponseCache(file, "m", {}) as cache:
        assert cache.get(HELLO) is None
        cache.put(HELLO, ANSWER)
        assert cache.get(HELLO) == ANSWER


def test_a_busy_file_is_waited_for(file: Any) -> None:
    ResponseCache(file, "m", {}).close()
    with closing(sqlite3.connect(file, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        cache = ResponseCache(file, "m", {})
        cache.put(HELLO, ANSWER)
        time.sleep(0.3)
        assert cache.get(HELLO) == ANSWER
        other.execute("COMMIT")
        cache.close()
    assert list_entries_by_model(file)[0].entries == 1


def test_a_path_that_cannot_be_opened_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match=r"cannot be opened.*--cache-path"):
        ResponseCache(tmp_path, "m", {})


def test_the_path_is_where_the_environment_says(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("AURICLE_CACHE", str(tmp_path / "mine.db"))
    assert default_cache_path() == tmp_path / "mine.db"
    monkeypatch.setenv("AURICLE_CACHE", str(tmp_path))
    assert default_cache_path() == tmp_path / "answers.sqlite"
    monkeypatch.delenv("AURICLE_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert default_cache_path() == tmp_path / "auricle" / "answers.sqlite"


def test_clearing_takes_one_model_or_what_is_old(file: Any) -> None:
    for name in ("a", "b"):
        with ResponseCache(file, "openai", {"model": name}) as cache:
            cache.put(HELLO, ANSWER)
    assert [each.model for each in list_entries_by_model(file)] == ["a", "b"]
    assert clear(file, before=time.time() - 1000) == 0
    assert clear(file, model="a") == 1
    assert clear(file, before=time.time() + 1) == 1
    assert list_entries_by_model(file) == []


def test_the_command_shows_and_clears(auricle: Any, file: Any) -> None:
    with ResponseCache(file, "openai", {"model": "big"}) as cache:
        cache.put(HELLO, ANSWER)
    shown = auricle("cache", "--cache-path", file)
    assert shown.returncode == 0
    assert str(file) in shown.stdout
    assert "big" in shown.stdout
    told = json.loads(auricle("cache", "show", "--cache-path", file, "--json").stdout)
    assert (told["entries"], told["models"][0]["model"]) == (1, "big")
    gone = auricle("cache", "clear", "--model", "big", "--cache-path", file)
    assert "1 answer" in gone.stdout
    again = auricle("cache", "show", "--cache-path", file)
    assert "holds no answers" in again.stdout


def test_clearing_a_model_that_is_not_there_says_which_are(auricle: Any, file: Any) -> None:
    with ResponseCache(file, "openai", {"model": "big"}) as cache:
        cache.put(HELLO, ANSWER)
    done = auricle("cache", "clear", "--model", "bgi", "--cache-path", file)
    assert done.returncode == 2
    assert "holds answers of big" in done.stderr
