"""Metrics that functions of lmms-eval have judged over an API, judged with rubrics instead.

A function is recognised by its name. Its metric keeps its name, what the judge is given, its scale and its mean.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Final, TypeAlias

from auricle.core.types import Generate, Output, Sample, Turn
from auricle.metrics.base import Metric, constant_bounds, mean
from auricle.metrics.rubric import RUBRICS_DIR, Rubric, load_rubric

OWN_RUBRICS_DIR = Path(__file__).parent / "rubrics"
ANSWER_TAGS = re.compile(r"<(answer|response|result)>\s*([\s\S]*?)\s*</\1>")
DocText: TypeAlias = Callable[[Mapping[str, Any]], str | None]


def column(*names: str) -> DocText:
    """Return a function that reads the first of these columns that a doc has."""
    return lambda doc: next((str(doc[name]) for name in names if doc.get(name) is not None), None)


def first_item(name: str) -> DocText:
    """Return a function that reads the first item of a list."""
    return lambda doc: str(doc[name][0])


def no_text(_: Mapping[str, Any]) -> None:
    return None


@dataclass(frozen=True)
class JudgedMetric:
    """How one metric of a function is judged."""

    rubric: str
    question: DocText = no_text
    reference: DocText = no_text
    baseline: DocText = no_text
    """Another answer, which the judge marks beside the model's, once in each order."""
    temperature: float = 0.0
    to_value: Callable[[float], float] = float
    """What a verdict counts in the mean."""
    reads_tags: bool = False
    """Whether only the text within `<answer>` tags is judged."""

    def load_rubric(self) -> Rubric:
        folder = OWN_RUBRICS_DIR if (OWN_RUBRICS_DIR / f"{self.rubric}.yaml").is_file() else RUBRICS_DIR
        return replace(load_rubric(folder / f"{self.rubric}.yaml"), temperature=self.temperature, escape="tags")


@dataclass(frozen=True)
class JudgedScorer:
    """Builds the requests of a judged metric and reads the replies."""

    judged: JudgedMetric
    read_answer: Callable[[Sequence[Output]], str]

    @cached_property
    def rubric(self) -> Rubric:
        return self.judged.load_rubric()

    def judge_requests(self, sample: Sample, *outputs: Output) -> tuple[Generate, ...]:
        return tuple(self._request(values) for values in self._orders(sample, outputs))

    def score(self, sample: Sample, *outputs: Output, verdicts: Sequence[str]) -> float:
        """Return the value of the verdict, or the mean of both orders."""
        keys = (self.rubric.key, "first")  # in the second order, the model's answer comes first
        marks = [replace(self.rubric, key=key).parse_reply(reply) for key, reply in zip(keys, verdicts, strict=False)]
        return self.judged.to_value(sum(marks) / len(marks))

    def _orders(self, sample: Sample, outputs: Sequence[Output]) -> list[dict[str, str | None]]:
        answer = self.read_answer(outputs)
        if self.judged.reads_tags and (tagged := ANSWER_TAGS.search(answer)):
            answer = tagged[2].strip()
        fields = {name: getattr(self.judged, name)(sample.meta) for name in ("question", "reference", "baseline")}
        values = {**fields, "answer": answer, "choices": None}
        if values["baseline"] is None:
            return [values]
        return [values, {**values, "answer": values["baseline"], "baseline": answer}]

    def _request(self, values: Mapping[str, str | None]) -> Generate:
        turn = Turn("user", (self.rubric.fill_template(values),))
        return Generate(turns=(turn,), max_tokens=self.rubric.max_tokens, temperature=self.rubric.temperature)


def make_judged_metric(name: str, judged: JudgedMetric, read_answer: Callable[[Sequence[Output]], str]) -> Metric:
    """Make the metric that a YAML lists under this name."""
    scorer = JudgedScorer(judged, read_answer)
    rubric = scorer.rubric
    lowest, highest = (rubric.low, rubric.high) if rubric.kind == "scale" else (0, 1)
    limits = (judged.to_value(lowest), judged.to_value(highest))
    return Metric(
        name,
        scorer.score,
        mean,
        version=rubric.version,
        variant=f"lmms.{rubric.name}.{rubric.digest}",
        bounds=constant_bounds(limits),
        unit="share" if limits == (0.0, 1.0) else "points",
        credit=float if rubric.kind == "yes-no" and limits == (0.0, 1.0) else None,
        judge_requests=scorer.judge_requests,
        applies=lambda _: True,
    )


