"""What AISBench's evaluators compute for one reply and its reference, as shares from 0 to 1."""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

from rapidfuzz import fuzz

from auricle.core.errors import MissingExtra, SpecError, Unreadable
from auricle.frameworks.aisbench.math_answers import are_equivalent
from auricle.frameworks.aisbench.postprocessors import bbh_text, first_phrase
from auricle.metrics.base import Codes, Stats, WeightedAggregate, mean
from auricle.metrics.scales import Scale
from auricle.tasks.questions.rouge import (
    score_distinct_ngrams,
    score_distinct_summary,
    score_ngrams,
    score_sequence,
    score_smoothed_sequence,
    score_summary,
    split_rouge_tokens,
)

Scorer = Callable[..., float]
"""Function of a reply, a reference and the options of an evaluator."""

# --- right or wrong -----------------------------------------------------------------------


def equal_texts(reply: Any, reference: Any) -> float:
    return float(str(reply) == str(reference))


def equal_values(reply: Any, reference: Any) -> float:
    return float(reply == reference)


def equal_bbh_text(reply: str, reference: Any) -> float:
    return float(bbh_text(reply) == reference)


def equal_names(reply: str, reference: str) -> float:
    return float(reply.strip() == reference.strip())


def equal_numbers(reply: str, reference: Any) -> float:
    try:
        return float(reply == reference or abs(float(reply) - int(reference)) < 1e-6)
    except (ValueError, TypeError, OverflowError):
        return 0.0


def equal_formulas(reply: Any, reference: Any, version: str = "v1") -> float:
    if version not in ("v1", "v2"):
        raise SpecError(f"version of MATHEvaluator should be v1 or v2, not {version!r}.")
    return float(are_equivalent(reply, reference, version))


def equal_first_words(reply: str, reference: str) -> float:
    word = re.split(f"[{string.punctuation}]", reply.strip().split(" ")[0])[0]
    return float(first_phrase(word) == first_phrase(reference))


def contains_reference(reply: str, reference: str) -> float:
    phrase = first_phrase(reply)
    return float(first_phrase(reference) in phrase or reference in phrase)


def contains_any_reference(reply: str, reference: Any) -> float:
    answer = reply.strip().split("\n")[0].lower()
    for lead in ("answer is", "a:", "answer:"):
        answer = answer.split(lead)[-1]
    answer = first_phrase(answer.strip())
    return float(any(first_phrase(text).lower() in answer for text in _as_list(reference)))


def overlaps_any_reference(reply: str, reference: str) -> float:
    """Return whether the answer contains one of the references, separated by `|`, or is contained in one."""
    match = re.search(r"(?i)Answer\s*:\s*([^\n]+)", reply)
    answer = " ".join(_longbench_tokens(match[1] if match else reply, "en"))
    texts = [" ".join(_longbench_tokens(text, "en")) for text in reference.split("|")]
    return float(any(answer in text or text in answer if answer and text else answer == text for text in texts))


def equal_answer_line(reply: str, reference: str) -> float:
    match = re.search(r"ANSWER:\s*(.*)", reply)
    return float((match[1] if match else "").strip().lower() == reference.strip().lower())


def equal_option_or_text(reply: str, reference: str) -> float:
    """Return whether the first line is the letter or the text of a reference such as `B. two`."""
    answer, parts = reply.split("\n")[0].strip(), reference.split(". ")
    if len(parts) != 2:
        return 0.0
    is_letter = len(answer) == 1 and answer in string.ascii_uppercase[:16]
    return float((is_letter and answer == parts[0]) or answer == parts[1].strip())


def contains_keyword(reply: str, reference: str) -> float:
    parts = reference.split("*")
    if len(parts) < 2:
        raise Unreadable(f"the reference should be text*keyword, not {reference!r}")
    return float(parts[1] in reply)


def contains_keywords(reply: str, reference: str) -> float:
    """Return the share of depths at which the reply has the keyword; a reference is `a*b#10*20`."""
    keywords, _, depths = reference.partition("#")
    if not depths:
        raise Unreadable(f"the reference should be keywords#depths, not {reference!r}")
    depth_names = depths.split("#")[0].split("*")
    hits = sum(keyword in reply for keyword, _ in zip(keywords.split("*"), depth_names, strict=False))
    return hits / len(set(map(int, depth_names)))


