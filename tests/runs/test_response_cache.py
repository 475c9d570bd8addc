"""Hits and misses of the response cache, and its protection against damage."""

import json
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from auricle import Audio, Generate, Generation, LogLikelihood, Predict, SpecError, Turn
from auricle.core.types import Likelihood, Output, Prediction, Request, Timing
from auricle.runs.response_cache import ResponseCache, _lock, clear, default_cache_path, list_entries_by_model

Model = tuple[str, dict[str, Any]]
HELLO = Generate(turns=(Turn("user", ("hello",)),))
ANSWER = Generation(text="hi", tokens=3, input_tokens=7, finish="stop")


def ask(text: str) -> Generate:
    return Generate(turns=(Turn("user", (text,)),))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "answers.sqlite"


@pytest.fixture
def look_up(file: Path) -> Callable[..., Output | None]:
    """Return a function that caches the response to one request and looks up another request."""

    def put_and_get(
        first: Request, second: Request, first_model: Model = ("m", {}), second_model: Model | None = None
    ) -> Output | None:
        with ResponseCache(file, *first_model) as cache:
            cache.put(first, ANSWER)
        with ResponseCache(file, *(second_model or first_model)) as cache:
            return cache.get(second)

    return put_and_get


def test_response_is_returned_in_another_run(look_up: Any) -> None:
    assert look_up(HELLO, HELLO) == ANSWER


def test_answers_are_only_for_the_owner_of_the_file(look_up: Any, file: Path) -> None:
    look_up(HELLO, HELLO)
    assert {path.stat().st_mode & 0o077 for path in (file, *file.parent.glob(f"{file.name}-*"))} == {0}


def test_cached_response_has_no_timing(file: Path) -> None:
    with ResponseCache(file, "m", {}) as cache:
        cache.put(HELLO, replace(ANSWER, timing=Timing(first_token=0.5)))
        response = cache.get(HELLO)
    assert response == ANSWER
    assert isinstance(response, Generation)
    assert response.timing is None


def test_response_is_returned_before_it_is_committed(file: Path) -> None:
    with ResponseCache(file, "m", {}) as cache:
        cache.put(HELLO, ANSWER)
        assert cache.get(HELLO) == ANSWER


def test_closed_cache_neither_answers_nor_stores(file: Path) -> None:
    warnings: list[str] = []
    cache = ResponseCache(file, "m", {}, warn=warnings.append)
    cache.put(HELLO, ANSWER)
    for _ in range(2):
        cache.close()
        assert cache.get(HELLO) is None
    cache.put(ask("another"), ANSWER)
    cache.close()
    assert warnings == []
    assert [model.entries for model in list_entries_by_model(file)] == [1]


def test_unknown_request_is_a_miss(file: Path) -> None:
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
def test_different_request_is_a_miss(look_up: Any, change: Any) -> None:
    assert look_up(HELLO, replace(HELLO, **change)) is None


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("other", {"model": "big", "base_url": "http://a/v1"}),
        ("m", {"model": "small", "base_url": "http://a/v1"}),
        ("m", {"model": "big", "base_url": "http://b/v1"}),
        ("m", {"model": "big", "base_url": "http://a/v1", "extra": {"top_p": 0.5}}),
    ],
)
def test_different_model_is_a_miss(look_up: Any, name: str, arguments: Any) -> None:
    first_model = ("m", {"model": "big", "base_url": "http://a/v1"})
    assert look_up(HELLO, HELLO, first_model, (name, arguments)) is None


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
def test_transport_arguments_are_ignored(look_up: Any, transport: Any) -> None:
    assert look_up(HELLO, HELLO, ("m", {"model": "x"}), ("m", {"model": "x", **transport})) == ANSWER


def test_order_of_arguments_is_ignored(look_up: Any) -> None:
    assert look_up(HELLO, HELLO, ("m", {"a": 1, "b": 2}), ("m", {"b": 2, "a": 1})) == ANSWER