def find_judged_metric(function: str, metric: str) -> JudgedMetric | None:
    """Return how a metric of a function is judged, or None if the function is not recognised."""
    return JUDGED_FUNCTIONS.get(function.rpartition(".")[2], {}).get(metric)


SPOKEN_INSTRUCTION = ("prompt", "instruction", "question", "query", "source_text", "transcript", "transcription")
DESCRIPTION_RULES: Final[Mapping[str, str]] = {
    "gender": "Both attribute the same gender, male or female, to the speaker.",
    "speed": (
        "On the scale fast, rather fast, medium, rather slow, slow, both give the same pace of speech or two "
        "neighbouring ones. A description from which no pace can be read does not agree."
    ),
    "voice_tone": "Both describe a broadly similar timbre of the speaker's voice.",
    "rhythm": (
        "Both describe a broadly similar rhythm of speech, judged generously: it is enough that both call it steady, "
        "fluent or natural, that both mention pauses of any kind, or that both mention changes of pace."
    ),
    "voice_styles": "Both describe a broadly similar style of speaking.",
    "pitch": "Both describe about the same pitch.",
    "emotions": (
        "Both name emotions of the same family: positive (such as happy, excited, proud, tender), neutral (such as "
        "calm, objective, thoughtful, nostalgic) or negative (such as angry, frustrated, anxious, mocking, sad)."
    ),
    "scene": (
        "Both name the same place or scene, however it is phrased; marks such as a language tag do not count. "
        "Outdoors in general and a park are different scenes."
    ),
    "age": (
        "Read the youngest and the oldest age from each description; the middles of both ranges differ by at most "
        "10 years."
    ),
    "event": (
        "Both describe sound events of the same sort, such as two animals or two vehicles, or events that belong "
        "together."
    ),
    "vocalsound": (
        "Both name the same vocal sound or behaviour, express the same emotion with it, or one includes what the "
        "other names."
    ),
}
"""What two descriptions must share, by the subset of StepEval-Audio-Paralinguistic."""
ANY_DESCRIPTION: Final = "Both describe similar content."


def _description_rule(doc: Mapping[str, Any]) -> str:
    return DESCRIPTION_RULES.get(str(doc.get("subset")), ANY_DESCRIPTION)


JUDGED_FUNCTIONS: Final[Mapping[str, Mapping[str, JudgedMetric]]] = {
    "voicebench_process_results_open": {
        "llm_as_judge_eval": JudgedMetric(
            "judge-1-5", column(*SPOKEN_INSTRUCTION, "audio_text", "text"), temperature=0.5, reads_tags=True
        )
    },
    "voicebench_process_results_qa": {
        "gpt4_score": JudgedMetric(
            "judge-reference", column("prompt"), column("reference"), temperature=0.5, reads_tags=True
        )
    },
    **{
        f"{function}_process_results": {
            "gpt_eval": JudgedMetric(
                "reference-0-5", column(question), column("answer"), temperature=0.7, to_value=lambda mark: 20 * mark
            )
        }
        for function, question in {
            "alpaca_audio": "speech_instruction",
            "openhermes": "speech_instruction",
            "clotho_aqa_v2": "question",
        }.items()
    },
    "wavcaps_process_results": {"gpt_eval": JudgedMetric("reference-0-5", column("instruction"), column("answer"))},
    "mix_evals_audio2text_process_results_freeform": {
        "gpt_eval": JudgedMetric(
            "key-points-0-2", reference=first_item("reference_answer"), temperature=0.2, to_value=lambda mark: mark / 2
        )
    },
    "air_bench_process_results_chat": {
        "gpt_eval": JudgedMetric(
            "two-answers-1-10", column("question"), column("meta_info"), baseline=column("answer_gt")
        )
    },
    "semantic_match_aggregate": {
        "semantic_match": JudgedMetric("same-description", _description_rule, column("task_answer"))
    },
}
"""Judged metrics by the name of the function: `process_results`, or the aggregation if that sends the requests."""
VIDEO_FUNCTIONS: Final = ("gpt_score_process", "egothink_process_results", "cvrr_process_results")
"""Functions that have answers about videos and pictures judged, which no rubric replaces."""
