"""What is shown of a load point while it goes on."""

import io
from typing import Any

from auricle.perf.progress import ProgressLine

COUNTS = {"started": 12, "answered": 10, "failed": 0, "in_flight": 2, "measured": 12}


class Terminal(io.StringIO):
    def isatty(self) -> Any:
        return True


class Clock:
    now = 100.0

    def __call__(self) -> Any:
        return self.now


def told(live: Any, clock: Any, *times: Any, **more: Any) -> None:
    """Counts that grow by two a second, told at these seconds."""
    for at in times:
        clock.now = 100.0 + at
        live.update({**COUNTS, "started": 2 * at, "answered": 2 * at, **more})


def test_a_terminal_has_one_line_that_is_written_over() -> None:
    stream, clock = Terminal(), Clock()
    with ProgressLine(stream, clock) as live:
        told(live, clock, 1, 2, 3, load="poisson:2", seconds=60)
    assert stream.getvalue().count("\r") == 3
    assert stream.getvalue().count("\n") == 1
    assert "poisson:2: 2 of 60 s, 6 sent, 6 answered, 2 in flight, 2/s" in stream.getvalue()


def test_it_is_not_drawn_more_than_once_a_second() -> None:
    stream, clock = Terminal(), Clock()
    live = ProgressLine(stream, clock)
    told(live, clock, *(at / 10 for at in range(1, 35)))
    assert stream.getvalue().count("\r") == 3


def test_elsewhere_there_are_whole_lines_now_and_then() -> None:
    stream, clock = io.StringIO(), Clock()
    with ProgressLine(stream, clock) as live:
        told(live, clock, *range(1, 25))
    lines = stream.getvalue().splitlines()
    assert len(lines) == 3
    assert lines[-1] == "23 s, 48 sent, 48 answered, 2 in flight, 2/s"
    assert "\r" not in stream.getvalue()


def test_the_next_load_point_has_a_line_and_a_clock_of_its_own() -> None:
    stream, clock = Terminal(), Clock()
    with ProgressLine(stream, clock) as live:
        told(live, clock, 1, 2, 3)
        clock.now = 104.0
        live.update({**COUNTS, "started": 0, "answered": 0})
        clock.now = 106.0
        live.update({**COUNTS, "started": 8, "answered": 8})
    first, second = stream.getvalue().split("\n")[:2]
    assert "3 s, 6 sent" in first
    assert "2 s, 8 sent" in second
    assert "4/s" in second


def test_the_rate_is_that_of_the_last_seconds() -> None:
    clock = Clock()
    live = ProgressLine(io.StringIO(), clock)
    told(live, clock, *range(1, 31))
    for at in range(31, 41):
        clock.now = 100.0 + at
        live.update({**COUNTS, "started": 200, "answered": 60, "failed": 10 * (at - 30)})
    assert live.format_line().endswith("2 in flight, 100 failed, 10/s")


def test_the_first_word_is_told_where_it_is_known() -> None:
    live = ProgressLine(io.StringIO(), Clock())
    live.update({**COUNTS, "ttft_s": 0.2134})
    assert live.format_line().endswith("TTFT 0.213 s")
    live.update({**COUNTS, "ttft_s": None})
    assert "TTFT" not in live.format_line()


def test_whoever_was_told_nothing_says_nothing() -> None:
    stream = Terminal()
    with ProgressLine(stream) as live:
        live.update({})
    assert stream.getvalue() == ""
