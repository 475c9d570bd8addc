"""AISBench's lists of messages, and the chat formats that its model classes apply to them."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import Any

import pytest

from auricle.frameworks.aisbench.prompt_list import (
    APITemplateParser,
    LMTemplateParser,
    PromptList,
    build_prompt_list,
    get_round_index,
)

TEXT_FORMAT = {
    "begin": "<s>",
    "end": "</s>",
    "round": [
        {"role": "HUMAN", "begin": "Q: ", "end": "\n"},
        {"role": "BOT", "begin": "A: ", "end": "\n", "generate": True},
    ],
}
API_FORMAT = {
    "round": [{"role": "HUMAN", "api_role": "user"}, {"role": "BOT", "api_role": "assistant", "generate": True}],
    "reserved_roles": [{"role": "SYSTEM", "api_role": "system"}],
}


def section(name: str, *messages: Any) -> list[Any]:
    return [{"section": name, "pos": "begin"}, *messages, {"section": name, "pos": "end"}]


def human(text: str) -> dict[str, str]:
    return {"role": "HUMAN", "prompt": text}


def bot(text: str) -> dict[str, str]:
    return {"role": "BOT", "prompt": text}


SYSTEM = {"role": "SYSTEM", "fallback_role": "HUMAN", "prompt": "Be brief."}
PROMPT = PromptList(
    [
        *section("begin", SYSTEM),
        *section("ice", human("1?"), bot("one")),
        *section("round", human("2?"), bot("two"), human("3?"), bot("three")),
    ]
)


def test_text_is_written_up_to_the_answer_that_the_model_generates() -> None:
    written = LMTemplateParser(TEXT_FORMAT).parse_template(PROMPT, "gen")
    assert written == "<s>Q: Be brief.\nQ: 1?\nA: one\nQ: 2?\nA: two\nQ: 3?\nA: "


def test_all_answers_are_written_for_perplexities() -> None:
    written = LMTemplateParser(TEXT_FORMAT).parse_template(PROMPT, "ppl")
    assert written.endswith("Q: 3?\nA: three\n</s>")


def test_messages_get_the_roles_of_the_service() -> None:
    messages = APITemplateParser(API_FORMAT).parse_template(PROMPT, "gen")
    assert [(message["role"], message["prompt"]) for message in messages] == [
        ("system", "Be brief."),
        ("user", "1?"),
        ("assistant", "one"),
        ("user", "2?"),
        ("assistant", "two"),
        ("user", "3?"),
    ]


def test_neighbouring_messages_of_one_role_are_joined() -> None:
    without_system = {"round": API_FORMAT["round"]}
    messages = APITemplateParser(without_system).parse_template(
        PromptList([*section("begin", SYSTEM), *section("round", human("1?"))]), "gen"
    )
    assert messages == [{"role": "user", "prompt": "Be brief.\n1?"}]


def test_a_role_that_repeats_begins_another_round() -> None:
    prompt = PromptList(section("round", human("1?"), human("2?")))
    with pytest.raises(ValueError, match="the message of BOT has neither prompt nor prompt_mm"):
        APITemplateParser(API_FORMAT).parse_template(prompt, "gen")


def test_media_are_parts_of_a_message() -> None:
    parts = [{"type": "text", "text": "x"}]
    prompt = PromptList(section("round", {"role": "HUMAN", "prompt_mm": parts}))
    assert APITemplateParser(API_FORMAT).parse_template(prompt, "gen") == [{"role": "user", "prompt": parts}]
    assert APITemplateParser().parse_template(prompt, "gen") == parts


@pytest.mark.parametrize("parser", [LMTemplateParser(), APITemplateParser()])
def test_without_a_format_each_message_is_a_line(parser: LMTemplateParser) -> None:
    assert parser.parse_template(PromptList(["a", human("b"), *section("round", bot("c"))]), "gen") == "a\nb\nc"
    assert parser.parse_template("plain", "gen") == "plain"
    assert parser.parse_template(["a", PromptList([human("b")])], "gen") == ["a", "b"]


@pytest.mark.parametrize(
    ("meta_template", "message"),
    [
        ({"begin": "x"}, "needs a list of roles under 'round'"),
        ({"round": [{"role": "HUMAN"}, {"role": "HUMAN"}]}, "has the role HUMAN twice"),
    ],
)
def test_an_invalid_format_is_refused(meta_template: Any, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        LMTemplateParser(meta_template)


@pytest.mark.parametrize(
    ("prompt", "mode", "message"),
    [
        ("a", "chat", "mode should be gen or ppl"),
        (7, "gen", "not int"),
        (PromptList(section("round", {"role": "ROBOT", "prompt": "a"})), "gen", "no role ROBOT"),
        (PromptList(section("round", bot("b"), human("a"), bot("b"))), "gen", "neither prompt nor prompt_mm"),
    ],
)
def test_an_invalid_prompt_is_refused(prompt: Any, mode: str, message: str) -> None:
    with pytest.raises((ValueError, TypeError, KeyError), match=message):
        APITemplateParser(API_FORMAT).parse_template(prompt, mode)


def test_the_rounds_of_a_conversation_are_located() -> None:
    assert get_round_index(PROMPT) == (8, 12)
    assert PROMPT[8:12][0] == human("2?")
    assert get_round_index([human("a"), bot("b")]) == (1, -1)


def test_the_list_of_an_installed_aisbench_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    class InstalledList(list[Any]):
        pass

    assert type(build_prompt_list([human("a")])) is PromptList
    installed = SimpleNamespace(PromptList=InstalledList)
    monkeypatch.setitem(sys.modules, "ais_bench.benchmark.utils.prompt.prompt", installed)
    assert type(build_prompt_list([human("a")])) is InstalledList


def test_lists_and_texts_can_be_added() -> None:
    prompt = "a" + PromptList(["b"]) + "c" + [human("d")]
    prompt += "e"
    prompt += ""
    assert prompt == ["a", "b", "c", human("d"), "e"]
    assert isinstance(prompt, PromptList)
    assert str(prompt) == "abcde"


def test_fields_and_tokens_are_replaced() -> None:
    prompt = PromptList(["</E> {x}", human("{x}"), {"section": "round", "pos": "begin"}])
    assert prompt.format(x=1)[:2] == ["</E> 1", human("1")]
    assert prompt.replace("</E>", "E")[0] == "E {x}"
    assert prompt.replace("</E>", PromptList([bot("b")]))[:2] == [bot("b"), " {x}"]
    with pytest.raises(TypeError, match="stands within a message"):
        prompt.replace("{x}", PromptList([bot("b")]))
    assert prompt[0] == "</E> {x}"
