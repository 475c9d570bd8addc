"""What was heard in a call, line by line."""

from auricle.core.calls import EventKind
from auricle.core.dialogue import list_dialogue
from tests.tasks.calls.metrics.recordings import caller, cut_speech, happens, record, speak


def test_speech_that_was_interrupted_is_cut_where_the_caller_stopped_hearing_it() -> None:
    recording = record(
        caller(0, 1, step=0, text="What is on the menu?"),
        *cut_speech(2, 4, "a", planned=8),
        happens(1.9, EventKind.TRANSCRIPT, item="a", text="Soup, bread, "),
        happens(2.0, EventKind.TRANSCRIPT, item="a", text="fish, rice, peas, beans, cake, tea."),
        caller(3.8, 5, "interrupt", step=1, text="How much is the fish?"),
        *speak(6, 8, "b"),
        happens(5.9, EventKind.TRANSCRIPT, item="b", text="Nine euros."),
    )
    assert [(line.speaker, line.text) for line in list_dialogue(recording)] == [
        ("Caller", "What is on the menu?"),
        ("Agent", "Soup, bread, [cut off]"),  # two of eight seconds, and of eight words
        ("Caller", "How much is the fish?"),
        ("Agent", "Nine euros."),
    ]


def test_speech_that_was_never_played_is_left_out() -> None:
    recording = record(
        happens(1.0, EventKind.AUDIO, item="a", seconds=4.0),
        happens(1.0, EventKind.TRANSCRIPT, item="a", text="One two three."),
        happens(1.1, EventKind.PLAYBACK_FLUSHED, item="a", seconds=0.0),
    )
    (line,) = list_dialogue(recording)
    assert (line.text, line.unheard) == ("", "One two three.")


def test_sounds_and_tool_calls_are_lines() -> None:
    call = happens(2, EventKind.TOOL_CALL, data={"name": "book", "arguments": {"day": "Friday", "people": 4}})
    lines = list_dialogue(record(caller(0, 1, "noise", step=0), call))
    assert [(line.speaker, line.text) for line in lines] == [
        ("Caller", "[noise]"),
        ("Tool", "book(day='Friday', people=4)"),
    ]
