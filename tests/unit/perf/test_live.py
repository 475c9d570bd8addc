"""What is shown of a load point while it goes on."""

import io

from auricle.perf.live import Ticker

COUNTS = {"started": 12, "answered": 10, "failed": 0, "in_flight": 2, "measured": 12}


class Terminal(io.StringIO):
    def isatty(self):
        return True


class Clock:
    now = 100.0

    def __call__(self):
        return self.now


def told(ticker, clock, *times):
    """Counts that grow by two a second, told at these seconds."""
    for at in times:
        clock.now = 100.0 + at
        ticker({**COUNTS, "started": 2 * at, "answered": 2 * at})


def test_a_terminal_has_one_line_that_is_written_over():
    stream, clock = Terminal(), Clock()
    with Ticker("poisson:2", seconds=60, stream=stream, clock=clock) as ticker:
        told(ticker, clock, 1, 2, 3)
    assert stream.getvalue().count("\r") == 4
    assert stream.getvalue().count("\n") == 1
    assert "poisson:2: 3 of 60 s, 6 sent, 6 answered, 2 in flight, 2/s" in stream.getvalue()


def test_it_is_not_drawn_more_than_once_a_second():
    stream, clock = Terminal(), Clock()
    ticker = Ticker("closed:1", stream=stream, clock=clock)
    told(ticker, clock, *(at / 10 for at in range(1, 35)))
    assert stream.getvalue().count("\r") == 3


def test_elsewhere_there_are_whole_lines_now_and_then():
    stream, clock = io.StringIO(), Clock()
    with Ticker("closed:4", count=100, stream=stream, clock=clock) as ticker:
        told(ticker, clock, *range(1, 25))
    lines = stream.getvalue().splitlines()
    assert len(lines) == 3
    assert lines[-1] == "closed:4: 24 s, 48 of 100 sent, 48 answered, 2 in flight, 2/s"
    assert "\r" not in stream.getvalue()


def test_the_rate_is_that_of_the_last_seconds():
    clock = Clock()
    ticker = Ticker("closed:1", stream=io.StringIO(), clock=clock)
    told(ticker, clock, *range(1, 31))
    for at in range(31, 41):
        clock.now = 100.0 + at
        ticker({**COUNTS, "answered": 60, "failed": 10 * (at - 30)})
    assert ticker.line().endswith("100 failed, 2 in flight, 10/s")


def test_the_first_word_is_told_where_it_is_known():
    ticker = Ticker("closed:1", stream=io.StringIO(), clock=Clock())
    ticker({**COUNTS, "ttft_s": 0.2134})
    assert ticker.line().endswith("TTFT 0.213 s")
    ticker({**COUNTS, "ttft_s": None})
    assert "TTFT" not in ticker.line()


def test_whoever_was_told_nothing_says_nothing():
    stream = Terminal()
    with Ticker("closed:1", stream=stream):
        pass
    assert stream.getvalue() == ""
