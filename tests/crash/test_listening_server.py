"""A server of a listening test that is killed loses no answer."""

import json
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import pytest

from auricle.studies.people.ratings import read_ratings
from tests.support.listening_tests import make_test


def start_server(folder: Path) -> tuple[Any, str]:
    """Start the command, and return the process and the link of the first listener."""
    command = [sys.executable, "-m", "auricle", "listen-test", "serve", str(folder), "--port", "0"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout
    for line in process.stdout:
        if match := re.match(r"L01\s+(\S+)", line):
            return process, match[1]
    raise AssertionError("The server printed no link.")


def fetch(url: str, body: Any = None) -> Any:
    content = None if body is None else json.dumps(body).encode()
    with urlopen(Request(url, content), timeout=20) as response:
        return json.load(response)


@pytest.mark.slow
def test_answers_survive_a_kill_and_the_listener_resumes(tmp_path: Path) -> None:
    make_test(tmp_path, "mos", items=3, listeners=3, traps=0, repeat_checks=0)
    process, link = start_server(tmp_path / "mos")
    try:
        for value in (4, 2):
            state = fetch(f"{link}/state")
            seconds = state["trial"]["seconds"]
            time.sleep(seconds["A"])
            trial = state["trial"]
            body = {"trial": trial["id"], "nonce": trial["nonce"], "answers": {"A": value}, "played": seconds}
            fetch(f"{link}/answer", body)
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()
    with (tmp_path / "mos" / "ratings.jsonl").open("ab") as file:
        file.write(b'{"answers":{"A"')  # what a crash in the middle of a line would leave
    process, link = start_server(tmp_path / "mos")
    try:
        state = fetch(f"{link}/state")
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(20)
        process.stdout.close()
    assert (state["done"], state["trial"]["id"]) == (2, "t003")
    ratings, damaged = read_ratings(tmp_path / "mos")
    assert ([rating.answers["A"] for rating in ratings], damaged) == ([4.0, 2.0], 0)
