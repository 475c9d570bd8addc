"""Prompt templates of AISBench are converted to prompts of task files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from auricle.core.errors import SpecError
from auricle.frameworks.aisbench.config_templates import TemplateConverter

FIXED = {"type": "FixKRetriever", "fix_id_list": [0]}


def converter(template: Any, **infer_config: Any) -> TemplateConverter:
    return TemplateConverter(Path("c.py"), {"prompt_template": {"template": template}, **infer_config}, "answer")


def test_a_missing_template_is_rejected() -> None:
    with pytest.raises(SpecError, match="infer_cfg has no template"):
        TemplateConverter(Path("c.py"), {}, "answer")


def test_the_end_of_a_template_is_ignored_with_a_note() -> None:
    templates = converter(
        {"round": [{"role": "HUMAN", "prompt": "{question}"}], "end": [{"role": "BOT", "prompt": "x"}]}
    )
    assert templates.convert_prompt() == "{question}"
    assert templates.notes == ["The template's `end` is ignored: nothing follows an answer."]


def test_templates_per_label_are_only_for_label_prompts() -> None:
    with pytest.raises(SpecError, match="a template per label needs PPLInferencer"):
        converter({"yes": "a", "no": "b"}).convert_prompt()


def test_labels_replace_the_answer() -> None:
    assert converter("{question} {answer}").convert_by_label(["A"]) == {"A": "{question} A"}


def test_examples_of_label_prompts_show_their_own_label() -> None:
    templates = TemplateConverter(
        Path("c.py"),
        {
            "prompt_template": {
                "template": {label: f"Choose.</E>{{question}} {label}" for label in "AB"},
                "ice_token": "</E>",
            },
            "ice_template": {"template": {label: f"An Answer A: {{question}} {label}!" for label in "AB"}},
            "retriever": FIXED,
        },
        "answer",
    )
    assert templates.convert_by_label(None)["B"] == {
        "turns": "Choose.{examples}{question} B",
        "examples": "An Answer A: {question} {target}!",
        "separator": "\n",
    }


def labelled_messages(label: str, answer: str) -> dict[str, Any]:
    return {
        "begin": "</E>",
        "round": [{"role": "HUMAN", "prompt": "{question}"}, {"role": "BOT", "prompt": f"{answer} {label}"}],
    }


def test_examples_of_label_prompts_may_be_messages() -> None:
    template = {label: labelled_messages(label, "It is") for label in "AB"}
    infer_config = {"ice_template": {"template": template, "ice_token": "</E>"}, "retriever": FIXED}
    prompts = TemplateConverter(Path("c.py"), infer_config, "answer").convert_by_label(None)
    assert prompts["A"] == {
        "turns": [{"user": "{question}"}, {"assistant": "It is A"}],
        "examples": [{"user": "{question}"}, {"assistant": "It is {target}"}],
    }


def test_examples_that_differ_in_more_than_the_label_are_rejected() -> None:
    template = {"A": labelled_messages("A", "Surely"), "B": labelled_messages("B", "Perhaps")}
    infer_config = {"ice_template": {"template": template, "ice_token": "</E>"}, "retriever": FIXED}
    with pytest.raises(SpecError, match="should differ only in their label"):
        TemplateConverter(Path("c.py"), infer_config, "answer").convert_by_label(None)


def convert_with_separators(**retriever: str) -> Any:
    template = {"template": "</E>{question} {answer}", "ice_token": "</E>"}
    infer_config = {"ice_template": template, "retriever": {**FIXED, **retriever}}
    return TemplateConverter(Path("c.py"), infer_config, "answer").convert_prompt()


def test_the_separator_of_examples_is_kept() -> None:
    assert convert_with_separators()["separator"] == "\n"
    assert convert_with_separators(ice_separator=";", ice_eos_token=";")["separator"] == ";"
    with pytest.raises(SpecError, match=r"ice_separator ';' and ice_eos_token '\\n' should be equal"):
        convert_with_separators(ice_separator=";")
