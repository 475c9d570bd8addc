"""Tests of slices by the signal of recordings."""

import math

import pytest

from auricle.core.types import Json
from auricle.media.sound_measures import SignalMeasures
from auricle.scoring.sound_slices import ABSENT, SLICINGS, SoundTable

BASE = SignalMeasures(level=-25.0, peak=-3.0, clipped=0.0, snr=15.0, band=3400.0, active=0.5)


def make_table(*measures: SignalMeasures, seconds: float = 4.0, target: Json = "four words in it") -> SoundTable:
    table = SoundTable({str(number): values for number, values in enumerate(measures)})
    for number in range(len(measures)):
        table.add(str(number), seconds, target)
    return table


@pytest.mark.parametrize(
    ("name", "values", "groups"),
    [
        ("snr", [9.9, 10.0, 29.0, 30.0], ["below 10 dB", "10–20 dB", "20–30 dB", "30 dB or more"]),
        ("level", [-45.0, -25.0, -3.0], ["below −40 dB", "−30 to −20 dB", "−20 dB or more"]),
        ("band", [3400.0, 7000.0, 16_000.0], ["below 4 kHz", "4–8 kHz", "8 kHz or more"]),
        ("clipped", [0.0, 0.0005, 0.01], ["below 0.001 %", "0.001–0.1 %", "0.1 % or more"]),
    ],
)
def test_physical_measures_have_fixed_limits(name: str, values: list[float], groups: list[str]) -> None:
    grouping = make_table(*(BASE._replace(**{name: value}) for value in values)).cut(name)
    assert [grouping.names[code] for code in grouping.codes.tolist()] == groups


def test_speaking_rate_counts_words_of_active_speech_or_characters_without_spaces() -> None:
    table = make_table(BASE, BASE._replace(active=0.25), BASE._replace(active=1.0))  # 2, 4 and 1 words per second
    assert table.cut("speaking_rate").names == ("below 1.7 words/s", "1.7–2.7 words/s", "2.7 words/s or more")
    assert table.cut("speaking_rate").codes.tolist() == [1, 2, 0]
    chinese = make_table(BASE, BASE._replace(active=0.25), target="今天天气很好。")
    assert chinese.cut("speaking_rate").names[0].endswith("characters/s")


def test_durations_are_cut_into_three_groups_of_about_the_same_size() -> None:
    table = SoundTable({})
    for number in range(300):
        table.add("", 1 + number / 37, None)
    codes = table.cut("duration").codes
    assert [(codes == code).sum() for code in range(3)] == pytest.approx([100, 100, 100], abs=5)


def test_equal_durations_are_in_one_group() -> None:
    assert make_table(BASE, BASE, BASE).cut("duration").count() == 1


def test_samples_without_a_measure_are_unknown() -> None:
    table = SoundTable({"a": BASE._replace(snr=math.nan), "b": BASE})
    table.add("a", 1.0, "word")
    table.add("b", 1.0, None)
    table.add("not measured", 1.0, "word")
    table.add("text", None, "word")
    assert table.cut("snr").codes.tolist() == [ABSENT, 1, ABSENT, ABSENT]
    assert table.cut("speaking_rate").codes.tolist().count(ABSENT) == 3
    assert (table.recordings, table.measured) == (3, 2)


def test_table_without_recordings_has_no_groups() -> None:
    assert all(SoundTable({}).cut(name).count() == 0 for name in SLICINGS)
