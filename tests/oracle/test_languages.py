"""Error rates of twelve languages compared with jiwer, with and without normalisation."""

import jiwer
import pytest

from auricle import Generation, Metric, Sample
from auricle.engine.catalogue import TASKS
from auricle.engine.scored_language import DEFAULT_PROFILES
from auricle.metrics.capabilities import Profiled
from auricle.tasks.asr.error_rates import cer, mer, wer
from auricle.text import get_profile, split_mixed

PAIRS = {
    "ar": [("ذَهَبَ الوَلَدُ إلى المَدرَسَةِ.", "ذهب الولد الى المدرسة"), ("كم الساعة؟", "كم الساعه")],
    "de": [("Die Straße ist größer, oder?", "die strasse ist groß oder"), ("Über Öl", "über öl")],
    "es": [("¿Cómo estás, señor?", "como estas señor"), ("El niño comió.", "el niño comio")],
    "fr": [("L’été, c'est déjà l’heure !", "l'ete c'est déjà heure"), ("Où est-il ?", "ou est il")],
    "hi": [("हिन्दी में बात करते हैं।", "हिंदी में बात करता है"), ("क़लम ज़रूरी है", "कलम ज़रूरी है")],
    "ja": [("東京タワーへ行きました。", "東京タワーに行きました"), ("コーヒーをちょっと", "コーヒをちよっと")],
    "ko": [("오늘은 날씨가 좋네요.", "오늘은 날시가 좋네요"), ("안녕하세요", "안녕 하세요")],
    "ru": [("Ёжик ещё спит.", "ежик еще спит"), ("Мой дом", "мои дом")],
    "th": [("ฉันดื่มน้ำเย็น", "ฉันดื่มนำเย็น"), ("วันนี้อากาศดีมาก", "วันนี้อากาศดี มาก")],
    "tr": [("IŞIK İzmir'de ılık.", "ışık izmir'de ilik"), ("Iğdır", "iğdır")],
    "vi": [("Tôi đang học tiếng Việt.", "tôi đang hoc tiếng viêt"), ("Hòa bình", "hoà bình")],
    "zh": [("我們在臺灣買了2024年的書。", "我们在台湾买了二零二四年的树"), ("你好，世界！", "你好世界")],
}


def compute(metric: Metric, language: str) -> float:
    return metric.aggregate(
        [
            metric.score(Sample(id="x", inputs={}, target=target), Generation(text=text))
            for target, text in PAIRS[language]
        ]
    )


def normalise(language: str, profile: str) -> tuple[list[str], list[str]]:
    references, answers = zip(*PAIRS[language], strict=True)
    return list(map(get_profile(profile), references)), list(map(get_profile(profile), answers))


@pytest.mark.parametrize("language", PAIRS)
def test_error_rates_equal_jiwer_without_and_with_the_profile_of_the_language(language: str) -> None:
    for profile in ("none", DEFAULT_PROFILES.get(language, "basic")):
        references, answers = normalise(language, profile)
        assert isinstance(wer, Profiled)
        assert isinstance(cer, Profiled)
        assert compute(wer.with_profile(profile), language) == pytest.approx(jiwer.wer(references, answers), abs=1e-12)
        assert compute(cer.with_profile(profile), language) == pytest.approx(jiwer.cer(references, answers), abs=1e-12)


@pytest.mark.parametrize(
    ("language", "errors", "length"),
    [
        # Errors that a native reader counts, in the unit of the first metric of a recognition task.
        ("de", 1, 7),  # größer
        ("es", 3, 6),  # cómo, estás, comió
        ("fr", 3, 7),  # été, l'heure, où
        ("hi", 4, 8),  # हिन्दी, करते, हैं, क़लम
        ("ja", 3, 20),  # へ, ー, ょ
        ("ko", 2, 16),  # 씨, and a space
        ("ru", 3, 5),  # ё twice, й
        ("th", 1, 30),  # the tone mark of น้ำ; its vowel is one character
        ("tr", 2, 4),  # ılık, ığdır
        ("vi", 3, 7),  # học, Việt, Hòa
        ("zh", 1, 18),  # 書
    ],
)
def test_counts_are_those_of_a_reader(language: str, errors: int, length: int) -> None:
    task = TASKS.get("asr")(data="rows.jsonl", language=language)
    metric = task.metrics[0]
    stats = [
        metric.score(Sample(id="x", inputs={}, target=target), Generation(text=text))
        for target, text in PAIRS[language]
    ]
    details = metric.details(stats)
    counted = details["substitutions"] + details["deletions"] + details["insertions"]
    assert (counted, details["reference_length"]) == (errors, length)


def test_options_leave_only_the_errors_of_the_recogniser() -> None:
    assert isinstance(wer, Profiled)
    assert compute(wer.with_profile("basic+harakat+alef"), "ar") == pytest.approx(1 / 6)  # ه instead of ة
    assert compute(wer.with_profile("basic+yo"), "ru") == pytest.approx(1 / 5)


def test_composed_and_decomposed_letters_are_equal() -> None:
    import unicodedata

    for pairs in PAIRS.values():
        for reference, _ in pairs:
            decomposed = unicodedata.normalize("NFD", reference)
            for profile in ("basic", "chars", "zh", "mixed"):
                assert get_profile(profile)(decomposed) == get_profile(profile)(reference)


def test_mixed_tokens_equal_jiwer_for_scripts_without_spaces() -> None:
    for language in ("ja", "th", "zh"):
        references, answers = ([" ".join(split_mixed(text)) for text in side] for side in normalise(language, "mixed"))
        assert compute(mer, language) == pytest.approx(jiwer.wer(references, answers), abs=1e-12)
