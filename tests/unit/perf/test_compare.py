"""Two measurements beside each other."""

import json
from typing import Any

import pytest

from auricle.perf.compare import build_comparison, format_comparison
from auricle.testing.fake_server import Script

pytestmark = pytest.mark.flaky(reruns=2)  # it is about time, and machines rest


@pytest.fixture
def both(measured: Any, questions: Any) -> Any:
    """A server measured twice: as it is, and slower."""
    data = questions(10)

    def run(load: str = "closed:2,4", other: Any = None, **wanted: Any) -> Any:
        told = {"count": 40, "stream": True, "data": data} | wanted
        quick = measured(load, Script(latency=0.02, pace=500), **told)
        slow = measured(other or load, Script(latency=0.06, pace=500), **told)
        return quick.folder, slow.folder

    return run


def row(document: Any, name: Any, at: int = 0) -> Any:
    (found,) = [row for row in document["points"][at]["rows"] if row["name"] == name]
    return found


def test_points_of_one_load_are_compared(both: Any) -> None:
    document = build_comparison(*both())
    assert [point["load"] for point in document["points"]] == ["closed:2", "closed:4"]
    slower = row(document, "ttft_s p50")
    assert slower["ratio"] == pytest.approx(3, rel=0.4)
    assert slower["apart"]
    assert row(document, "req_s")["ratio"] < 1
    assert "B is worse" in "\n".join(format_comparison(document))


def test_accuracy_stands_beside_speed(both: Any) -> None:
    document = build_comparison(*both("closed:4", count=12))
    same = row(document, "exact_match")
    assert same["a"] == same["b"]
    assert not same["apart"]


def test_a_measurement_beside_itself_is_made_alike(measured: Any) -> None:
    one = measured("closed:2", count=10, stream=True).folder
    document = build_comparison(one, one)
    assert document["differs"] == []
    assert all(row["ratio"] in (1, None) for row in document["points"][0]["rows"])
    told = "\n".join(format_comparison(document))
    assert "Not made alike" not in told
    assert "B is" not in told


def test_what_was_not_made_alike_is_told_first(measured: Any, questions: Any) -> None:
    one = measured("closed:2", count=6, data=questions(10)).folder
    two = measured("closed:2", count=9, seed=3, data=questions(12)).folder
    document = build_comparison(one, two)
    differs = {each["what"]: (each["a"], each["b"]) for each in document["differs"]}
    assert differs["count"] == (6, 9)
    assert differs["seed"] == (0, 3)
    assert "data" in differs
    told = format_comparison(document)
    assert told.index("Not made alike:") < next(at for at, line in enumerate(told) if line.startswith("closed:2"))


def test_loads_of_one_side_are_named(both: Any) -> None:
    document = build_comparison(*both("closed:1,2", "closed:2,3", count=5))
    assert [point["load"] for point in document["points"]] == ["closed:2"]
    assert (document["only_a"], document["only_b"]) == (["closed:1"], ["closed:3"])
    assert "Only in B: closed:3" in format_comparison(document)


def test_the_command_compares_measurements(both: Any, auricle: Any) -> None:
    folders = both("closed:4", count=20)
    told = auricle("compare", *folders)
    assert told.returncode == 0, told.stderr
    assert "ttft_s p50" in told.stdout
    assert json.loads(auricle("compare", *folders, "--json").stdout)["points"]


def test_a_measurement_and_a_run_are_no_pair(measured: Any, auricle: Any) -> None:
    one = measured("closed:2", count=2).folder
    told = auricle("compare", one, one / "00-closed-2")
    assert told.returncode == 2
    assert "ordinary runs" in told.stderr
