import pytest

from auricle.perf.repeats import summarise_repeats
from auricle.perf.summary import summarise
from tests.support.simulated_servers import even_requests


def test_only_repeated_loads_are_summarised() -> None:
    slow, fast, other = (
        summarise(even_requests(seconds=seconds), load, window_kind="all")
        for seconds, load in ((1.2, "poisson:10"), (0.8, "poisson:10"), (1.0, "poisson:5"))
    )
    (repeats,) = summarise_repeats([slow, other, fast])
    assert (repeats.load, repeats.repeats) == ("poisson:10", 2)
    latency = repeats.numbers["latency_s p50"]
    assert latency.values == pytest.approx([1.2, 0.8])
    assert (latency.mean, latency.min, latency.max) == pytest.approx((1.0, 0.8, 1.2))
    assert latency.std == pytest.approx(0.4 / 2**0.5)


def test_undefined_numbers_are_left_out() -> None:
    point = summarise(even_requests(), "poisson:10", window_kind="all")
    (repeats,) = summarise_repeats([point, point])
    assert "ttft_s p50" not in repeats.numbers