def test_audio_is_identified_by_content(look_up: Any, tone: Any, tmp_path: Path) -> None:
    request = Predict(inputs={"audio": Audio(str(tone("a.wav")))})
    copy = tmp_path / "copy.wav"
    copy.write_bytes((tmp_path / "a.wav").read_bytes())
    assert look_up(request, Predict(inputs={"audio": Audio(str(copy))})) == ANSWER
    longer = Predict(inputs={"audio": Audio(str(tone("b.wav", seconds=0.2)))})
    assert look_up(request, longer) is None
    part = Predict(inputs={"audio": Audio(str(copy), start=0.05)})
    assert look_up(request, part) is None


def test_request_with_missing_audio_is_not_cached(look_up: Any, file: Path) -> None:
    request = Predict(inputs={"audio": Audio("nowhere.wav")})
    assert look_up(request, request) is None
    assert list_entries_by_model(file) == []


def test_changed_model_file_is_a_miss(look_up: Any, tmp_path: Path) -> None:
    code = tmp_path / "mine.py"
    code.write_text("one")
    name = f"{code}:Model"
    assert look_up(HELLO, HELLO, (name, {})) == ANSWER
    code.write_text("two")
    assert look_up(replace(HELLO, max_tokens=1), HELLO, (name, {})) is None


@pytest.mark.parametrize(
    ("request_", "output"),
    [
        (LogLikelihood(turns=HELLO.turns, continuation="x"), Likelihood(logprobs=(-1.5, -0.25))),
        (Predict(inputs={"text": "x"}), Prediction(values={"a": 0.1}, scale="probability")),
        (HELLO, Generation(text="half a pair \ud83d")),
    ],
)
def test_every_kind_of_output_is_cached(file: Path, request_: Any, output: Any) -> None:
    with ResponseCache(file, "m", {}) as cache:
        cache.put(request_, output)
        cached = cache.get(request_)
    expected = replace(output, text="half a pair ?") if isinstance(output, Generation) else output
    assert cached == expected


@pytest.mark.parametrize("kind", ["bytes", "file", "array"])
def test_spoken_output_is_cached_with_its_audio(file: Path, tone: Any, kind: str) -> None:
    path = tone("spoken.wav")
    audio = {
        "bytes": Audio(data=path.read_bytes()),
        "file": Audio(str(path)),
        "array": Audio(data=np.zeros(1600, np.float32), rate=16_000),
    }[kind]
    with ResponseCache(file, "m", {}) as cache:
        cache.put(HELLO, Generation(text="hi", audio=audio))
    with ResponseCache(file, "m", {}) as cache:
        cached = cache.get(HELLO)
    assert isinstance(cached, Generation)
    assert cached.audio
    assert isinstance(cached.audio.data, bytes)
    assert cached.audio.seconds == pytest.approx(0.1)


