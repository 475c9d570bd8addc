"""Token counts of realtime protocols."""

from typing import Any

import pytest

from auricle.models.sessions.usage import read_usage


def test_openai_counts_with_their_parts() -> None:
    usage = {
        "total_tokens": 30,
        "input_tokens": 20,
        "output_tokens": 10,
        "input_token_details": {"text_tokens": 5, "audio_tokens": 15, "cached_tokens": 4, "cached_tokens_details": {}},
        "output_token_details": {"text_tokens": 3, "audio_tokens": 7},
    }
    assert read_usage(usage) == {
        "total_tokens": 30,
        "input_tokens": 20,
        "output_tokens": 10,
        "input_text_tokens": 5,
        "input_audio_tokens": 15,
        "input_cached_tokens": 4,
        "output_text_tokens": 3,
        "output_audio_tokens": 7,
    }


def test_vllm_and_gemini_counts_have_the_same_names() -> None:
    assert read_usage({"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3}) == {
        "input_tokens": 1,
        "output_tokens": 2,
        "total_tokens": 3,
    }
    usage = {
        "promptTokenCount": 4,
        "responseTokenCount": 5,
        "totalTokenCount": 9,
        "promptTokensDetails": [{"modality": "AUDIO", "tokenCount": 3}, {"modality": "TEXT", "tokenCount": 1}],
    }
    assert read_usage(usage) == {
        "input_tokens": 4,
        "output_tokens": 5,
        "total_tokens": 9,
        "input_audio_tokens": 3,
        "input_text_tokens": 1,
    }


@pytest.mark.parametrize("usage", [None, [], "many", {"input_tokens": -1}, {"input_tokens": "x"}, {"type": "tokens"}])
def test_counts_that_make_no_sense_are_unknown(usage: Any) -> None:
    assert read_usage(usage) == {}
