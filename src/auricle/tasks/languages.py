"""English names of languages, for prompts."""

from __future__ import annotations

from collections.abc import Mapping

LANGUAGE_NAMES: Mapping[str, str] = {
    "af": "Afrikaans", "am": "Amharic", "ar": "Arabic", "as": "Assamese", "ast": "Asturian",
    "az": "Azerbaijani", "be": "Belarusian", "bg": "Bulgarian", "bn": "Bengali", "bs": "Bosnian",
    "ca": "Catalan", "ceb": "Cebuano", "ckb": "Central Kurdish", "cs": "Czech", "cy": "Welsh",
    "da": "Danish", "de": "German", "el": "Greek", "en": "English", "es": "Spanish",
    "et": "Estonian", "eu": "Basque", "fa": "Persian", "ff": "Fula", "fi": "Finnish",
    "fil": "Filipino", "fr": "French", "ga": "Irish", "gl": "Galician", "gu": "Gujarati",
    "ha": "Hausa", "he": "Hebrew", "hi": "Hindi", "hr": "Croatian", "hu": "Hungarian",
    "hy": "Armenian", "id": "Indonesian", "ig": "Igbo", "is": "Icelandic", "it": "Italian",
    "ja": "Japanese", "jv": "Javanese", "ka": "Georgian", "kam": "Kamba",
    "kea": "Kabuverdianu", "kk": "Kazakh", "km": "Khmer", "kn": "Kannada", "ko": "Korean",
    "ky": "Kyrgyz", "lb": "Luxembourgish", "lg": "Ganda", "ln": "Lingala", "lo": "Lao",
    "lt": "Lithuanian", "luo": "Luo", "lv": "Latvian", "mi": "Maori", "mk": "Macedonian",
    "ml": "Malayalam", "mn": "Mongolian", "mr": "Marathi", "ms": "Malay", "mt": "Maltese",
    "my": "Burmese", "nb": "Norwegian", "ne": "Nepali", "nl": "Dutch", "nso": "Northern Sotho",
    "ny": "Nyanja", "oc": "Occitan", "om": "Oromo", "or": "Oriya", "pa": "Punjabi",
    "pl": "Polish", "ps": "Pashto", "pt": "Portuguese", "ro": "Romanian", "ru": "Russian",
    "sd": "Sindhi", "sk": "Slovak", "sl": "Slovenian", "sn": "Shona", "so": "Somali",
    "sr": "Serbian", "sv": "Swedish", "sw": "Swahili", "ta": "Tamil", "te": "Telugu",
    "tg": "Tajik", "th": "Thai", "tr": "Turkish", "uk": "Ukrainian", "umb": "Umbundu",
    "ur": "Urdu", "uz": "Uzbek", "vi": "Vietnamese", "wo": "Wolof", "xh": "Xhosa",
    "yo": "Yoruba", "yue": "Cantonese", "zh": "Chinese", "zu": "Zulu",
}  # fmt: skip


def language_name(code: str) -> str:
    """Return the English name of a language, or its code if the name is unknown."""
    return LANGUAGE_NAMES.get(code, code)
