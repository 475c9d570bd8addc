"""Prompt templates and their placeholders."""

from __future__ import annotations

import re
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auricle import Audio, Image, Sample, SpecError, Video
from auricle.core.errors import SampleError
from auricle.core.types import Turn
from auricle.data.prompts import Prompt
from auricle.data.prompts.example_pool import Example
from auricle.data.prompts.few_shot import FewShotSelector
from auricle.data.prompts.template import field_names, render

SOUND, PICTURE, FILM = Audio("a.wav"), Image("p.png"), Video("v.mp4")


class FixedExamples:
    """A selector that returns the same examples for every sample."""

    def __init__(self, *examples: Example) -> None:
        self.examples = examples

    def examples_for(self, _sample: Sample) -> tuple[Example, ...]:
        return self.examples


def fixed_examples(*examples: Example) -> FewShotSelector:
    return cast(FewShotSelector, FixedExamples(*examples))


def sample(**inputs: Any) -> Any:
    return Sample(id="1", inputs=inputs, target="the secret")


def render_messages(prompt: Any, **inputs: Any) -> Any:
    return [(turn.role, turn.parts) for turn in Prompt.of(prompt).render(sample(**inputs))]


def test_text_becomes_a_user_message() -> None:
    assert render_messages("What is {thing}?", thing="it") == [("user", ("What is it?",))]


def test_messages_keep_their_order() -> None:
    messages = [{"system": "brief"}, {"user": "{q}"}, {"assistant": "Answer:"}]
    assert render_messages(messages, q="why") == [
        ("system", ("brief",)),
        ("user", ("why",)),
        ("assistant", ("Answer:",)),
    ]
    assert render_messages({"system": "brief", "turns": messages[1:]}, q="why") == render_messages(messages, q="why")


def test_messages_with_role_and_content_are_accepted() -> None:
    assert render_messages([{"role": "user", "content": "{q}"}], q="why") == [("user", ("why",))]


def test_parts_may_be_listed_in_any_order() -> None:
    parts = [{"text": "See "}, {"image": "p"}, {"audio": "a"}, " and ", {"video": "v"}, "{q}"]
    assert render_messages([{"user": parts}], p=PICTURE, a=SOUND, v=FILM, q="?") == [
        ("user", ("See ", PICTURE, SOUND, " and ", FILM, "?"))
    ]


@pytest.mark.parametrize(
    ("prompt", "words"),
    [
        ({"turn": "x"}, "has the unknown section turn; expected system, examples, turns"),
        ({"system": "x"}, "is empty: set `turns`"),
        ([{"user": [{"sound": "x"}]}], "has an invalid part"),
        ([{"robot": "x"}], "must have messages with `user:`"),
        ("{target}", r"would show the answer: \{target\}"),
        ({"system": "{answer}", "turns": "x"}, r"would show the answer: \{answer\}"),
        ({"turns": "x", "examples": "{q}"}, r"no \{examples\} in its turns"),
        ("{examples}{q}", r"but no `examples`"),
        ({"turns": "{examples}{q}", "examples": [{"user": "{q}"}]}, r"\{examples\} must be one turn of its own"),
        ([{"user": "x"}, {"role": "system", "content": "y"}], "must not end with a system message"),
    ],
)
def test_invalid_prompt_is_refused(prompt: Any, words: str) -> None:
    with pytest.raises(SpecError, match=words) as refused:
        Prompt.of(prompt)
    assert refused.value.location[0] == "prompt"


def test_examples_become_separate_turns() -> None:
    prompt = Prompt.of("{audio}{q}", shots=fixed_examples(Example("s", {"audio": SOUND, "q": "1+1"}, "2")))
    turns = prompt.render(sample(audio=FILM, q="2+2"))
    assert [(turn.role, turn.parts) for turn in turns] == [
        ("user", (SOUND, "1+1")),
        ("assistant", ("2",)),
        ("user", (FILM, "2+2")),
    ]


def test_examples_continue_a_prefilled_answer() -> None:
    prompt = Prompt.of(
        [{"user": "{q}"}, {"assistant": "Answer:"}], shots=fixed_examples(Example("s", {"q": "1+1"}, "2"))
    )
    assert prompt.render(sample(q="2+2"))[1] == Turn("assistant", ("Answer: 2",))


def test_examples_may_have_their_own_template() -> None:
    given = {"turns": "{q}", "examples": [{"user": "Example: {q}"}, {"assistant": "It is {answer}."}]}
    prompt = Prompt.of(given, shots=fixed_examples(Example("s", {"q": "1+1"}, "2")))
    assert [turn.parts for turn in prompt.render(sample(q="2+2"))] == [("Example: 1+1",), ("It is 2.",), ("2+2",)]


def test_a_column_called_answer_is_shown_if_the_target_is_another_column() -> None:
    given = {"turns": "{q}", "examples": [{"user": "{q}"}, {"assistant": "{answer}, so {target}"}]}
    example = Example("s", {"q": "1+1"}, "B", {"answer": "two"})
    assert Prompt.of(given, shots=fixed_examples(example)).render(sample(q="x"))[1] == Turn("assistant", ("two, so B",))


def test_examples_replace_the_turn_that_names_them_and_join_turns_of_the_same_role() -> None:
    given = {
        "turns": [{"user": "Answer briefly."}, "{examples}", {"user": "{q}"}],
        "examples": [{"user": "{q}"}, {"assistant": "{target}"}],
    }
    prompt = Prompt.of(given, shots=fixed_examples(Example("s", {"q": "1+1"}, "2")))
    assert prompt.render(sample(q="2+2")) == (
        Turn("user", ("Answer briefly.\n1+1",)),
        Turn("assistant", ("2",)),
        Turn("user", ("2+2",)),
    )
    assert Prompt.of(given).render(sample(q="2+2")) == (Turn("user", ("Answer briefly.\n2+2",)),)


def test_examples_may_be_text_inside_a_turn() -> None:
    given = {"turns": "{examples}Q: {q}\nA:", "examples": "Q: {q}\nA: {target}", "separator": "\n"}
    shots = fixed_examples(Example("s", {"q": "1+1"}, "2"), Example("t", {"q": "{target}"}, "4"))
    ((_, parts),) = [(turn.role, turn.parts) for turn in Prompt.of(given, shots=shots).render(sample(q="3+3"))]
    assert parts == ("Q: 1+1\nA: 2\nQ: {target}\nA: 4\nQ: 3+3\nA:",)


text = st.text(st.one_of(st.characters(codec="utf-8"), st.sampled_from("{}?answertargquion")), max_size=40)


marks = st.sampled_from(["{answer}", "{target}", "{label}", "{{answer}}", "{0}", "{question}"])


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(
    question=st.lists(st.one_of(text, marks), max_size=6).map("".join),
    template=st.lists(st.one_of(text, marks, st.sampled_from(["{question}", "{hint?}"])), max_size=6).map("".join),
)
def test_no_target_reaches_a_prompt(question: Any, template: Any) -> None:
    target = "\x00the only copy of the target\x00"
    row = Sample(id="1", inputs={"question": question}, target=target, meta={"answer": target, "label": target})
    try:
        turns = Prompt.of(template or "{question}", system=question).render(row)
    except (SpecError, SampleError):
        return  # it names a field that is no input: refused, not filled
    shown = "".join(str(part) for turn in turns for part in turn.parts)
    assert target not in shown
    if re.fullmatch(r"\{question\}", template or "{question}"):
        assert question in shown


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
