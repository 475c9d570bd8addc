"""Stubs of what classes for servers import."""

from __future__ import annotations

import base64
import io
from typing import Any

import pytest
from PIL import Image

from auricle.frameworks.lmms.server_stubs import (
    AdaptiveConcurrencyConfig,
    decide_next_concurrency,
    encode_image_to_base64,
    extract_text_prefix_from_chat_messages,
    get_running_totals,
    is_budget_exceeded,
    is_rate_limit_error,
    make_prefix_hash,
    parse_bool,
)


def test_concurrency_is_left_to_the_run() -> None:
    limits = {"target_latency_s": 15.0, "increase_step": 0.1, "decrease_factor": 0.7, "failure_threshold": 0.05}
    config = AdaptiveConcurrencyConfig.from_raw(min_concurrency=0, max_concurrency=8, **limits)
    assert (config.min_concurrency, config.max_concurrency) == (1, 8)
    decision = decide_next_concurrency(current_concurrency=4, total_requests=9, config=config)
    assert decision.next_concurrency == decision.current_concurrency == 4


@pytest.mark.parametrize(
    ("value", "expected"), [(True, True), ("on", True), ("False", False), (None, False), (0, False)]
)
def test_switches_are_parsed(value: Any, expected: bool) -> None:
    assert parse_bool(value) is expected


def test_requests_with_the_same_start_have_the_same_hash() -> None:
    assert make_prefix_hash("abc", 2) == make_prefix_hash("abd", 2) != make_prefix_hash("abd", 3)


def test_prefix_joins_the_texts_of_messages() -> None:
    media: list[Any] = [{"type": "audio", "url": "a.wav"}, {"type": "text", "text": "world"}, "!"]
    messages: list[Any] = [{"role": "system", "content": "hello "}, {"role": "user", "content": media}, "no message"]
    assert extract_text_prefix_from_chat_messages(messages) == "hello world!"
    assert extract_text_prefix_from_chat_messages(messages, 8) == "hello wo"


def test_rate_limits_are_recognised_and_budgets_left_to_the_run() -> None:
    assert is_rate_limit_error("Error code: 429")
    assert not is_rate_limit_error("no such file")
    assert not is_budget_exceeded()
    assert get_running_totals()["total_tokens"] == 0


def test_image_is_encoded_in_the_requested_format(tmp_path: Any) -> None:
    image = Image.new("RGBA", (4, 2), "red")
    image.save(tmp_path / "a.png")
    jpeg = encode_image_to_base64(str(tmp_path / "a.png"), image_format="jpeg", convert_rgb=True, quality=85)
    formats = [
        Image.open(io.BytesIO(base64.b64decode(encoded))).format for encoded in (encode_image_to_base64(image), jpeg)
    ]
    assert formats == ["PNG", "JPEG"]
