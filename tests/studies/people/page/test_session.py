"""What listeners see and may answer: blind, one trial after the other, only after listening."""

import json
from pathlib import Path
from typing import Any

import pytest

from auricle.studies.people.page.session import ListeningSession, NoFreePlace, list_sounds
from auricle.studies.people.ratings import InvalidAnswer, read_ratings
from tests.support.listening_tests import SYSTEMS, make_test, pass_time


@pytest.fixture
def session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ListeningSession:
    make_test(tmp_path, "mos", items=3, listeners=3, traps=1, repeat_checks=1)
    return ListeningSession(tmp_path / "mos")


def answer(session: ListeningSession, name: str = "L01", value: Any = 4, **changes: Any) -> dict[str, Any]:
    """Answer the next trial of a listener as a page does after everything was played, and return the next state."""
    listener = session.test.listener_by_id[name]
    state = session.describe(listener)
    pass_time(session)
    trial = state["trial"]
    document = {"trial": trial["id"], "nonce": trial["nonce"], "answers": {"A": value}, "played": trial["seconds"]}
    session.answer(listener, {**document, **changes})
    return session.describe(listener)


def test_a_page_names_no_system_file_item_or_check(session: ListeningSession) -> None:
    for listener in session.test.listeners:
        for _ in listener.trials:
            text = json.dumps(session.describe(listener)).lower()
            assert not any(word in text for word in (*SYSTEMS, "trap", "repeat", ".wav", "text 0", "check"))
            answer(session, listener.id)


def test_a_test_is_resumed_where_it_was_left(session: ListeningSession) -> None:
    assert answer(session)["done"] == 1
    assert answer(session)["done"] == 2
    resumed = ListeningSession(session.folder)
    state = resumed.describe(resumed.test.listener_by_id["L01"])
    assert (state["done"], state["total"], state["trial"]["id"]) == (2, 5, "t003")


def test_an_answer_is_on_disk_before_the_next_trial(session: ListeningSession) -> None:
    answer(session, value=2)
    ((rating,), _) = read_ratings(session.folder)
    assert (rating.listener, rating.trial, rating.answers) == ("L01", "t001", {"A": 2.0})


def test_an_answer_that_is_sent_twice_is_stored_once(session: ListeningSession) -> None:
    answer(session)
    answer(session, trial="t001")
    assert len(read_ratings(session.folder)[0]) == 1


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"trial": "t003"}, "not the trial that comes next"),
        ({"trial": None}, "not the trial that comes next"),
        ({"nonce": "guessed"}, "was not shown on this page"),
        ({"nonce": "ä"}, "was not shown on this page"),
        ({"nonce": None}, "was not shown on this page"),
        ({"answers": {"A": 9}}, "not an answer from 1 to 5"),
        ({"answers": None}, "incomplete"),
        ({"played": {}}, "Please listen to A to the end"),
        ({"played": {"A": 0.1}}, "Please listen to A to the end"),
        ({"played": {"A": "long"}}, "Please listen to A to the end"),
    ],
)
def test_answers_without_listening_or_off_the_scale_are_refused(
    session: ListeningSession, changes: Any, message: str
) -> None:
    with pytest.raises(InvalidAnswer, match=message):
        answer(session, **changes)
    assert read_ratings(session.folder)[0] == []


def test_an_answer_that_is_faster_than_the_sound_is_refused(session: ListeningSession) -> None:
    listener = session.test.listeners[0]
    trial = session.describe(listener)["trial"]
    with pytest.raises(InvalidAnswer, match="Please listen to the sounds"):
        session.answer(listener, {"trial": "t001", "nonce": trial["nonce"], "answers": {"A": 4}, "played": {"A": 9.0}})


def test_a_trial_that_was_never_shown_cannot_be_answered(session: ListeningSession) -> None:
    other = session.describe(session.test.listeners[1])["trial"]["nonce"]
    for nonce in (other, ""):
        with pytest.raises(InvalidAnswer, match="was not shown"):
            session.answer(session.test.listeners[0], {"trial": "t001", "nonce": nonce, "answers": {"A": 4}})


def test_an_address_gets_few_places(session: ListeningSession) -> None:
    few = ListeningSession(session.folder, places_per_address=1)
    few.enrol("10.0.0.1")
    with pytest.raises(NoFreePlace, match="from your address"):
        few.enrol("10.0.0.1")
    assert few.enrol("10.0.0.2")
    assert "10.0.0" not in (few.folder / "links.json").read_text()


def test_something_that_is_no_object_is_refused(session: ListeningSession) -> None:
    with pytest.raises(InvalidAnswer, match="not a JSON object"):
        session.answer(session.test.listeners[0], [1])


def test_a_finished_listener_has_no_trial(session: ListeningSession) -> None:
    for _ in range(5):
        state = answer(session)
    assert state["trial"] is None
    assert session.is_finished(session.test.listener_by_id["L01"])
    assert session.count_finished() == 1


def test_places_are_assigned_in_order_until_none_is_free(session: ListeningSession) -> None:
    answer(session, "L02")
    tokens = [session.enrol("10.0.0.1") for _ in range(2)]
    assert [session.links.find_listener(token) for token in tokens] == ["L01", "L03"]
    again = ListeningSession(session.folder)
    with pytest.raises(NoFreePlace, match="All places"):
        again.enrol("10.0.0.1")


def test_sounds_are_served_for_own_trials_only(session: ListeningSession) -> None:
    listener = session.test.listeners[0]
    path = session.find_sound(listener, "t001", "A")
    assert path is not None
    assert path.is_file()
    assert session.find_sound(listener, "t001", "B") is None
    assert session.find_sound(listener, "t999", "A") is None


def test_references_and_x_have_labels_of_their_own(tmp_path: Path) -> None:
    mushra = make_test(tmp_path, "mushra", items=1).listeners[0].trials[0]
    abx = make_test(tmp_path, "abx", items=3).listeners[0].trials[0]
    assert list(list_sounds(mushra)) == ["A", "B", "C", "D", "E", "R"]
    assert list(list_sounds(abx)) == ["A", "B", "X"]
