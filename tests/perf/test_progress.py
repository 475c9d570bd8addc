import io
from dataclasses import replace
from typing import Any

from auricle.perf.messages import PointProgress
from auricle.perf.progress import ProgressLine

COUNTS = PointProgress(load="closed:2", started=12, sent=12, answered=10, in_flight=2)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def update_at(progress: ProgressLine, clock: Clock, *seconds: float, **fields: Any) -> None:
    """Update a display at these seconds with counts that grow by two per second."""
    for second in seconds:
        clock.now = 100.0 + second
        progress.update(
            replace(COUNTS, started=round(2 * second), sent=round(2 * second), answered=round(2 * second), **fields)
        )


def test_terminal_shows_one_line_that_is_overwritten() -> None:
    stream, clock = Terminal(), Clock()
    with ProgressLine(stream, clock) as progress:
        update_at(progress, clock, 1, 2, 3, load="poisson:2", seconds=60)
    assert stream.getvalue().count("\r") == 3
    assert stream.getvalue().count("\n") == 1
    assert "poisson:2: 2 of 60 s, 6 sent, 6 answered, 2 in flight, 2/s" in stream.getvalue()


def test_terminal_is_drawn_at_most_once_per_second() -> None:
    stream, clock = Terminal(), Clock()
    update_at(ProgressLine(stream, clock), clock, *(tenth / 10 for tenth in range(1, 35)))
    assert stream.getvalue().count("\r") == 3


def test_log_gets_a_line_every_ten_seconds() -> None:
    stream, clock = io.StringIO(), Clock()
    with ProgressLine(stream, clock) as progress:
        update_at(progress, clock, *range(1, 25))
    lines = stream.getvalue().splitlines()
    assert len(lines) == 3
    assert lines[-1] == "closed:2: 23 s, 48 sent, 48 answered, 2 in flight, 2/s"
    assert "\r" not in stream.getvalue()


def test_next_load_point_starts_a_new_line_and_clock() -> None:
    stream, clock = Terminal(), Clock()
    with ProgressLine(stream, clock) as progress:
        update_at(progress, clock, 1, 2, 3)
        clock.now = 104.0
        progress.update(replace(COUNTS, started=0, sent=0, answered=0))
        clock.now = 106.0
        progress.update(replace(COUNTS, started=8, sent=8, answered=8))
    first, second = stream.getvalue().split("\n")[:2]
    assert "3 s, 6 sent" in first
    assert "2 s, 8 sent" in second
    assert "4/s" in second


def test_rate_is_averaged_over_the_last_seconds() -> None:
    clock = Clock()
    progress = ProgressLine(io.StringIO(), clock)
    update_at(progress, clock, *range(1, 31))
    for second in range(31, 41):
        clock.now = 100.0 + second
        counts = replace(COUNTS, started=200, sent=200, answered=60, failed=10 * (second - 30))
        progress.update(counts)
    assert progress.format_line(counts).endswith("2 in flight, 100 failed, 10/s")


def test_time_to_first_token_is_shown_if_known() -> None:
    progress = ProgressLine(io.StringIO(), Clock())
    progress.update(COUNTS)
    assert progress.format_line(replace(COUNTS, ttft_s=0.2134)).endswith("TTFT 0.213 s")
    assert "TTFT" not in progress.format_line(COUNTS)


def test_count_is_shown_in_requests() -> None:
    progress = ProgressLine(io.StringIO(), Clock())
    progress.update(COUNTS)
    assert "0 s, 9 of 40 requests, 12 sent" in progress.format_line(replace(COUNTS, count=40, measured=9))


def test_conversations_and_their_turns_are_counted_separately() -> None:
    progress = ProgressLine(io.StringIO(), Clock())
    progress.update(COUNTS)
    chats = replace(COUNTS, started=5)
    assert "0 s, 5 conversations, 12 turns sent, 10 answered" in progress.format_line(chats)
    assert "0 s, 4 of 40 conversations, 12 turns" in progress.format_line(replace(chats, count=40, measured=4))


def test_display_without_updates_writes_nothing() -> None:
    stream = Terminal()
    with ProgressLine(stream):
        pass
    assert stream.getvalue() == ""
