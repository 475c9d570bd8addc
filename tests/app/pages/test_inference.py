"""Tests of the page for single inference."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from auricle.app.pages.inference import class_score_chart, gauge_chart
from auricle.app.palette import LIGHT
from auricle.app.views.confirmation import confirmed_origins
from auricle.app.workspace import Workspace
from tests.support.app_pages import count_charts, draw_page, draw_view, find_button

pytestmark = pytest.mark.slow


def run_models(*models: str, text: str = "", source: str = "No audio") -> AppTest:
    state = {"inference-source": source, "inference-models": list(models), "inference-text": text}
    app = draw_page("inference", state)
    find_button(app, "Run").click().run()
    assert not app.exception
    return app


def test_outputs_of_each_kind_are_drawn_side_by_side(workspace: Workspace) -> None:
    app = run_models("echo", "fake-labels", "fake-reward", "fake-api", source="Demo")
    headings = [header.value for header in app.header]
    assert headings == ["echo", "fake\\-labels", "fake\\-reward", "fake\\-api"]
    assert [text.value for text in app.text] == ["s01-clean", "s01-clean"]
    assert app.metric[0].label == "top class"
    assert {metric.label for metric in app.metric} >= {"alignment", "musicality"}
    assert not app.error
    assert len(app.code) == 4


def test_markup_in_an_answer_is_shown_unchanged(workspace: Workspace) -> None:
    assert run_models("echo", text="<b>**x**</b>").text[0].value == "<b>**x**</b>"


def test_answer_disappears_when_the_prompt_changes(workspace: Workspace) -> None:
    app = run_models("echo", text="x")
    app.text_area(key="inference-text").set_value("y").run()
    assert not app.text


def test_error_of_one_model_does_not_affect_another(workspace: Workspace) -> None:
    folder = workspace.allowed_folders[0]
    (folder / "bad.py").write_text(
        "from auricle import BatchModel\nclass Bad(BatchModel):\n"
        "    def generate(self, batch):\n        raise ValueError('no *luck*')\n"
    )
    app = run_models(f"{folder}/bad.py:Bad", "echo", text="x")
    assert "no \\*luck\\*" in app.error[0].value
    assert app.text[0].value == "x"


def test_model_file_elsewhere_is_rejected(workspace: Workspace, tmp_path: Path) -> None:
    (tmp_path / "evil.py").write_text("raise SystemExit")
    app = run_models(f"{tmp_path}/evil.py:Evil", text="x")
    assert "outside the folders the app may read" in app.error[0].value.replace("\\", "")


def test_model_is_asked_after_its_server_is_confirmed_once(workspace: Workspace) -> None:
    confirmed_origins().clear()
    options = {"inference-openai-options": "base_url=http://localhost:9/v1 model=m timeout=1"}
    state = {"inference-source": "No audio", "inference-models": ["openai"], "inference-text": "x", **options}
    app = draw_page("inference", state)
    assert "will be sent to `http://localhost:9`" in app.warning[0].value
    assert find_button(app, "Run").disabled
    find_button(app, "Allow requests to `http://localhost:9`").click().run()
    assert not app.warning
    assert not find_button(app, "Run").disabled


def test_models_are_added_from_the_menu_and_removed(workspace: Workspace) -> None:
    app = draw_page("inference", {"inference-source": "No audio", "inference-models": ["echo"]})
    find_button(app, "Add a model").click().run()
    find_button(app, "pocketsphinx").click().run()
    assert app.session_state["inference-models"] == ["echo", "pocketsphinx"]
    app.button(key="inference-remove-echo").click().run()
    assert app.session_state["inference-models"] == ["pocketsphinx"]


def test_arguments_of_a_model_have_fields(workspace: Workspace) -> None:
    state = {"inference-source": "No audio", "inference-models": ["echo"], "inference-text": "x"}
    app = draw_page("inference", {**state, "inference-echo-reply": "always this"})
    find_button(app, "Run").click().run()
    assert app.text[0].value == "always this"


def test_upload_that_is_not_audio_is_reported(workspace: Workspace) -> None:
    app = draw_page("inference", {"inference-source": "Upload"})
    app.file_uploader(key="inference-file").set_value(("evil.wav", b"not audio", "audio/wav")).run()
    assert "evil.wav" in app.error[0].value.replace("\\", "")
    assert find_button(app, "Run").disabled


def test_recording_has_a_player_and_two_charts(workspace: Workspace, tone: Callable[..., Path]) -> None:
    app = draw_page("inference", {"inference-source": "Record"})
    content = tone("a.wav", 0.2).read_bytes()
    app.audio_input(key="inference-recording").set_value(("a.wav", content, "audio/wav")).run()
    assert len(app.get("audio")) == 1
    assert count_charts(app) == 2


# --- the answer of a model ------------------------------------------------------------


IMPORTS = "from auricle.core.types import Generation, Likelihood, Prediction\n"


def draw_output(output: str) -> Any:
    return draw_view(f"auricle.app.pages.inference:{IMPORTS}draw_answer(Answer('m', 0.5, {output}))")


def chart_rows(chart: dict[str, Any]) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = chart.get("data", {}).get("values") or next(iter(chart["datasets"].values()))
    return rows


def test_top_class_is_marked_by_more_than_colour() -> None:
    rows = chart_rows(class_score_chart([("sad", 0.7), ("happy", 0.3)], True, LIGHT).to_dict())
    assert [(row["name"], row["text"]) for row in rows] == [("▸ sad", "70.0%"), ("happy", "30.0%")]


def test_gauge_extends_to_values_outside_its_range() -> None:
    chart = str(gauge_chart({"arousal": 1.2, "valence": -0.1}, LIGHT).to_dict())
    assert "'domain': [-0.1, 1.2]" in chart


@pytest.mark.parametrize(
    ("output", "charts"),
    [
        ("Generation(text='hello')", 0),
        ("Prediction(values={'sad': 0.9, 'calm': 0.1}, scale='probability')", 1),
        ("Prediction(values={'arousal': 0.4}, scale='continuous')", 1),
        ("Prediction(values={'musicality': 3.5}, scale='continuous')", 0),
    ],
)
def test_output_of_each_kind_is_drawn_with_its_raw_form(output: str, charts: int) -> None:
    app = draw_output(output)
    assert count_charts(app) == charts
    assert app.caption[0].value == "Response time: 0.5 s"
    assert len(app.code) == 1


def test_empty_text_is_shown_as_empty() -> None:
    assert draw_output("Generation(text='')").text[0].value == "(empty)"


def test_error_is_escaped() -> None:
    app = draw_view("auricle.app.pages.inference:draw_answer(Answer('m', error='**no**'))")
    assert app.error[0].value == r"\*\*no\*\*"
