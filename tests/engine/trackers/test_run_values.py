import math
from dataclasses import replace
from pathlib import Path

from auricle import api
from auricle.engine.progress import ProgressEvent
from auricle.engine.trackers.run_values import MAX_TEXT, describe_run, final_state, progress_values
from auricle.runs.run_spec import read_run_spec


def test_a_run_keeps_its_key_when_it_is_moved_but_not_when_it_is_started_again(demo_run: Path) -> None:
    spec = read_run_spec(demo_run)
    tracked = describe_run(demo_run, spec)
    assert describe_run(Path("/elsewhere/demo-echo"), spec).key == tracked.key
    assert describe_run(demo_run, replace(spec, created="2027-01-01T00:00:00+00:00")).key != tracked.key
    assert describe_run(demo_run, replace(spec, identity={**spec.identity, "model": "other"})).key != tracked.key
    assert tracked.name == f"demo-echo-{tracked.key[:8]}"
    assert tracked.parameters["task"] == "demo"
    assert tracked.parameters["limit"] == 3


def test_parameters_have_no_secrets_no_folders_and_no_long_texts(demo_run: Path) -> None:
    arguments = {"api_key": "sk-123456789abc", "weights": "/home/me/weights.bin", "prompt": "x" * 9999, "beams": [1, 2]}
    spec = read_run_spec(demo_run)
    parameters = describe_run(demo_run, replace(spec, spec={**spec.spec, "model_args": arguments})).parameters
    assert parameters["model_args.api_key"] == "…"
    assert parameters["model_args.weights"] == "weights.bin"
    assert len(str(parameters["model_args.prompt"])) == MAX_TEXT
    assert parameters["model_args.beams"] == "[1, 2]"


def test_numbers_have_interval_coverage_and_signature(demo_run: Path) -> None:
    metrics = api.load_metrics(demo_run)
    final, wer = final_state(metrics), metrics["wer"]
    expected = {"wer": wer.value, "wer/low": wer.low, "wer/high": wer.high, "wer/coverage": 1.0}
    assert {name: value for name, value in final.numbers.items() if name.startswith("wer")} == expected
    assert (final.numbers["samples/answered"], final.numbers["samples/failed"], final.step) == (3.0, 0.0, 3)
    assert final.facts["wer/signature"] == str(wer.signature)
    assert final.facts["auricle"] == metrics.auricle


def test_values_that_are_not_defined_are_left_out(demo_run: Path) -> None:
    metrics = api.load_metrics(demo_run)
    undefined = replace(metrics["wer"], value=None, low=math.inf, high=None, total=0)
    numbers = final_state(replace(metrics, numbers=(undefined,))).numbers
    assert not [name for name in numbers if name.startswith("wer")]
    assert final_state(None, "stopped").numbers == {}


def test_progress_is_named_after_its_phase() -> None:
    event = ProgressEvent(event="progress", done=8, failed=1, rate=2.5, cost=0.25)
    assert progress_values(event) == {
        "inference/done": 8.0,
        "inference/failed": 1.0,
        "inference/rate": 2.5,
        "inference/cost": 0.25,
    }
    assert progress_values(replace(event, phase="judging", rate=0.0)) == {"judging/done": 8.0, "judging/failed": 1.0}
