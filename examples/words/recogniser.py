"""Two recognisers of the messages: one that spells names as it hears them, one that gets a list of names."""

from auricle import Audio

PLAIN = (
    "please call miss a conquo at ten thirty",
    "the flight to rake your vick leaves from gate forty",
    "did siobhan confirm the invoice for twelve fifty",
    "take two tablets with water please",
)
WITH_NAMES = (
    "Please call Ms Okonkwo at ten thirty.",
    "The flight to Reykjavik leaves from gate 14.",
    "Did Siobhan confirm the invoice for $1,250?",
    "Take Okonkwo tablets with water please.",
)


def plain(audio: Audio) -> str:
    """Answer without punctuation and capitals."""
    return PLAIN[round(audio.seconds * 10) - 1]


def with_names(audio: Audio) -> str:
    """Answer as a recogniser that prefers the names of a list, even where none was spoken."""
    return WITH_NAMES[round(audio.seconds * 10) - 1]