VOCAL_SOUNDS = dict(zip("ABCDEF", ("laughter", "sigh", "cough", "throatclearing", "sneeze", "sniff"), strict=True))


def names_vocal_sound(reply: str, reference: Any) -> float:
    return float(bool(reply) and VOCAL_SOUNDS.get(reply[0], "") == reference)


# --- LongBench ----------------------------------------------------------------------------

CHINESE_PUNCTUATION = set(
    string.punctuation
    + "！？｡。＂＃＄％＆＇（）＊＋，－／：；＜＝＞＠［＼］＾＿｀｛｜｝～｟｠｢｣､、〃》「」『』【】〔〕〖〗〘〙〚〛〜〝"
    "〞〟〰〾〿–—‘’‛“”„‟…‧﹏. "
)


def _check_language(language: str) -> None:
    if language not in ("en", "zh"):
        raise SpecError(f"language should be en or zh, not {language!r}.")


@cache
def _load_jieba() -> Any:
    try:
        import jieba
    except ImportError as error:
        raise MissingExtra("AISBench's evaluators of Chinese", "chinese") from error
    jieba.setLogLevel("WARNING")
    return jieba


def _cut_chinese(text: str) -> list[str]:
    return list(_load_jieba().cut(text, cut_all=False))


def _longbench_tokens(text: str, language: str) -> list[str]:
    if language == "zh":
        words = ("".join(c for c in word.lower() if c not in CHINESE_PUNCTUATION) for word in _cut_chinese(text))
        return [word for word in ("".join(word.split()) for word in words) if word]
    text = "".join(character for character in text.lower() if character not in string.punctuation)
    return re.sub(r"\b(a|an|the)\b", " ", text).split()


def token_f1(reply: str, reference: Any, language: str = "en") -> float:
    _check_language(language)
    tokens = _longbench_tokens(reply, language)

    def f1(reference_tokens: Sequence[str]) -> float:
        common = (Counter(tokens) & Counter(reference_tokens)).total()
        precision, recall = common / max(1, len(tokens)), common / max(1, len(reference_tokens))
        return 2 * precision * recall / (precision + recall) if common else 0.0

    return max((f1(_longbench_tokens(text, language)) for text in _as_list(reference)), default=0.0)


def longbench_rouge(reply: str, reference: Any, language: str = "en") -> float:
    _check_language(language)
    best = 0.0
    for text in _as_list(reference):
        if language == "zh":
            reply, text = (" ".join(_cut_chinese(side)) for side in (reply, text))
        sentences = [_split_sentences(side) for side in (text, reply)]
        if all(sentences):
            best = max(best, score_distinct_summary(*sentences))
    return best


def _split_sentences(text: str) -> list[list[str]]:
    return [" ".join(sentence.split()).split(" ") for sentence in text.split(".") if sentence]


def share_of_numbers(reply: str, reference: Any) -> float:
    """Return the share of the numbers in the reply that are the reference."""
    numbers = re.findall(r"\d+", reply)
    return sum(numbers.count(str(text)) / len(numbers) for text in _as_list(reference)) if numbers else 0.0


def share_of_paragraph_numbers(reply: str, reference: Any, language: str = "en") -> float:
    _check_language(language)
    pattern = r"Paragraph (\d+)" if language == "en" else r"段落(\d+)"
    numbers = [re.findall(pattern, text) for text in _as_list(reference)]
    if not all(numbers):
        raise Unreadable(f"the reference names no paragraph: {reference!r}")
    return share_of_numbers(reply, [number for number, *_ in numbers])


def code_similarity(reply: str, reference: Any) -> float:
    best = 0.0
    for text in _as_list(reference):
        lines = reply.lstrip("\n").split("\n")
        reply = next((line for line in lines if not any(mark in line for mark in ("`", "#", "//"))), "")
        if reply == text:
            best = 1.0
        elif reply and text:
            best = max(best, round(fuzz.ratio(reply, text)) / 100)
    return best


def _as_list(reference: Any) -> list[str]:
    return [str(text) for text in reference] if isinstance(reference, (list, tuple)) else [str(reference)]


# --- ROUGE --------------------------------------------------------------------------------

BOOTSTRAP_RESAMPLES = 1_000


