"""Tests of the fields of arguments."""

from typing import Any

from streamlit.testing.v1 import AppTest

from auricle.app.workspace import Workspace
from tests.support.app_pages import draw_view


def draw(*arguments: str, suggestions: str = "{}") -> AppTest:
    described = ", ".join(f"Argument({text})" for text in arguments)
    call = f"st.session_state['values'] = draw_arguments('thing', [{described}], 'k', {suggestions})"
    return draw_view(f"auricle.app.views.argument_fields:{call}")


def values(app: AppTest) -> dict[str, Any]:
    drawn: dict[str, Any] = app.session_state["values"]
    return drawn


def test_untouched_fields_have_no_values(workspace: Workspace) -> None:
    app = draw("'a', 'switch', True", "'b', 'integer', 3", "'c', 'number'", "'d', 'choice', 'x', ('x', 'y')", "'e'",
               "'f', 'folder'", "'g', 'weights', 'large', ('large',)", "'h', 'several', '', ('1', '2')")  # fmt: skip
    assert values(app) == {}


def test_each_kind_has_its_own_field(workspace: Workspace) -> None:
    app = draw("'a', 'switch', True", "'b', 'integer', 3", "'d', 'choice', 'x', ('x', 'y')", "'e', 'json'",
               "'h', 'several', '', ('1', '2')")  # fmt: skip
    app.toggle(key="k-a").set_value(False)
    app.number_input(key="k-b").set_value(4)
    app.selectbox(key="k-d").set_value("y")
    app.text_input(key="k-e").set_value("[1, 2]")
    app.pills(key="k-h").set_value(["1", "2"]).run()
    assert values(app) == {"a": False, "b": 4, "d": "y", "e": [1, 2], "h": "1,2"}


def test_weights_at_hand_come_before_usual_names(workspace: Workspace) -> None:
    app = draw("'model', 'weights', '', ('tiny',)", suggestions="{'model': ['a/b']}")
    assert app.selectbox(key="k-model").options == ["a/b", "tiny"]
    assert app.selectbox(key="k-model").label == "Weights"


def test_secrets_and_single_choices_have_no_field(workspace: Workspace) -> None:
    app = draw("'key', 'secret'", "'split', 'choice', 'all', ('all',)")
    assert not app.selectbox
    assert [field.label for field in app.text_input] == ["Other options"]


def test_uncommon_arguments_are_in_the_expander(workspace: Workspace) -> None:
    app = draw("'a'", "'b', is_common=False")
    assert app.expander[0].label == "More options of thing"
    assert [field.label for field in app.expander[0].text_input] == ["B", "Other options"]


def test_other_options_are_written_as_on_the_command_line(workspace: Workspace) -> None:
    app = draw("'a'")
    app.text_input(key="k-options").set_value("beam=5 name='x y'").run()
    assert values(app) == {"beam": 5, "name": "x y"}
    app.text_input(key="k-options").set_value("beam").run()
    assert "should be KEY" in app.error[0].value
    assert values(app) == {}


def test_some_common_arguments_and_all_required_ones_come_first(workspace: Workspace) -> None:
    app = draw(*(f"'a{index}'" for index in range(8)), "'needed', is_required=True")
    hidden = [field.label for field in app.expander[0].text_input]
    assert hidden == ["A5", "A6", "A7", "Other options"]
    assert app.text_input[0].label == "Needed (required)"


def test_small_number_is_shown_with_all_its_digits(workspace: Workspace) -> None:
    field = draw("'delay', 'number', 0.001").number_input(key="k-delay")
    assert (field.value, field.proto.format) == (0.001, "%g")
