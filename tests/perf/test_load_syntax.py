import pytest

from auricle.core.errors import SpecError
from auricle.perf.load_patterns import ClosedLoop, folder_name
from auricle.perf.load_syntax import parse_loads

LOADS = (
    "closed:8", "closed:8,ramp=10,think=0.5", "burst:50", "constant:10", "poisson:8,cap=64",
    "gamma:8,shape=0.5", "ramp:1-20,over=60", "ramp:1-20,over=60,exp,poisson", "steps:5x30,10x30",
    "trace", "trace:scale=2", "sweep:6", "search:rate,low=1,high=128", "search:closed,low=2,high=9",
)  # fmt: skip


@pytest.mark.parametrize("text", LOADS)
def test_name_of_a_load_parses_to_the_same_load(text: str) -> None:
    (load,) = parse_loads(text)
    assert str(load) == text
    assert parse_loads(str(load)) == [load]


@pytest.mark.parametrize("text", LOADS)
def test_folder_name_has_no_reserved_character(text: str) -> None:
    assert not set(folder_name(parse_loads(text)[0])) & set('<>:"/\\|?*, ')


def test_several_numbers_give_several_loads() -> None:
    assert parse_loads("closed:1,2,4,think=1") == [ClosedLoop(1, 0, 1), ClosedLoop(2, 0, 1), ClosedLoop(4, 0, 1)]


def test_serial_is_one_user() -> None:
    assert parse_loads("serial") == [ClosedLoop(1)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("closd:8", "Unknown load pattern 'closd'. Did you mean closed?"),
        ("fast", "See `auricle list load-patterns`."),
        ("closed", "a number is missing"),
        ("closed:0", "whole number above 0"),
        ("poisson:-1", "above 0"),
        ("poisson:inf", "above 0"),
        ("poisson:nan", "above 0"),
        ("poisson:8,cup=3", "unexpected argument cup=. Expected poisson:RATE"),
        ("poisson:8,cap=1,cap=2", "cap is given twice"),
        ("gamma:8", "shape= is missing"),
        ("ramp:5,over=9", "such as 1-20"),
        ("ramp:0-0,over=9", "above 0"),
        ("ramp:0-5,over=9,exp", "the first rate must be a number above 0"),
        ("steps:5", "such as 5x30"),
        ("search:speed", "rate or closed is missing"),
        ("search:rate,low=9,high=3", "low=9 is above high=3"),
    ],
)
def test_invalid_load_is_rejected_in_one_line(text: str, message: str) -> None:
    with pytest.raises(SpecError) as caught:
        parse_loads(text)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_bursty_traffic_has_gamma_arrivals() -> None:
    assert parse_loads("bursty:4,8") == parse_loads("gamma:4,8,shape=0.25")
    assert parse_loads("bursty:4,shape=0.5,cap=3") == parse_loads("gamma:4,shape=0.5,cap=3")
