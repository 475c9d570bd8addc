"""Post-processors of AISBench read answers; see tests/oracle for its own results."""

from __future__ import annotations

import pytest

from auricle.core.errors import Unreadable
from auricle.frameworks.aisbench.postprocessors import POSTPROCESSORS


@pytest.mark.parametrize(
    ("name", "reply", "options", "answer"),
    [
        ("first_option_postprocess", "A or B? The answer is (C).", {"options": "ABCD"}, "C"),
        ("first_option_postprocess", "答案选项应该是 D", {"options": "ABCD"}, "D"),
        ("first_option_postprocess", "Definitely B", {"options": "AB"}, "B"),
        ("first_option_postprocess", "no letter", {"options": "AB"}, ""),
        ("first_option_postprocess", "xBx", {"options": "AB", "cushion": False}, ""),
        ("last_option_postprocess", "A, then B", {"options": "AB"}, "B"),
        ("first-capital", "is it Cat or Dog", {}, "C"),
        ("last-capital", "is it Cat or Dog", {}, "D"),
        ("first-capital-multi", "x ABD C", {}, "ABD"),
        ("multiple-select", "C and A, C", {}, "AC"),
        ("match_answer_pattern", "ANSWER: B", {"answer_pattern": r"ANSWER: (\w)"}, "B"),
        ("gsm8k", "it is 1.5, no, -7. Question: 8?", {}, "-7"),
        ("gsm8k", "none", {}, "NULL"),
        ("gsm8k_dataset", "steps\n#### 1,234", {}, "1234"),
        ("general", "The cat, a dog", {}, "cat"),
        ("specific-xml-tag", "<a>1</a><a> 2 </a>", {"tag": "<a>"}, "2"),
        ("specific-xml-tag", "none", {"tag": "<a>"}, "NO ANSWER FOUND"),
        ("extract-non-reasoning-content", "x</think> y", {}, "y"),
        ("extract_non_reasoning_content_raw", "a<think>b</think> c ", {}, "a c "),
    ],
)
def test_a_reply_is_read(name: str, reply: str, options: dict[str, object], answer: str) -> None:
    assert POSTPROCESSORS[name](reply, **options) == answer


def test_a_reference_without_its_mark_is_unreadable() -> None:
    with pytest.raises(Unreadable, match="no '#### '"):
        POSTPROCESSORS["gsm8k_dataset_postprocess"]("42")
