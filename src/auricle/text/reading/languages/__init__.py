"""The tables of phrasings, by language code."""

from collections.abc import Mapping

from auricle.text.reading.languages import de, en, es, fr, it, ja, ko, pt, ru, zh
from auricle.text.reading.table import Phrasings

TABLES: Mapping[str, Phrasings] = {
    "en": en.TABLE,
    "zh": zh.TABLE,
    "ja": ja.TABLE,
    "ko": ko.TABLE,
    "de": de.TABLE,
    "fr": fr.TABLE,
    "es": es.TABLE,
    "pt": pt.TABLE,
    "it": it.TABLE,
    "ru": ru.TABLE,
}
