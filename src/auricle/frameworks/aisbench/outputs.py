"""Stubs of AISBench's outcomes of requests, which model and inferencer classes fill."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter
from typing import Any

MIN_TIME_POINTS = 2
"""The start of a request and the arrival of at least one part of its answer."""


class Output:
    """The outcome of a request; `generate` fills it."""

    def __init__(self, perf_mode: bool = False) -> None:
        self.perf_mode, self.success, self.error_info = perf_mode, False, ""
        self.time_points: Any = []
        self.content: Any = ""
        self.reasoning_content: Any = ""
        self.input_tokens = self.output_tokens = self.turn_id = 0
        self.extra_perf_data: dict[str, Any] = {}
        self.extra_details_data: dict[str, Any] = {}
        self.input: Any = None
        self.uuid = ""

    def get_metrics(self) -> Any:
        """Return the fields of a measured request; a kind of output that is never measured has none."""

    def update_extra_perf_data_from_stream_response(self, stream_response: Any) -> None:
        """Keep measurements that a server sends with a part of an answer; does nothing unless overridden."""

    def update_extra_perf_data_from_text_response(self, text_response: Any) -> None:
        """Keep measurements that a server sends with an answer; does nothing unless overridden."""

    def update_extra_details_data_from_stream_response(self, stream_response: Any) -> None:
        """Keep further fields of a part of an answer; does nothing unless overridden."""

    def update_extra_details_data_from_text_response(self, text_response: Any) -> None:
        """Keep further fields of an answer; does nothing unless overridden."""

    def get_prediction(self) -> Any:
        """Return the answer, preceded by the model's reasoning."""
        if isinstance(self.content, list) and isinstance(self.reasoning_content, list) and self.reasoning_content:
            return [
                _join_reasoning(content, reasoning)
                for content, reasoning in zip(self.content, self.reasoning_content, strict=False)
            ]
        if isinstance(self.reasoning_content, str):
            return _join_reasoning(self.content, self.reasoning_content)
        return self.content

    def to_dict(self) -> dict[str, Any]:
        return vars(self)

    async def record_time_point(self) -> None:
        """Record when a request is sent, and when a part of its answer arrives; only in performance mode."""
        if self.perf_mode:
            self.time_points.append(perf_counter())

    async def clear_time_points(self) -> None:
        """Forget the times of an attempt that failed."""
        self.time_points = []


def _join_reasoning(content: Any, reasoning: str) -> Any:
    if not reasoning:
        return content
    return f"{reasoning}</think>{content}" if content else reasoning


class RequestOutput(Output):
    """The outcome of a request for text."""

    def get_metrics(self) -> dict[str, Any]:
        """Return the fields of a measured request without its text; fewer than two time points are a failure."""
        import numpy as np

        self.prediction = self.get_prediction()
        self.time_points = np.array(self.time_points, dtype=np.float64)
        if self.success and len(self.time_points) < MIN_TIME_POINTS:
            self.success, self.error_info = False, "chunk size is less than 2"
        metrics = self.to_dict()
        for name in ("content", "reasoning_content", "perf_mode"):
            metrics.pop(name, None)
        return metrics


class FunctionCallOutput(Output):
    """The outcome of a request whose answer may call tools."""

    def __init__(self, perf_mode: bool = False) -> None:
        super().__init__(perf_mode)
        self.inference_log: list[dict[str, Any]] = []
        self.tool_calls: list[dict[str, Any]] = []

    def update_extra_details_data_from_text_response(self, text_response: Any) -> None:
        """Keep the message of the first choice."""
        if choices := text_response.get("choices"):
            self.extra_details_data["message"] = choices[0].get("message", {})


class LMMOutput(Output):
    """The outcome of a request whose answer consists of texts and images."""

    def __init__(self, perf_mode: bool = False) -> None:
        super().__init__(perf_mode)
        self.content = [""]

    def get_prediction(self, save_dir: str = "") -> Any:
        """Return the texts, and the paths of the images, which are written to `save_dir`."""
        folder = Path(save_dir)
        parts = [item if isinstance(item, str) else self._save(item, folder, i) for i, item in enumerate(self.content)]
        return parts[0] if len(parts) == 1 else parts

    def _save(self, image: Any, folder: Path, index: int) -> str:
        path = folder / f"image_{self.uuid}_{index}.png"
        image.save(path)
        return str(Path(*path.parts[-2:]))


class PPLRequestOutput(Output):
    """The perplexity of one text."""

    def __init__(self, perf_mode: bool = False) -> None:
        super().__init__(perf_mode)
        self.ppl = 0.0
        self.origin_prompt_logprobs: Any = None


class PPLResponseOutput(Output):
    """The label whose text has the lowest perplexity, and the perplexity of each label."""

    def __init__(self, perf_mode: bool = False) -> None:
        super().__init__(perf_mode)
        self.input = []
        self.label_ppl_list: list[dict[str, Any]] = []
        self.origin_prompt_logprobs: list[Any] = []
