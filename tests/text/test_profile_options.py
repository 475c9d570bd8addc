"""Options of profiles."""

import pytest

from auricle.core.errors import UnknownName
from auricle.core.signature import MetricSignature
from auricle.metrics.capabilities import Profiled
from auricle.tasks.asr.error_rates import wer
from auricle.text import PROFILES, get_profile
from auricle.text.profile_options import OPTIONS
from auricle.text.profiles import is_profile


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("basic+turkish", "ISPARTA'da İzmir'i I\u0307zledi, IŞIK", "ısparta'da izmir'i izledi ışık"),
        ("basic", "İzmir", "izmir"),
        ("basic", "ISPARTA", "isparta"),
        ("basic+yo", "Ёлка, е\u0308ж и мёд", "елка еж и мед"),
        ("basic", "Ёлка", "ёлка"),
        ("basic+harakat", "اللُّغَةُ العَرَبِيَّةُ", "اللغة العربية"),
        ("basic", "مَكْتَب", "مَكْتَب"),
        ("basic+tatweel", "كتـــاب ـ", "كتاب"),
        ("basic+alef", "أحمد إلى آخر ٱلكتاب ﻷن", "احمد الى اخر الكتاب لان"),
        ("basic+harakat+alef", "أَحْمَدُ", "احمد"),
        ("basic+gershayim", 'צה״ל, "צה"ל" בשנת תש”ח, ג׳ירפה ה"ארץ" וכו׳', "צהל צהל בשנת תשח גירפה הארץ וכו"),
        ("basic+gershayim", 'l\u00b4eau it\'s "so"', "l'eau it's so"),
        ("basic+gershayim+niqqud", "שָׁלוֹם \ufb2aל עַל־יַד", "שלום של על יד"),
        ("basic+catalan", "l´hotel, AL·LEGAR! Sr. L.L. sol.La", "l'hotel al·legar sr l l sol la"),
        ("basic+digits", "٣٤ ३४ 34", "34 34 34"),
        ("whisper-en+spelled", "twenty three", "two three"),
        ("whisper-en+spelled", "no number here", "no number here"),
        ("chars+yo", "ё ё", "ее"),
    ],
)
def test_an_option_removes_one_difference(name: str, text: str, expected: str) -> None:
    assert get_profile(name)(text) == expected


@pytest.mark.parametrize("spelling", ["col·legi", "coŀlegi", "col.legi", "col•legi", "col‧legi", "col∙legi"])
def test_every_spelling_of_the_catalan_geminate_is_one_word(spelling: str) -> None:
    profile = get_profile("basic+catalan")
    assert profile.tokens(f"el {spelling}") == profile.tokens(f"EL {spelling.upper()}") == ["el", "col·legi"]


def test_options_are_part_of_name_signature_and_title() -> None:
    profile = get_profile("basic+harakat+alef")
    assert (profile.name, profile.signature) == ("basic+harakat+alef", "basic+harakat+alef:2")
    assert isinstance(wer, Profiled)
    metric = wer.with_profile("basic+yo")
    assert MetricSignature.parse(metric.signature).profile == "basic+yo"
    assert metric.named_after_profile().title == "WER (basic+yo)"
    assert is_profile("basic+yo+digits")
    assert not is_profile("basic+no")
    assert not is_profile("2")


def test_an_unknown_option_names_those_there_are() -> None:
    with pytest.raises(UnknownName, match=r"Unknown option 'no' of the profile basic. Options: turkish, yo, "):
        get_profile("basic+no")


def test_every_option_is_listed_with_a_profile() -> None:
    listed = {option for name in PROFILES for option in name.split("+")[1:]}
    assert listed == set(OPTIONS)
    assert all(OPTIONS[name.split("+")[1]].summary in PROFILES.summary(name) for name in PROFILES if "+" in name)
