"""AISBench's post-processors: functions that read an answer from a reply, or from the data."""

from __future__ import annotations

import re
from collections.abc import Callable

from auricle.core.errors import Unreadable

Postprocessor = Callable[..., str]

# --- letters of options -------------------------------------------------------------------

_STATED_ANSWER = (
    *(r"答案是?\s*", r"答案是?\s*：\s*", r"答案是?\s*:\s*", r"答案选项应?该?是\s*", r"答案选项应?该?为\s*"),
    *(r"答案应该?是\s*", r"答案应该?选\s*", r"答案选项为?\s*：\s*", r"答案选项为?\s+\(?\*?\*?", r"答案选项是?\s*:\s*"),
    *(r"答案为\s*", r"答案选\s*", r"选择?\s*"),
)
"""Words before an option."""
_ONLY_RIGHT_OR_WRONG = (
    r"故选?\s*@只有选?项?\s?[#]\s?是?对",
    *(rf"只有选?项?\s?@\s?{verdict}" for verdict in ("是?错", "不?正确", "错误")),
    *(rf"说法{verdict}选?项?的?是\s?@" for verdict in ("不?对", "不?正确", "错误")),
    *(r"@\s?是正确的", r"@\s?是正确答案", r"选项\s?@\s?正确", r"所以答\s?@"),
)
_AT_THE_END = (
    *(r"所以\s?([#][.。$]?$)", r"所有\s?([#][.。$]?$)", r"[\s，：:,]@[。，,\.]?$", r"[\s，,：:][故即]@[。\.]?$"),
    *(r"[\s，,：:]因此@[。\.]?$", r"[是为。]\s?@[。\.]?$", r"因此\s?@[。\.]?$", r"显然\s?@[。\.]?$"),
    *(rf"{words}\s?(\S+)(?:。|$)" for words in ("答案是", "答案应该是", "答案为")),
)
_ENGLISH = (
    *(r"(?i)ANSWER\s*:\s*@", r"[Tt]he answer is:?\s+\(?@", r"[Tt]he answer is:?\s+\(?\*?\*?@"),
    *(rf"[Tt]he {words}:?\s+\(?@" for words in ("answer is option", "correct answer is", "correct answer is option")),
    *(rf"[Tt]he correct {words} is:?.*?boxed{{@}}" for words in ("answer", "option", "answer option")),
    r"[Tt]he answer to the question is:?\s+\(?@",
)
_AT_THE_START = (r"^选项\s?@", r"^@\s?选?项", r"(\s|^)[#][\s。，,：:\.$]", r"1.\s?(.*?)$", r"1.\s?@[.。$]?$")
OPTION_PATTERNS = (
    *(f"{words}@" for words in _STATED_ANSWER),
    *(*_ONLY_RIGHT_OR_WRONG, *_AT_THE_END, *_ENGLISH, *_AT_THE_START),
)
"""Where AISBench looks for an option, in this order; `@` is the captured letter, `#` the letters."""
ANY_LETTER_PATTERNS = ("@:", "@")


def first_option(text: str, options: str, cushion: bool = True) -> str:
    """Return the option in the first pattern that matches, or an empty text.

    Args:
        text: The reply.
        options: The letters of the options.
        cushion: Whether any of these letters counts if no pattern matches.
    """
    text = text.strip()
    for pattern in (*OPTION_PATTERNS, *(ANY_LETTER_PATTERNS if cushion else ())):
        match = re.search(pattern.replace("@", "([#])").replace("#", options), text, re.DOTALL)
        captured = (match[1] or match[0]) if match else ""
        for option in options:
            if option in captured:
                return option
    return ""


def last_option(text: str, options: str) -> str:
    return str((re.findall(f"[{options}]", text) or [""])[-1])


def first_capital(text: str) -> str:
    return next((character for character in text if character.isupper()), "")


def last_capital(text: str) -> str:
    return first_capital(text[::-1])


def first_capitals(text: str) -> str:
    match = re.search(r"[A-D]+", text)
    return match[0] if match else ""


def all_capitals(text: str) -> str:
    return "".join(sorted({character for character in text if character.isupper()}))


