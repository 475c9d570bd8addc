"""Token counts of realtime protocols, under common names.

`input_tokens`, `output_tokens` and `total_tokens`, and parts of them such as `input_audio_tokens` and
`input_cached_tokens`.
"""

from __future__ import annotations

import re
from typing import Any

from auricle.models.http.fields import as_count

COMMON_NAMES = {
    "prompt_tokens": "input_tokens",
    "completion_tokens": "output_tokens",
    "promptTokenCount": "input_tokens",
    "responseTokenCount": "output_tokens",
    "totalTokenCount": "total_tokens",
    "cachedContentTokenCount": "input_cached_tokens",
    "toolUsePromptTokenCount": "tool_tokens",
    "thoughtsTokenCount": "thinking_tokens",
}
DETAILS = re.compile(r"(input|output)_token_details")
MODALITY_DETAILS = {"promptTokensDetails": "input", "responseTokensDetails": "output"}


def read_usage(usage: Any) -> dict[str, float]:
    """Return the token counts of an object of OpenAI, vLLM or Gemini; counts that make no sense are left out.

    >>> read_usage({"input_tokens": 9, "input_token_details": {"audio_tokens": 7, "cached_tokens": 2}})
    {'input_tokens': 9, 'input_audio_tokens': 7, 'input_cached_tokens': 2}
    """
    if not isinstance(usage, dict):
        return {}
    counts: dict[str, Any] = {}
    name: str
    for name, value in usage.items():
        if (match := DETAILS.fullmatch(name)) and isinstance(value, dict):
            counts |= {f"{match[1]}_{part}": count for part, count in value.items()}
        elif (side := MODALITY_DETAILS.get(name)) and isinstance(value, list):
            for part in value:
                if isinstance(part, dict):
                    counts[f"{side}_{str(part.get('modality')).lower()}_tokens"] = part.get("tokenCount")
        elif name in COMMON_NAMES or name.endswith("_tokens"):
            counts[COMMON_NAMES.get(name, name)] = value
    return {name: count for name, value in counts.items() if (count := as_count(value)) is not None}
