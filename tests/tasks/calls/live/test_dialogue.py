"""What was spoken so far."""

from auricle.core.calls import CallRecording, Event, EventKind, Span
from auricle.tasks.calls.live.driver import make_dialogue
from auricle.tasks.calls.live.player import Player
from tests.support.voice_agents import RATE, tone


def words(item: str, text: str) -> Event:
    return Event(at=1.0, side="received", kind=EventKind.TRANSCRIPT, item=item, text=text)


def describe(player: Player, caller: tuple[Span, ...], transcripts: list[Event]) -> CallRecording:
    """Return a call in progress."""
    done = Event(at=1.0, side="received", kind=EventKind.RESPONSE_DONE)
    events = sorted([*transcripts, done, *player.list_events()], key=lambda event: event.at)
    return CallRecording(events=tuple(events), caller=caller, agent=player.list_spans(), seconds=5.0)


def test_text_that_was_not_played_is_not_in_the_dialogue() -> None:
    player = Player(RATE)
    player.add("a", tone(4.0), at=1.0)
    player.add("b", tone(1.0), at=1.0)
    player.flush(at=3.0)
    caller = (Span(start=0.0, end=0.5, kind="say", step=0, text="Hello?"), Span(start=0.7, end=0.9, kind="say", step=0))
    transcripts = [words("a", "One two "), words("b", "five"), words("a", "three four")]
    dialogue = make_dialogue(describe(player, caller, transcripts))
    assert [(utterance.speaker, utterance.text) for utterance in dialogue] == [
        ("caller", "Hello?"),
        ("agent", "One two"),
    ]


def test_text_without_audio_is_in_the_dialogue_when_it_came() -> None:
    caller = (Span(start=2.0, end=2.5, kind="say", step=0, text="And?"),)
    dialogue = make_dialogue(describe(Player(RATE), caller, [words("a", "Welcome.")]))
    assert [utterance.text for utterance in dialogue] == ["Welcome.", "And?"]
