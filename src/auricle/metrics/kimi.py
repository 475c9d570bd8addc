"""Metrics of Kimi-Audio-Evalkit: its rubrics, and the way in which `vb-mcq` reads the letter of an option.

The rubrics ask what the evalkit's prompts ask, in other words: the same inputs, scales, temperatures and forms of
reply. They judge exactly one question per row, as the evalkit does: the transcript of a spoken question or the
written one.
"""

from __future__ import annotations

import random
from functools import partial

from auricle.core.types import Generation, Output, Sample
from auricle.metrics.base import Metric, SumAggregator, divide
from auricle.metrics.judge import SPOKEN_QUESTION_FIELD, TemplateValues, build_template_values, make_judge_metric
from auricle.metrics.rubric import RUBRICS_DIR, load_rubric

ANSWER_FIELD = "answer"
"""Metadata field with the answer as the row has it, if the target is another form of it."""
LETTERS = "abcd"
VB_MCQ_SEED = 0
"""Seed of the letters drawn for answers that `vb-mcq` cannot read; part of the metric's signature."""
LETTER_CONTEXTS = r"""
答案是_¦答案是 _¦答案是选项_¦答案应该是_¦答案应该是 _¦答案就是选项_¦答案是‘_¦是_：¦答案选_¦_是正确¦选项_是最合适的¦
answer is: **_¦answer is **_¦
the answer to the question is: **_¦the answer to the multiple-choice question is **_¦the answer is '_'¦
_ is the best answer¦the answer is _¦the correct answer is _¦would select _¦would choose _¦
would select option _¦would choose option _¦is "_"¦is "_.¦is: **_)¦is **_,¦is **_:¦is **_)¦is: **_.¦is: **_:¦
is **_.¦be **_,¦is: **_**¦is therefore option **_:¦is: ⏎⏎**_)¦as **_:¦be **_)¦be **_:¦is: ⏎⏎**_**¦
suggests **_)¦be option **_:¦with **_)¦is typically "_)¦be to **_)¦is: ⏎⏎_)¦is likely to be: **_.¦is **_ (¦
is option **_**¦is likely **_**¦is:⏎**_.¦is:⏎⏎**_.¦would be _¦would be option _¦would be (_)¦
would be option (_)¦is _,¦is typically _,¦is typically _.¦i'd say _.¦option _.¦option _:¦option _,¦
the answer is:⏎**_¦is _:¦is _.¦is: _.¦is (_)¦is:⏎**_)¦is likely **_:¦is the **_)¦:⏎_.¦:⏎_)¦:⏎_,¦: ⏎_.¦:  ⏎_.¦
:⏎⏎_.¦:⏎⏎_)¦is most likely **_:¦:⏎⏎_,¦: ⏎⏎_.¦(_) would be¦is _)¦is: _)¦is:⏎⏎_:¦is: **_,¦(option _)¦
select option "_"¦is: _¦is typically **_,¦is **_**¦is likely '_'¦is option '_'¦is:⏎**_:¦is \( \boxed{_ ¦
would be '_'¦is the **_** ¦question is _ (¦is:⏎⏎**_)¦closest to option **_**¦is most likely **_)¦
the answer to the question is '_'¦known as '_'¦is '_)¦is typically **_:¦is \( \boxed{\text{_}} \)¦
is \( \text{_) }¦is \( \text{_} \)¦is \( \text{_:¦is \( \text{_)¦is \(\text{_.¦is:⏎⏎**_¦is \( \text{_.}¦
is \( \text{_.¦is \( \boxed{_}¦is:⏎\[ \boxed{\text{_}}¦is:⏎\[ \text{_)¦is:⏎⏎\[ \text{_)¦is \( \textbf{_)¦
is \( \text{_}¦is: \( \text{_.¦corresponds to:⏎- **_:¦would be: **_**.¦is \( _ \)¦is:⏎**_ ¦
corresponds to option **_**¦be **_**¦be: ⏎⏎_)¦is:⏎\[ \boxed{_}¦is:  ⏎**_:¦is: \( \text{_)¦is likely: **_,¦
is } \mathbf{_.¦is \( \boxed{_)¦is \( \textbf{_}¦is \(_\)¦is:⏎  ⏎**_:¦is option **_ ¦is:⏎\( \textbf{_.¦
is \( \mathbf{_}¦was option **_**¦is likely "_)¦option **_:¦is "_)¦is most likely **_,¦is often **_:¦is:  ⏎_)¦
 _.¦ _,¦ _:¦ _)¦**_.¦**_)¦"_.¦"_,¦"_:¦(_)¦"_"¦
"""
"""Contexts in which `vb-mcq` (of VoiceBench, Apache-2.0, and the evalkit, MIT) reads a letter, first one first. `_` is
the letter, `⏎` a line break, and `¦` ends a context."""
_CONTEXTS = [context.replace("⏎", "\n") for context in LETTER_CONTEXTS.replace("\n", "").split("¦")[:-1]]
_SPEAKER_MARKS = ("<1>", "<2>", "<3>")
_ENDS = (".", ",", ":", ")")