def match_pattern(text: str, answer_pattern: str) -> str:
    match = re.search(answer_pattern, text)
    return match[1] if match else ""


# --- numbers ------------------------------------------------------------------------------


def last_number(text: str) -> str:
    return str((re.findall(r"-?\d+\.\d+|-?\d+", text.split("Question:")[0]) or ["NULL"])[-1])


def number_after_hashes(text: str) -> str:
    _, separator, rest = text.partition("#### ")
    if not separator:
        raise Unreadable("the reference has no '#### ' before its answer")
    return rest.split("#### ")[0].replace(",", "")


# --- text ---------------------------------------------------------------------------------


def first_phrase(text: str) -> str:
    """Return the text up to the first line break, full stop or comma, without punctuation and articles."""
    phrase = re.sub(r"[^\w\s]", "", re.split(r"[\n.,]", text, maxsplit=1)[0])
    phrase = re.sub(r"\b(a|an|the)\b", "", phrase, flags=re.IGNORECASE)
    return re.sub(r"\s+", " ", phrase).strip()


def last_xml_element(text: str, tag: str) -> str:
    elements = re.findall(rf"{tag}(.*?)</{tag[1:-1]}>", text, re.DOTALL)
    return str(elements[-1]).strip() if elements else "NO ANSWER FOUND"


THINK_START, THINK_END = "<think>", "</think>"


def without_reasoning(text: str, think_start_token: str = THINK_START, think_end_token: str = THINK_END) -> str:
    return without_reasoning_unstripped(text, think_start_token, think_end_token).strip()


def without_reasoning_unstripped(
    text: str, think_start_token: str = THINK_START, think_end_token: str = THINK_END
) -> str:
    if think_start_token not in text and think_end_token in text:
        return text.split(think_end_token)[-1]
    return re.sub(f"{think_start_token}(.*?){think_end_token}", "", text, flags=re.DOTALL)


def unchanged(text: str) -> str:
    return text


POSTPROCESSORS: dict[str, Postprocessor] = {
    "first_option_postprocess": first_option,
    "last_option_postprocess": last_option,
    **dict.fromkeys(("first_capital_postprocess", "first-capital"), first_capital),
    **dict.fromkeys(("last_capital_postprocess", "last-capital"), last_capital),
    **dict.fromkeys(("first_capital_postprocess_multi", "first-capital-multi"), first_capitals),
    **dict.fromkeys(("multiple_select_postprocess", "multiple-select"), all_capitals),
    "match_answer_pattern": match_pattern,
    **dict.fromkeys(("gsm8k_postprocess", "gsm8k"), last_number),
    **dict.fromkeys(("gsm8k_dataset_postprocess", "gsm8k_dataset"), number_after_hashes),
    **dict.fromkeys(("keep_reasoning_content", "keep-reasoning-content"), unchanged),
    **dict.fromkeys(("general_postprocess", "general"), first_phrase),
    **dict.fromkeys(("xml_tag_postprocessor", "specific-xml-tag"), last_xml_element),
    **dict.fromkeys(("extract_non_reasoning_content", "extract-non-reasoning-content"), without_reasoning),
    **dict.fromkeys(
        ("extract_non_reasoning_content_raw", "extract-non-reasoning-content-raw"), without_reasoning_unstripped
    ),
}
"""AISBench's names, of functions and in its registry."""
TEXT_POSTPROCESSORS = frozenset(
    (
        *("GPQA_Simple_Eval_postprocess", "bbh_mcq_postprocess", "bbh-mcq", "bbh_freeform_postprocess", "bbh-freeform"),
        *("gsm100_postprocess", "gsm100", "gsm100_dataset_postprocess", "gsm100_dataset", "mgsm_postprocess"),
        *("math_postprocess", "math_postprocess_v2", "needlebench_atc_postprocess_v2", "needlebench_postprocess"),
        *("needlebench_dataset_postprocess", "needlebench", "trec_postprocess", "lsht_postprocess"),
        *("samsum_postprocess", "triviaqa_postprocess", "Xsum_postprocess", "Xsum", "lcsts_postprocess", "lcsts"),
    )
)
"""Those that read the replies of one benchmark of text, which Auricle does not reproduce."""
