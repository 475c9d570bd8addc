"""The synthesiser eSpeak NG."""

import shutil
from typing import Any

import pytest

from auricle import Generate, Turn
from auricle.core.errors import SpecError
from auricle.media.voices import ESPEAK_PROGRAMS
from auricle.models import abilities
from auricle.models.espeak import Espeak

HAS_ESPEAK = any(map(shutil.which, ESPEAK_PROGRAMS))


@pytest.mark.skipif(not HAS_ESPEAK, reason="needs the program espeak-ng")
def test_it_speaks_each_text() -> None:
    assert abilities(Espeak) == ["generate"]
    short, long = Espeak(voice="de").generate(
        [Generate(turns=(Turn("user", (text,)),)) for text in ("Ja.", "Guten Morgen allerseits.")]
    )
    assert short.audio is not None
    assert long.audio is not None
    assert 0.1 < short.audio.seconds < long.audio.seconds < 5


@pytest.mark.skipif(not HAS_ESPEAK, reason="needs the program espeak-ng")
def test_an_unknown_voice_is_refused_before_the_run() -> None:
    with pytest.raises(SpecError, match="klingonese"):
        Espeak(voice="klingonese")


def test_a_missing_program_is_named(monkeypatch: Any) -> None:
    monkeypatch.setattr(shutil, "which", lambda _: None)
    assert not Espeak.listing.is_installed
    with pytest.raises(SpecError, match="The model espeak needs the program espeak-ng"):
        Espeak()
