"""Tests of the question before anything is sent to a server from a form."""

import pytest

from auricle.app.views.confirmation import confirmed_origins
from tests.support.app_pages import draw_view, page_text

TWO_SERVERS = "auricle.app.views.confirmation:st.text(confirm_origins(['http://a', 'http://b:9'], key='x'))"


@pytest.fixture(autouse=True)
def _no_server_is_confirmed() -> None:
    confirmed_origins().clear()


def test_each_server_is_confirmed_once() -> None:
    app = draw_view(TWO_SERVERS)
    assert [warning.value.count("will be sent to") for warning in app.warning] == [1, 1]
    assert app.text[0].value == "False"
    app.button[0].click().run()
    assert confirmed_origins() == {"http://a"}
    assert len(app.button) == 1
    app.button[0].click().run()
    assert app.text[0].value == "True"
    assert not draw_view(TWO_SERVERS).warning


def test_form_without_a_url_asks_nothing() -> None:
    app = draw_view("auricle.app.views.confirmation:st.text(confirm_origins([], key='x'))")
    assert app.text[0].value == "True"


def test_markup_in_a_url_is_shown_as_code() -> None:
    text = page_text(draw_view("auricle.app.views.confirmation:confirm_origins(['http://<b>`*x*'], key='x')"))
    assert "`http://<b>*x*`" in text
