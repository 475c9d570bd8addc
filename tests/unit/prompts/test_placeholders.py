"""Placeholders in text."""

import pytest
from hypothesis import strategies as st

from auricle.core.errors import SampleError
from auricle.prompts import Prompt
from auricle.prompts.placeholders import field_names, render

text = st.text(st.one_of(st.characters(codec="utf-8"), st.sampled_from("{}?answertargquion")), max_size=40)


def test_placeholder_in_double_braces_is_text() -> None:
    assert render("{{q}} {q} {{q?}}", {"q": "x"}) == ("{q} x {q?}",)


@pytest.mark.parametrize("text", [r"\boxed{}", r"\frac{1}{2}", '{"a": {"b": 1}}', "{ q }", "{}", "}{"])
def test_other_braces_are_kept(text: str) -> None:
    expected = (text,)
    if field_names(text):
        with pytest.raises(SampleError):
            render(text, {})
    else:
        assert render(text, {}) == expected


def test_field_is_required_unless_optional_everywhere() -> None:
    prompt = Prompt.of({"system": "{a?}{b?}", "turns": "{a}{b?}"})
    assert prompt.fields == {"a": False, "b": True}
