"""Replies which state that nothing can be heard, and transcripts that only resemble them."""

import pytest

from auricle.text.reading.no_speech import states_no_speech

STATEMENTS = [
    "There is no speech in this audio.",
    "No speech detected.",
    "I can't hear anything.",
    "I’m sorry, but I cannot hear any speech in the recording.",
    "The recording does not contain any spoken words.",
    "The audio is silent.",
    "The audio contains only noise and no spoken content.",
    "The clip contains only white noise.",
    "There's nothing to transcribe.",
    "I'm unable to transcribe the audio, because it contains no speech.",
    "Please provide the audio file.",
    "[BLANK_AUDIO]",
    "(silence)",
    "<think>hm</think>The audio file is empty.",
    "Ich kann in der Aufnahme keine Sprache hören.",
    "Es ist nichts zu hören.",
    "Il n'y a aucune parole dans cet enregistrement.",
    "No hay voz en la grabación.",
    "音频中没有语音。",
    "我听不到任何声音。",
    "音声は含まれていません。",
    "何も聞こえません。",
    "沒有聲音。",
    "음성이 없습니다.",
]
TRANSCRIPTS = [
    "",
    " ",
    "you",
    "Thank you for watching.",
    "silence",
    "the noise was deafening",
    "I cannot hear you over the noise",
    "2020-2020-2020",
    "♪♪",
    "Untertitel der Amara.org-Community",
    "请不吝点赞",
]


@pytest.mark.parametrize("reply", STATEMENTS)
def test_a_statement_that_nothing_is_heard_is_recognised(reply: str) -> None:
    assert states_no_speech(reply)


@pytest.mark.parametrize("reply", TRANSCRIPTS)
def test_a_transcript_is_no_such_statement(reply: str) -> None:
    assert not states_no_speech(reply)
