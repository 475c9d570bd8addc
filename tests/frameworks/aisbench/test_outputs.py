"""Outcomes of requests, as classes of AISBench fill and read them."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from auricle.frameworks.aisbench.outputs import (
    FunctionCallOutput,
    LMMOutput,
    Output,
    PPLRequestOutput,
    PPLResponseOutput,
    RequestOutput,
)


def record_points(output: Output, count: int) -> None:
    for _ in range(count):
        asyncio.run(output.record_time_point())


def test_time_points_are_recorded_only_in_performance_mode() -> None:
    fast, slow = RequestOutput(), RequestOutput(perf_mode=True)
    record_points(fast, 2)
    record_points(slow, 2)
    assert fast.time_points == []
    assert slow.time_points == sorted(slow.time_points)
    asyncio.run(slow.clear_time_points())
    assert slow.time_points == []


@pytest.mark.parametrize(("points", "success"), [(1, False), (2, True), (5, True)])
def test_metrics_need_two_time_points(points: int, success: bool) -> None:
    output = RequestOutput(perf_mode=True)
    output.success, output.content, output.uuid = True, "hello", "7"
    record_points(output, points)
    metrics = output.get_metrics()
    assert (metrics["success"], metrics["prediction"], metrics["uuid"]) == (success, "hello", "7")
    assert metrics["time_points"].shape == (points,)
    assert not {"content", "reasoning_content", "perf_mode"} & metrics.keys()
    assert bool(metrics["error_info"]) is not success


def test_metrics_of_a_failed_request_keep_its_reason() -> None:
    output = RequestOutput(perf_mode=True)
    output.error_info = "no answer"
    assert output.get_metrics()["error_info"] == "no answer"


@pytest.mark.parametrize(
    ("content", "reasoning", "prediction"),
    [
        ("a", "", "a"),
        ("a", "because", "because</think>a"),
        ("", "because", "because"),
        (["a", "b"], ["x", ""], ["x</think>a", "b"]),
        (["a"], "", ["a"]),
    ],
)
def test_reasoning_precedes_the_answer(content: Any, reasoning: Any, prediction: Any) -> None:
    output = RequestOutput()
    output.content, output.reasoning_content = content, reasoning
    assert output.get_prediction() == prediction


def test_the_message_of_a_tool_call_is_kept() -> None:
    output = FunctionCallOutput()
    output.update_extra_details_data_from_text_response({"choices": [{"message": {"tool_calls": [1]}}, {}]})
    assert output.extra_details_data == {"message": {"tool_calls": [1]}}


def test_hooks_for_further_fields_do_nothing_unless_overridden() -> None:
    output = RequestOutput()
    output.update_extra_perf_data_from_stream_response({"a": 1})
    output.update_extra_perf_data_from_text_response({"a": 1})
    output.update_extra_details_data_from_stream_response({"a": 1})
    output.update_extra_details_data_from_text_response({"a": 1})
    assert (output.extra_perf_data, output.extra_details_data) == ({}, {})
    assert Output().get_metrics() is None


def test_images_of_an_answer_are_written_to_files(tmp_path: Path) -> None:
    class Picture:
        def save(self, path: Path) -> None:
            path.write_text("picture")

    output = LMMOutput()
    assert output.get_prediction() == ""
    output.content, output.uuid = ["see", Picture()], "7"
    assert output.get_prediction(str(tmp_path)) == ["see", f"{tmp_path.name}/image_7_1.png"]
    assert (tmp_path / "image_7_1.png").read_text() == "picture"


@pytest.mark.parametrize("kind", [Output, FunctionCallOutput, LMMOutput, PPLRequestOutput, PPLResponseOutput])
def test_an_output_is_unmeasured_and_failed_until_it_is_filled(kind: type[Output]) -> None:
    output = kind()
    assert (output.perf_mode, output.success, output.uuid, output.turn_id) == (False, False, "", 0)
    assert kind(True).perf_mode is True


def test_the_response_of_a_perplexity_request_collects_its_inputs() -> None:
    assert PPLResponseOutput().input == []
    assert PPLResponseOutput().label_ppl_list == []