def test_threads_can_share_a_cache(file: Path) -> None:
    def fill(cache: ResponseCache, name: int) -> None:
        for number in range(200):
            request = ask(f"{name} {number}")
            cache.put(request, ANSWER)
            assert cache.get(request) == ANSWER

    with ResponseCache(file, "m", {}) as cache:
        threads = [threading.Thread(target=fill, args=(cache, name)) for name in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert list_entries_by_model(file)[0].entries == 800


WRITER = """
import sys, itertools, time
from pathlib import Path
from auricle import Generate, Generation, Turn
from auricle.runs.response_cache import ResponseCache
path, name, count = sys.argv[1:]
cache = ResponseCache(Path(path), "m", {})
for number in itertools.count() if count == "forever" else range(int(count)):
    request = Generate(turns=(Turn("user", (f"{name} {number}",)),))
    cache.put(request, Generation(text=f"{name} {number} " + "word " * 20))
    if number == 0:
        print("started", flush=True)
    if count == "forever":
        time.sleep(0.001)
cache.close()
"""


def start_writer(file: Path, name: str, count: int | str) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", WRITER, str(file), name, str(count)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@pytest.mark.slow
def test_several_processes_can_write_at_once(file: Path) -> None:
    children = [start_writer(file, f"p{number}", 500) for number in range(4)]
    for child in children:
        _, stderr = child.communicate(timeout=60)
        assert (child.returncode, stderr) == (0, "")
    assert list_entries_by_model(file)[0].entries == 2000


def wait_until_cached(file: Path, text: str) -> bool:
    """Wait until another process has cached the response to a text."""
    deadline = time.monotonic() + 20
    with ResponseCache(file, "m", {}) as cache:
        while time.monotonic() < deadline:
            if cache.get(ask(text)):
                return True
            time.sleep(0.05)
    return False


@pytest.mark.slow
def test_killed_process_leaves_an_intact_file(file: Path) -> None:
    for number in range(3):
        child = start_writer(file, f"k{number}", "forever")
        assert child.stdout
        child.stdout.readline()
        assert wait_until_cached(file, f"k{number} 0")
        child.send_signal(signal.SIGKILL)
        child.communicate()
    with closing(sqlite3.connect(file)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    with ResponseCache(file, "m", {}) as cache:
        cached = cache.get(ask("k2 0"))
    assert isinstance(cached, Generation)
    assert cached.text.startswith("k2 0 ")


@pytest.mark.parametrize("content", [b"this is not a database " * 100, b"SQLite format 3\0" + b"x" * 99])
def test_damaged_file_is_renamed_with_one_warning(file: Path, content: Any) -> None:
    file.write_bytes(content)
    messages: list[str] = []
    with ResponseCache(file, "m", {}, messages.append) as cache:
        cache.put(HELLO, ANSWER)
    assert len(messages) == 1
    assert "renamed to answers.sqlite.damaged-1" in messages[0]
    assert (file.parent / "answers.sqlite.damaged-1").read_bytes() == content
    assert list_entries_by_model(file)[0].entries == 1


def test_damage_during_a_run_disables_the_cache(file: Path) -> None:
    with ResponseCache(file, "m", {}) as cache:
        for number in range(500):
            cache.put(ask(f"{number}"), ANSWER)
    intact = file.read_bytes()
    messages: list[str] = []
    with ResponseCache(file, "m", {}, messages.append) as cache:
        file.write_bytes(intact[: 4096 * 3] + b"\xff" * (len(intact) - 4096 * 3))
        cached = [cache.get(ask(f"{number}")) for number in range(500)]
        cache.put(HELLO, ANSWER)
    assert None in cached
    assert len(messages) == 1
    with ResponseCache(file, "m", {}, messages.append) as cache:
        assert cache.get(HELLO) is None
    assert len(messages) == 1


def test_file_that_another_process_replaced_is_kept(file: Path) -> None:
    with ResponseCache(file, "m", {}) as cache:
        for number in range(500):
            cache.put(ask(f"{number}"), ANSWER)
    intact = file.read_bytes()
    messages: list[str] = []
    with ResponseCache(file, "m", {}, messages.append) as cache:
        file.write_bytes(intact[: 4096 * 3] + b"\xff" * (len(intact) - 4096 * 3))
        for suffix in ("", "-wal", "-shm"):
            file.with_name(file.name + suffix).rename(file.with_name("aside" + suffix))
        with ResponseCache(file, "m", {}) as other:
            other.put(HELLO, ANSWER)
        cached = [cache.get(ask(f"{number}")) for number in range(500)]
    assert None in cached
    assert [("no longer used" in message) for message in messages] == [True]
    assert list_entries_by_model(file)[0].entries == 1


def test_file_with_another_format_version_is_renamed(file: Path) -> None:
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("PRAGMA user_version = 99")
    messages: list[str] = []
    ResponseCache(file, "m", {}, messages.append).close()
    assert "format is 99" in messages[0]


def test_damaged_row_is_a_miss_and_is_overwritten(file: Path) -> None:
    with ResponseCache(file, "m", {}) as cache:
        cache.put(HELLO, ANSWER)
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("UPDATE answers SET output = 'not json'")
    with ResponseCache(file, "m", {}) as cache:
        assert cache.get(HELLO) is None
        cache.put(HELLO, ANSWER)
        assert cache.get(HELLO) == ANSWER


def test_locked_file_is_retried(file: Path) -> None:
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


def test_path_that_cannot_be_opened_is_rejected(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match=r"cannot be opened.*--cache-path"):
        ResponseCache(tmp_path, "m", {})


def test_path_follows_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("AURICLE_CACHE", str(tmp_path / "mine.db"))
    assert default_cache_path() == tmp_path / "mine.db"
    monkeypatch.setenv("AURICLE_CACHE", str(tmp_path))
    assert default_cache_path() == tmp_path / "answers.sqlite"
    monkeypatch.delenv("AURICLE_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert default_cache_path() == tmp_path / "auricle" / "answers.sqlite"


def test_clear_deletes_by_model_or_age(file: Path) -> None:
    for name in ("a", "b"):
        with ResponseCache(file, "openai", {"model": name}) as cache:
            cache.put(HELLO, ANSWER)
    assert [entries.model for entries in list_entries_by_model(file)] == ["a", "b"]
    assert clear(file, before=time.time() - 1000) == 0
    assert clear(file, model="a") == 1
    assert clear(file, before=time.time() + 1) == 1
    assert list_entries_by_model(file) == []


def test_command_shows_and_clears_the_cache(auricle: Any, file: Path) -> None:
    with ResponseCache(file, "openai", {"model": "big"}) as cache:
        cache.put(HELLO, ANSWER)
    shown = auricle("cache", "--cache-path", file)
    assert shown.returncode == 0
    assert str(file) in shown.stdout
    assert "big" in shown.stdout
    document = json.loads(auricle("cache", "show", "--cache-path", file, "--json").stdout)
    assert (document["entries"], document["models"][0]["model"]) == (1, "big")
    assert auricle("cache", "clear", "--model", "big", "--cache-path", file).returncode == 0
    document = json.loads(auricle("cache", "show", "--cache-path", file, "--json").stdout)
    assert document["entries"] == 0


def test_clearing_an_unknown_model_lists_the_cached_ones(auricle: Any, file: Path) -> None:
    with ResponseCache(file, "openai", {"model": "big"}) as cache:
        cache.put(HELLO, ANSWER)
    done = auricle("cache", "clear", "--model", "bgi", "--cache-path", file)
    assert done.returncode == 2
    assert "big" in done.stderr


def test_missing_folders_of_the_cache_are_created(tmp_path: Path) -> None:
    file = tmp_path / "a" / "b" / "answers.sqlite"
    with ResponseCache(file, "m", {}) as cache:
        cache.put(HELLO, ANSWER)
    assert list_entries_by_model(file)[0].entries == 1


def test_every_damaged_file_is_kept_under_the_next_number(file: Path) -> None:
    for number in range(1, 4):
        file.write_bytes(b"this is not a database " * 100)
        ResponseCache(file, "m", {}, lambda _: None).close()
        file.unlink()
        assert file.with_name(f"answers.sqlite.damaged-{number}").exists()


def test_a_closed_cache_answers_and_stores_nothing(file: Path) -> None:
    cache = ResponseCache(file, "m", {})
    cache.put(HELLO, ANSWER)
    cache.close()
    assert cache.get(HELLO) is None
    cache.put(ask("later"), ANSWER)
    assert list_entries_by_model(file)[0].entries == 1


def test_a_later_response_replaces_an_earlier_one(file: Path) -> None:
    with ResponseCache(file, "m", {}) as cache:
        cache.put(HELLO, ANSWER)
    with ResponseCache(file, "m", {}) as cache:
        cache.put(HELLO, Generation(text="better"))
        assert cache.get(HELLO) == Generation(text="better")
    with ResponseCache(file, "m", {}) as cache:
        assert cache.get(HELLO) == Generation(text="better")
    assert list_entries_by_model(file)[0].entries == 1


def test_a_response_that_is_replaced_while_it_is_committed_is_committed_again(file: Path) -> None:
    with ResponseCache(file, "m", {}) as cache:
        for number in range(200):
            cache.put(HELLO, Generation(text=str(number)))
            time.sleep(0.002)
    with ResponseCache(file, "m", {}) as cache:
        assert cache.get(HELLO) == Generation(text="199")


def test_entries_count_bytes_of_text_and_sound_and_have_an_age(file: Path, tone: Any) -> None:
    sound = tone("spoken.wav").read_bytes()
    before = time.time()
    with ResponseCache(file, "m", {}) as cache:
        cache.put(HELLO, Generation(text="hi", audio=Audio(data=sound)))
        cache.put(ask("other"), ANSWER)
    (entries,) = list_entries_by_model(file)
    assert entries.entries == 2
    assert len(sound) < entries.bytes < len(sound) + 1000
    assert before <= entries.oldest <= entries.newest <= time.time()


@pytest.mark.parametrize("part", [{"start": 0.1, "end": 0.2}, {"start": 0.3}, {"end": 0.1}])
@pytest.mark.parametrize("in_memory", [True, False])
def test_part_of_a_recording_is_cached_alone(file: Path, tone: Any, part: dict[str, Any], in_memory: bool) -> None:
    path = tone("spoken.wav", seconds=0.4)
    clip = Audio(data=path.read_bytes(), **part) if in_memory else Audio(str(path), **part)
    with ResponseCache(file, "m", {}) as cache:
        cache.put(HELLO, Generation(text="hi", audio=clip))
        cached = cache.get(HELLO)
    assert isinstance(cached, Generation)
    assert cached.audio
    assert cached.audio.seconds == pytest.approx(0.1)


def test_a_cache_that_cannot_be_written_is_no_longer_used(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: Path) -> sqlite3.Connection:
        raise sqlite3.OperationalError("disk I/O error")

    warnings: list[str] = []
    with ResponseCache(file, "m", {}, warnings.append) as cache:
        monkeypatch.setattr("auricle.runs.response_cache._connect", fail)
        cache.put(HELLO, ANSWER)
        assert cache._writer
        cache._writer.join()
        assert cache.get(HELLO) is None
        cache._disable(sqlite3.OperationalError("another thread has the same problem"))
    assert warnings == [f"the response cache {file} is no longer used: disk I/O error."]


def test_a_missing_cache_is_empty(file: Path) -> None:
    assert list_entries_by_model(file) == []
    assert clear(file) == 0
    assert not file.exists()


def test_response_that_is_replaced_while_it_is_written_is_kept(file: Path) -> None:
    newer = replace(ANSWER, text="newer")
    with ResponseCache(file, "m", {}) as cache:
        cache._closing.set()  # the test commits instead of the thread

        class ReplacesMeanwhile(sqlite3.Connection):
            def executemany(self, *arguments: Any) -> sqlite3.Cursor:
                cache.put(HELLO, newer)
                return super().executemany(*arguments)

        cache.put(HELLO, ANSWER)
        assert cache._writer
        cache._writer.join()
        cache.put(HELLO, ANSWER)
        with closing(sqlite3.connect(file, factory=ReplacesMeanwhile)) as connection:
            cache._commit(connection)
        assert cache.get(HELLO) == newer


def test_file_that_another_process_replaced_is_not_set_aside(file: Path) -> None:
    warnings: list[str] = []
    with ResponseCache(file, "m", {}, warnings.append) as cache:
        content = file.read_bytes()
        file.unlink()
        (file.parent / "other").write_bytes(b"keeps the number of the deleted file from being used again")
        file.write_bytes(content)
        cache._inode = -1
        cache._disable(sqlite3.DatabaseError("file is not a database"))
    assert file.exists()
    assert warnings == [f"the response cache {file} is no longer used: file is not a database."]


def test_damaged_file_is_set_aside_only_under_the_lock(file: Path) -> None:
    warnings: list[str] = []
    with ResponseCache(file, "m", {}, warnings.append) as cache:
        disabling = threading.Thread(target=cache._disable, args=(sqlite3.DatabaseError("damaged"),))
        with _lock(file):
            disabling.start()
            disabling.join(0.2)
            assert (disabling.is_alive(), warnings) == (True, [])
        disabling.join()
    assert not file.exists()
    assert file.with_name("answers.sqlite.damaged-1").exists()
    assert len(warnings) == 1


# --- the file ----------------------------------------------------------------------


def test_readers_and_writers_do_not_block_each_other(file: Path) -> None:
    ResponseCache(file, "m", {}).close()
    with closing(sqlite3.connect(file)) as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert connection.execute("PRAGMA user_version").fetchone() == (1,)


@pytest.mark.parametrize("model", ["package.module:Model", "missing.py:Model", "kimi:model"])
def test_models_without_a_file_are_known_by_their_name(look_up: Any, model: str) -> None:
    assert look_up(HELLO, HELLO, (model, {})) == ANSWER
    assert look_up(HELLO, HELLO, (model, {}), (f"{model}2", {})) is None


def test_clearing_makes_the_file_smaller(file: Path) -> None:
    with ResponseCache(file, "m", {}) as cache:
        for number in range(20):
            cache.put(ask(str(number)), Generation(text="x" * 50_000))
    size = file.stat().st_size
    assert clear(file) == 20
    assert file.stat().st_size < size / 10


def test_a_process_that_does_not_close_its_cache_ends(file: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from auricle import Generate, Generation, Turn\n"
        "from auricle.runs.response_cache import ResponseCache\n"
        "cache = ResponseCache(Path(sys.argv[1]), 'm', {})\n"
        "cache.put(Generate(turns=(Turn('user', ('hello',)),)), Generation(text='hi'))\n"
    )
    subprocess.run([sys.executable, "-c", code, str(file)], check=True, timeout=60)


def test_warnings_are_written_to_stderr_by_default(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_bytes(b"not a database, but long enough to be taken for a damaged one" * 50)
    ResponseCache(file, "m", {}).close()
    assert capsys.readouterr().err.startswith(f"auricle: the response cache {file} cannot be used")
    assert (file.parent / "answers.sqlite.damaged-1").exists()


def test_order_of_arguments_and_kinds_of_keys_do_not_matter(file: Path) -> None:
    arguments: dict[str, Any] = {"extra": {1: np.float32(0.5), "a": 2}, "model": "big"}
    with ResponseCache(file, "m", arguments) as cache:
        cache.put(HELLO, ANSWER)
    with ResponseCache(file, "m", {"model": "big", "extra": {"a": 2, 1: np.float32(0.5)}}) as cache:
        assert cache.get(HELLO) == ANSWER
    with ResponseCache(file, "m", {"model": "big", "extra": {"a": 2, 1: np.float32(0.25)}}) as cache:
        assert cache.get(HELLO) is None


def test_a_damaged_file_cannot_be_listed_or_cleared(file: Path) -> None:
    file.write_bytes(b"not a database, but long enough to be taken for a damaged one" * 50)
    for maintain in (list_entries_by_model, clear):
        with pytest.raises(SpecError, match=f"The response cache {file} cannot be read"):
            maintain(file)
    assert (list_entries_by_model(file.parent / "missing"), clear(file.parent / "missing")) == ([], 0)