def make_evalkit_judge(name: str, *, spoken: bool | None = None) -> Metric:
    """Make the metric of one of the evalkit's rubrics.

    Args:
        name: Name of the rubric, such as `kimi-choice`.
        spoken: Whether the judge sees the transcript of the audio (`audio_content`) as the question or the written
            question. [default: the transcript if a row has one]
    """
    return make_judge_metric(load_rubric(RUBRICS_DIR / f"{name}.yaml"), partial(_build_values, spoken))


def _build_values(spoken: bool | None, sample: Sample, *outputs: Output) -> TemplateValues:
    values = build_template_values(sample, *outputs)
    question, transcript = sample.inputs.get("question"), sample.meta.get(SPOKEN_QUESTION_FIELD)
    shown = transcript if spoken or (spoken is None and transcript) else question
    answer = sample.meta.get(ANSWER_FIELD, sample.target)
    reference = "\n".join(map(str, answer)) if isinstance(answer, list) else answer
    return {
        **values,
        "question": None if shown is None else str(shown).strip(),
        "reference": None if reference is None else str(reference).strip(),
    }


kimi_choice, kimi_reference, kimi_sd_qa, kimi_answer, kimi_open, kimi_alpaca, kimi_reasoning = (
    make_evalkit_judge(f"kimi-{name}")
    for name in ("choice", "reference", "sd-qa", "answer", "open", "alpaca", "reasoning")
)


def read_letter(answer: str) -> str | None:
    """Return the letter from A to D that `vb-mcq` reads from an answer, or None if it reads none.

    >>> read_letter("I think it is (b)."), read_letter("who knows")
    ('B', None)
    """
    text = answer.lower()
    if text.startswith(_SPEAKER_MARKS):
        text = text[3:].strip()
    in_context = (letter for context in _CONTEXTS for letter in LETTERS if context.replace("_", letter) in text)
    alone = (letter for letter in LETTERS if text == letter or text.startswith(tuple(letter + end for end in _ENDS)))
    letter = next(in_context, None) or next(alone, None)
    return letter.upper() if letter else None


def _score_letter(sample: Sample, output: Generation) -> tuple[int, int]:
    """Return whether the letter is right, and whether it was drawn."""
    letter = read_letter(output.text)
    drawn = letter is None
    letter = letter or random.Random(f"{VB_MCQ_SEED} {sample.id}").choice(LETTERS.upper())
    return int(letter == str(sample.meta.get(ANSWER_FIELD, sample.target))), int(drawn)


vb_mcq = Metric(
    "vb-mcq",
    _score_letter,
    SumAggregator(lambda totals: divide(totals[0], totals[-1]), lambda totals: {"drawn": int(totals[1])}),
    title="vb-mcq",
    variant=f"seed-{VB_MCQ_SEED}",
    bounds=lambda _: ((0, 0), (1, 0)),
    unit="share",
    credit=lambda stat: float(stat[0]),
    read_answer=lambda _, output: read_letter(output.text),
)
"""Accuracy as `vb-mcq` computes it: an answer without a readable letter gets a letter drawn at random, and an answer is
right only if the row's answer is that letter."""
