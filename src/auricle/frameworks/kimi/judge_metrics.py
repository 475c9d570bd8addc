"""Metrics of Kimi-Audio-Evalkit: its rubrics, and the way in which `vb-mcq` reads the letter of an option.

The rubrics ask what the evalkit's prompts ask, in other words: the same inputs, scales, temperatures and forms of
reply. They judge exactly one question per row, as the evalkit does: the transcript of a spoken question or the
written one.
"""

from __future__ import annotations

import ast
import random
import sys
from functools import cache, partial
from pathlib import Path

from auricle.core.errors import SpecError
from auricle.core.types import Generation, Output, Sample
from auricle.metrics.base import ConstantBounds, MeanAggregator, Metric
from auricle.metrics.judge import TemplateValues, build_template_values, make_judge_metric
from auricle.metrics.rubric import load_rubric
from auricle.metrics.targets import SPOKEN_QUESTION_FIELD

RUBRICS_DIR = Path(__file__).parent / "rubrics"

ANSWER_FIELD = "answer"
"""Metadata field with the answer as the row has it, if the target is another form of it."""
LETTERS = "abcd"
VB_MCQ_SEED = 0
"""Seed of the letters drawn for answers that `vb-mcq` cannot read; part of the metric's signature."""
CONTEXTS_FILE, CONTEXTS_FUNCTION, LETTER_MARK = "almeval/datasets/ds_mqa.py", "extract_answer_vb_mcq", "[CHOICE]"
"""Where a checkout of the evalkit lists the contexts in which it reads a letter, and the mark of the letter in them."""
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


def load_letter_contexts() -> tuple[str, ...]:
    """Read the contexts of letters from a checkout of the evalkit, in its order and without running its code.

    Raises:
        SpecError: if there is no checkout in the working folder, in one that contains it, or in PYTHONPATH.
    """
    here = Path.cwd()
    for folder in (here, *here.parents, *map(Path, sys.path)):
        if (path := folder / CONTEXTS_FILE).is_file():
            return _parse_contexts(path, path.stat().st_mtime_ns)
    raise SpecError(
        "vb-mcq reads letters with the templates of Kimi-Audio-Evalkit, which are not part of Auricle. Run the command "
        f"in a checkout of the evalkit (a folder with {CONTEXTS_FILE}), or add one to PYTHONPATH."
    )


@cache
def _parse_contexts(path: Path, _version: int) -> tuple[str, ...]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name == CONTEXTS_FUNCTION:
            texts = (str(item.value) for item in ast.walk(node) if isinstance(item, ast.Constant))
            return tuple(text for text in texts if LETTER_MARK in text and text != LETTER_MARK)
    raise SpecError(f"{path} has no function {CONTEXTS_FUNCTION}: it is not the evalkit's.")


def read_letter(answer: str) -> str | None:
    """Return the letter from A to D that `vb-mcq` reads from an answer, or None if it reads none."""
    contexts = load_letter_contexts()
    text = answer.lower()
    if text.startswith(_SPEAKER_MARKS):
        text = text[3:].strip()
    in_context = (letter for context in contexts for letter in LETTERS if context.replace(LETTER_MARK, letter) in text)
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
    MeanAggregator(lambda totals: {"drawn": int(totals[1])}),
    title="vb-mcq",
    variant=f"seed-{VB_MCQ_SEED}",
    bounds=ConstantBounds((0, 0), (1, 0)),
    unit="share",
    credit=lambda stat: float(stat[0]),
    read_answer=lambda _, output: read_letter(output.text),
)
"""Accuracy as `vb-mcq` computes it: an answer without a readable letter gets a letter drawn at random, and an answer is
right only if the row's answer is that letter."""
