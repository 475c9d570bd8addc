from pathlib import Path
from typing import Any

import pytest

from auricle.core.errors import SpecError
from auricle.interop.aisbench.templates import TemplateConverter


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
