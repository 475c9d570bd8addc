"""Replies, references and evaluators with which `compare_aisbench.py` compares Auricle and AISBench."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

LETTERS = "ABCDEF"
OPTION_PHRASES = (
    *("答案是{}", "答案：{}", "答案是: {}", "答案选项应该是 {}", "答案选项为 ({})", "答案选 {}", "选择{}", "故选{}"),
    *(
        "只有选项{}是错的",
        "说法不正确的是 {}",
        "{} 是正确的",
        "选项 {} 正确",
        "所以答{}",
        "所以 {}。",
        "。因此{}。",
        ", {}.",
    ),
    *("显然 {}", "答案为{}。", "选项{}", "{}选项", "故选A只有选项{}是对的", "即{}。", "，故{}"),
    *("ANSWER: {}", "answer: {}", "Answer : {}", "The answer is {}", "the answer is: ({})", "The answer is **{}**"),
    *("The answer is option {}", "The correct answer is: ({}) because", "The correct answer is $\\boxed{{{}}}$"),
    *("The correct option is \\boxed{{{}}}", "The answer to the question is {}", "{}. yes", "{}: no", "1. {}"),
    *("({})", "I think it is {} or B", "so the answer is ({}).", "{}", "The Answer\n{}\n", "**{}**", "it is **{}**."),
)
EQUAL_FORMULAS = (
    ("1/2", "\\frac12", "\\frac{1}{2}", "\\dfrac{1}{2}", "0.5", ".5", "\\tfrac1{2}", "rac12", "$\\frac{1}{2}$"),
    (
        "5",
        "x=5",
        "5.0",
        "5.00 \\text{ cm}",
        "5\\text{ cm}",
        "\\$5",
        "5^\\circ",
        "5^{\\circ}",
        "\\boxed{5}",
        "$5$",
        "5 units",
    ),
    ("50", "50\\%", "50%", "5 0", "an 50", "\\mathbf{50}", "50.", "k = 50", "final answer is 50", "\\mbox{50}"),
    ("\\sqrt{3}", "\\sqrt3", "\\sqrt 3", "\\sqrt{3} \\text{ a }\\text{ b }", "\\sqrt"),
    ("(1,2)", "(1, 2)", "\\left(1,2\\right)", "(1 ,2)", "( 1,2 )"),
    ("[0,1]", "x\\in[0,1]", "[0, 1]", "[0,1]."),
    ("\\infty", "infinity", "inf", "-\\infty", "+inf"),
    ("3i", "3j", "3 i", "3.0i"),
    ("yes", "\\text{yes}", "\\text{(yes)}", "\\textbf{yes}"),
    ("10000", "10,000", "10\\!000", "10{,}000", "10 000"),
    ("-3/4", "\\frac{-3}{4}", "-\\frac34", "1/2/3", "\\frac{1}{2"),
    ("", " ", "\n", "1\n2", "5 and 6", "5,6", "5 \\cdot 2", "5\\ cm", "10,00,0x"),
)
"""Each line has formulas that are equal, or nearly so."""
FORMULA_PHRASES = (
    *("\\boxed{%s}", "So \\boxed{{%s}}.", "The final answer is %s", "the answer is $%s$. I hope", "%s"),
    *("\\boxed{1} or \\boxed{%s} ok", "\\boxed{%s", "\\fbox{%s}"),
)
NUMBERS = ("7", "-3", "12", "1,234", "0.25", "3.50")
NUMBER_LEADS = (
    *("So it is ", "The answer is ", "#### ", "Answer: ", "答案 ", "Final Answer: ", "Question: what is 9? "),
    "Paragraph ",
)
NUMBER_ENDS = ("", ".", " km", " Question: 5?", " #### 9")
WORDS = (
    *("the", "a", "cat", "dog", "sat", "on", "mat", "Paris", "London", "3", "12", "answer", "is", "run", "jump", ","),
    *(".", "!", "hello", "world", "big", "small", "of", "in"),
)
CHINESE_WORDS = (
    *("今天", "天气", "很好", "北京", "上海", "大学", "研究", "科学", "技术", "，", "。", "！"),
    *("发展", "经济", "公司", "2023", "发布"),
)
Pair = tuple[str, Any]


@dataclass(frozen=True)
class ReplyGenerator:
    """Makes replies with what post-processors and evaluators look for, and references that about half of them match."""

    random: random.Random

    def text(self, words: Sequence[str] = WORDS, longest: int = 14) -> str:
        separator = "" if words is CHINESE_WORDS else " "
        lines = [
            separator.join(self.random.choices(words, k=self.random.randint(0, longest)))
            for _ in range(self.random.choice((1, 1, 1, 2, 3)))
        ]
        return self.random.choice(("", "\n")) + "\n".join(lines)

    def chinese_text(self) -> str:
        return self.text(CHINESE_WORDS)

    def option(self, letter: str) -> str:
        start = self.random.choice(("", "", self.text(), "Let me see: A or B. ", "<think>B</think>\n"))
        phrase = self.random.choice(OPTION_PHRASES).format(letter)
        return start + phrase + self.random.choice(("", "", ".", f" {self.text()}"))

    def number(self, number: str) -> str:
        lead, end = self.random.choice(NUMBER_LEADS), self.random.choice(NUMBER_ENDS)
        return f"{self.text()} {lead}{number}{end}"

    def formula(self, formula: str) -> str:
        return self.random.choice(FORMULA_PHRASES) % formula

    def any_reply(self) -> str:
        replies = (
            self.option(self.random.choice(LETTERS)),
            self.number(self.random.choice(NUMBERS)),
            self.formula(self.random.choice(self.random.choice(EQUAL_FORMULAS))),
            self.text(),
            self.chinese_text(),
            self.random.choice(("", " ", "\n", "None")),
        )
        return self.random.choices(replies, weights=(4, 4, 4, 2, 1, 0.5))[0]

    def related(self, value: str, others: Sequence[str]) -> str:
        """Return the value, or one of the others."""
        return self.random.choice((value, self.random.choice(others)))


# --- pairs of a reply and its reference -----------------------------------------------------


def option_pair(generator: ReplyGenerator) -> Pair:
    letter = generator.random.choice("ABCD")
    return generator.option(letter), generator.related(letter, "ABCD")


def letter_pair(generator: ReplyGenerator) -> Pair:
    letter = generator.random.choice("AB")
    return generator.random.choice((letter, f"{letter}.", "")), generator.related(letter, "AB")


def number_pair(generator: ReplyGenerator) -> Pair:
    number = generator.random.choice(("7", "-3", "12", "1,234"))
    return generator.number(number), generator.related(number, NUMBERS)


def hashed_number_pair(generator: ReplyGenerator) -> Pair:
    reply, number = number_pair(generator)
    return reply, f"some steps\n#### {number}"


def text_pair(generator: ReplyGenerator) -> Pair:
    return generator.text(), generator.text()


def sound_pair(generator: ReplyGenerator) -> Pair:
    reply = generator.random.choice(("A", "B: Sigh", "C", "F", "", " A", "cough", "E. Sneeze"))
    return reply, generator.random.choice(("laughter", "sigh", "cough", "sneeze", "sniff"))


# --- cases ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class EvaluatorCase:
    """An evaluator with its options, and how its replies and references are made."""

    evaluator: str
    make_pair: Callable[[ReplyGenerator], Pair]
    options: Mapping[str, str]

    def make_pairs(self, seed: int, count: int) -> list[Pair]:
        generator = ReplyGenerator(random.Random(seed))
        return [self.make_pair(generator) for _ in range(count)]


ANSWER_PATTERN = r"(?i)ANSWER\s*:\s*([A-D])"
POSTPROCESSOR_OPTIONS: Mapping[str, Sequence[dict[str, Any]]] = {
    "first_option_postprocess": [{"options": "ABCD"}, {"options": "AB"}, {"options": "ABCDEF", "cushion": False}],
    "last_option_postprocess": [{"options": "ABCD"}, {"options": "ABCDEFGHIJ"}],
    "match_answer_pattern": [{"answer_pattern": ANSWER_PATTERN}],
    "xml_tag_postprocessor": [{"tag": "<think>"}],
    "specific-xml-tag": [{"tag": "<think>"}],
}
"""Options to compare a post-processor with; others have none."""
FIRST_OPTION = {"pred": "first_option_postprocess", "pred.options": "ABCD"}
EVALUATOR_CASES = (
    EvaluatorCase("AccEvaluator", letter_pair, {}),
    *(
        EvaluatorCase("AccEvaluator", option_pair, options)
        for options in (
            FIRST_OPTION,
            {"pred": "last_option_postprocess", "pred.options": "ABCD"},
            {"pred": "first_capital_postprocess"},
            {"pred": "last_capital_postprocess"},
            {"pred": "first_capital_postprocess_multi"},
            {"pred": "match_answer_pattern", "pred.answer_pattern": ANSWER_PATTERN},
        )
    ),
    EvaluatorCase("AccwithDetailsEvaluator", option_pair, {"pred": "first_option_postprocess", "pred.options": "AB"}),
    EvaluatorCase(
        "Gsm8kEvaluator", hashed_number_pair, {"pred": "gsm8k_postprocess", "gold": "gsm8k_dataset_postprocess"}
    ),
    EvaluatorCase("RougeEvaluator", text_pair, {}),
    EvaluatorCase("BleuEvaluator", text_pair, {}),
    EvaluatorCase("VocalSoundEvaluator", sound_pair, {}),
    EvaluatorCase("HumanEvalEvaluator", text_pair, {"pred": "humaneval_postprocess_v2"}),
)