@dataclass(frozen=True)
class BootstrapMedian:
    """The median of means over resampled statistics, which is what `evaluate`'s ROUGE reports instead of the mean.

    The resamples are those of a generator with AISBench's seed, after those of the `position` kinds of ROUGE before
    this one. Intervals are those of the mean.
    """

    position: int

    def __call__(self, stats: Stats) -> float:
        import numpy as np

        values = np.asarray(stats, dtype=np.float64)
        seed = np.random.RandomState(0).get_state(legacy=True)[1][0]  # type: ignore[index]
        generator = np.random.RandomState(seed)
        size = BOOTSTRAP_RESAMPLES * (self.position + 1)
        indices = (generator.choice(len(values), size=len(values)) for _ in range(size))
        means = [values[chosen].mean() for index, chosen in enumerate(indices) if index >= size - BOOTSTRAP_RESAMPLES]
        return float(np.percentile(means, 50))

    def prepare_weighted(self, stats: Stats) -> WeightedAggregate:
        return mean.prepare_weighted(stats)

    def choose_scale(self, stats: Stats, units: Codes) -> Scale:
        return mean.choose_scale(stats, units)


def _rouge_lines(text: str) -> list[list[str]]:
    return [split_rouge_tokens(line) for line in text.split("\n") if line]


ROUGE_SCORES: Mapping[str, Callable[[str, str], float]] = {
    "rouge1": lambda reference, reply: score_ngrams(split_rouge_tokens(reference), split_rouge_tokens(reply), 1),
    "rouge2": lambda reference, reply: score_ngrams(split_rouge_tokens(reference), split_rouge_tokens(reply), 2),
    "rougeL": lambda reference, reply: score_sequence(split_rouge_tokens(reference), split_rouge_tokens(reply)),
    "rougeLsum": lambda reference, reply: score_summary(_rouge_lines(reference), _rouge_lines(reply)),
}
CHINESE_ROUGE_SCORES: Mapping[str, Callable[[Sequence[str], Sequence[str]], float]] = {
    "rouge1": partial(score_distinct_ngrams, size=1),
    "rouge2": partial(score_distinct_ngrams, size=2),
    "rougeL": score_smoothed_sequence,
}


def english_rouge(kind: str, reply: str, reference: Any) -> float:
    return max(ROUGE_SCORES[kind](text, reply) for text in _as_list(reference))


def chinese_rouge(kind: str, reply: str, reference: Any) -> float:
    reply_words, reference_words = (
        " ".join(_cut_chinese(first_phrase(text))).split() for text in (reply, str(reference))
    )
    return CHINESE_ROUGE_SCORES[kind](reference_words or ["(no reference)"], reply_words or ["(no reply)"])


# --- the table ----------------------------------------------------------------------------

SCORERS: Mapping[str, Scorer] = {
    "AccEvaluator": equal_texts,
    **dict.fromkeys(("AccwithDetailsEvaluator", "GPQAEvaluator", "MGSM_Evaluator", "BBHEvaluator_mcq"), equal_values),
    "LongBenchv2Evaluator": equal_values,
    "BBHEvaluator": equal_bbh_text,
    "Gsm8kEvaluator": equal_numbers,
    "MATHEvaluator": equal_formulas,
    "LambadaEvaluator": equal_first_words,
    "LEvalEMEvaluator": contains_reference,
    "TriviaQAEvaluator": contains_any_reference,
    "DropOpenAIEvaluator": overlaps_any_reference,
    "RealworldQAEvaluator": equal_answer_line,
    "MMLUProBaseEvaluator": equal_option_or_text,
    "NeedleBenchOriginEvaluator": contains_keyword,
    "NeedleBenchParallelEvaluator": contains_keywords,
    "NeedleBenchATCEvaluator": equal_names,
    "VocalSoundEvaluator": names_vocal_sound,
    "LongBenchF1Evaluator": token_f1,
    "LongBenchRougeEvaluator": longbench_rouge,
    "LongBenchCountEvaluator": share_of_numbers,
    "LongBenchRetrievalEvaluator": share_of_paragraph_numbers,
    "LongBenchCodeSimEvaluator": code_similarity,
    **{f"RougeEvaluator.{kind}": partial(english_rouge, kind) for kind in ROUGE_SCORES},
    **{f"JiebaRougeEvaluator.{kind}": partial(chinese_rouge, kind) for kind in CHINESE_ROUGE_SCORES},
}
AGGREGATES = {f"RougeEvaluator.{kind}": BootstrapMedian(position) for position, kind in enumerate(ROUGE_SCORES)}
"""How evaluators combine the scores of samples, if not by their mean."""
