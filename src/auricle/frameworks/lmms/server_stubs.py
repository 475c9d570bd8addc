"""Stubs of what lmms-eval's classes for servers import: concurrency, token counts, encoding of images.

The run limits concurrency and counts tokens by itself, so these keep what a class asks for.
"""

from __future__ import annotations

import base64
import hashlib
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

RATE_LIMIT_WORDS = ("429", "rate limit", "rate_limit", "too many requests", "quota", "throttl", "per min", "rpm", "tpm")


@dataclass(frozen=True)
class AdaptiveConcurrencyConfig:
    min_concurrency: int
    max_concurrency: int
    target_latency_s: float
    increase_step: float
    decrease_factor: float
    failure_threshold: float

    @classmethod
    def from_raw(cls, **limits: Any) -> Self:
        counts = {name: max(1, int(limits[name])) for name in ("min_concurrency", "max_concurrency")}
        return cls(**{**limits, **counts})


@dataclass(frozen=True)
class AdaptiveConcurrencyDecision:
    current_concurrency: int
    next_concurrency: int
    failure_rate: float = 0.0
    rate_limit_rate: float = 0.0
    p95_latency_s: float = 0.0
    should_reduce: bool = False


def decide_next_concurrency(*, current_concurrency: int, **_: Any) -> AdaptiveConcurrencyDecision:
    """Keep the concurrency, which `--concurrency` and the batch size of the run limit."""
    return AdaptiveConcurrencyDecision(current_concurrency, current_concurrency)


def parse_bool(value: Any) -> bool:
    return str(value).strip().lower() in ("1", "true", "yes", "on")


def make_prefix_hash(text: str, prefix_chars: int = 256) -> str:
    """Return a digest of the start of a text, by which requests with the same start are sorted."""
    return hashlib.sha256(text[: max(1, int(prefix_chars))].encode("utf-8", "ignore")).hexdigest()


def extract_text_prefix_from_chat_messages(messages: Sequence[Any], max_chars: int = 256) -> str:
    """Return the first characters of the texts of messages."""
    texts: list[str] = []
    for message in messages:
        content = message.get("content") if isinstance(message, Mapping) else None
        parts = [content] if isinstance(content, str) else content or []
        texts += [part if isinstance(part, str) else str(part.get("text") or "") for part in parts]
    return "".join(texts)[: max(1, int(max_chars))]


def is_rate_limit_error(error_msg: str) -> bool:
    return any(word in error_msg.lower() for word in RATE_LIMIT_WORDS)


def log_usage(*_: Any, **__: Any) -> None:
    """Do nothing; the run counts tokens."""


def is_budget_exceeded() -> bool:
    """Return False; `--max-cost` of the run limits what is spent."""
    return False


def get_running_totals() -> dict[str, int]:
    return dict.fromkeys(("input_tokens", "output_tokens", "reasoning_tokens", "total_tokens"), 0)


def encode_image_to_base64(
    image: Any, *, image_format: str = "PNG", convert_rgb: bool = False, quality: int | None = None, **_: Any
) -> str:
    """Encode a Pillow image or the image at a path."""
    from PIL import Image

    opened = Image.open(image) if isinstance(image, str) else image
    buffer = io.BytesIO()
    options = {} if quality is None else {"quality": quality}
    (opened.convert("RGB") if convert_rgb else opened).save(buffer, format=image_format.upper(), **options)
    return base64.b64encode(buffer.getvalue()).decode()
