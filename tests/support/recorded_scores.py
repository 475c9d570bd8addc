"""Everything that metrics compute for fixed answers, to be compared with a recording.

The recording pins what no independent library computes: bounds, ranks, details, intervals, plots and messages. The
values themselves are checked against independent libraries in `tests/oracle`. After a change that alters numbers on
purpose, write it again and read the difference:

    python -m tests.support.recorded_scores
"""

import json
import math
import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, is_dataclass, replace
from functools import partial
from typing import Any

from auricle.core.errors import AuricleError
from auricle.core.types import Failure, Generation, Likelihood, Output, Prediction, Record, Sample, Turn
from auricle.metrics.base import Metric
from auricle.metrics.capabilities import Bounded, Judged, Profiled, ReadsAnswer, Restricted, Voting, list_members
from auricle.metrics.catalogue import METRICS
from auricle.metrics.intervals import adjust_holm, compare_paired, compute_interval, newcombe_interval
from auricle.metrics.matrix_difference import ConfusionMatrix, match_by_meaning, subtract_matrices
from auricle.metrics.multi_answer import AGGREGATIONS, aggregate_answers, build_transcript
from auricle.scoring.score_table import ScoreTable, score_records
from auricle.scoring.summary import summarise
from auricle.tasks.rewards.preference import TIE_POLICIES, preference_metrics
from auricle.tasks.rewards.ratings import Dimension, rating_metrics
from tests.support import paths

RECORDING = paths.GOLDEN / "scores.json"
DIGITS = 10
"""Significant digits that are compared; the last ones depend on the numpy of the machine."""

Group = tuple[list[Metric], list[Record]]


def record_of(row: int, target: Any, *outputs: Output, inputs: Any = None, **meta: Any) -> Record:
    sample = Sample(id=f"s{row}", inputs=inputs or {}, target=target, meta={"speaker": f"p{row % 4}", **meta})
    return Record(sample=sample, row=row, outputs=outputs)


def failed(row: int, target: Any, **fields: Any) -> Record:
    return replace(record_of(row, target, **fields), error=Failure("Timeout", "no answer"))


# --- answers -------------------------------------------------------------------------------------

TEXTS: list[tuple[Any, str]] = [
    ("the cat sat on the mat", "the cat sat on mat"),
    ("the cat sat on the mat", "a cat sits on the the mat now"),
    ("we read the white paper today", "we read the whitepaper to day"),
    ("whitepaper", "white paper"),
    ("some times any thing goes", "sometimes anything goes along"),
    ("", "words without a reference"),
    ("hello there", ""),
    ("Hello, World!", "hello world"),
    ("I can't go.", "I cannot go"),
    ("twenty one dollars", "$21"),
    ("我想听 Hello Kitty", "我想 hello kitty"),
    ("北京今天的天气很好", "北京今天天气好"),
    (["Paris", "Rome"], "It is Rome."),
    (["a dog barks loudly", "the dog is barking"], "a dog is barking loudly"),
    ("no", "notice"),
    ("one two three four five six seven eight", "eight seven six five four three two one"),
    ("yes", "Sorry, I can't help with that."),
    ("a b a b a b", "a b a b"),
    ("x", "x x x x x x"),
    ("the same words", "the same words"),
]
TEXT_METRICS = [
    *("wer", "cer", "mer", "exact_match", "contains", "empty", "rouge_l", "cider"),
    *("bleu", "bleu_char", "bleu_zh", "chrf", "chrf_pp", "ter", "refusal"),
]


def texts() -> Group:
    records = [record_of(row, target, Generation(text=text)) for row, (target, text) in enumerate(TEXTS)]
    return [METRICS.get(name) for name in TEXT_METRICS], [*records, failed(len(records), "lost words here")]


def texts_of_profiles() -> Group:
    wer: Metric = METRICS.get("wer")
    assert isinstance(wer, Profiled)
    _, records = texts()
    metrics = [wer.with_profile(name) for name in ("none", "open-asr", "whisper-en", "mixed")]
    for name in ("cer", "exact_match", "contains", "rouge_l", "cider"):
        metrics.append(METRICS.get(name).with_profile("none"))
    averaged = aggregate_answers(wer, "mean")
    assert isinstance(averaged, Profiled)
    metrics.append(averaged.with_profile("none").replace(name="averaged"))
    return [metric.replace(name=f"{metric.name}-{metric.profile}") for metric in metrics], records


CHOICES = ["angry", "happy", "neutral", "sad"]
REPLIES = ["angry", "The speaker is happy.", "Sad", "I would say neutral", "no idea", "happy or sad", "(B)", "anger"]


def labels() -> Group:
    names = ["accuracy", "wa", "accuracy_matched", "uar", "uar_all", "macro_f1", "weighted_f1"]
    records = [
        record_of(row, CHOICES[row % 4], Generation(text=REPLIES[(3 * row) % 8]), inputs={"choices": CHOICES})
        for row in range(24)
    ]
    return [METRICS.get(name) for name in names], [*records, failed(24, "sad", inputs={"choices": CHOICES})]


def class_scores() -> Group:
    names = ["accuracy", "accuracy_matched", "accuracy_closed", "top2", "top3", "uar", "uar_all", "macro_f1", "ece"]
    metrics = [METRICS.get(name) for name in (*names, "weighted_f1")]
    strict = [metric.without_synonyms() for metric in metrics]
    own = ["生气/angry", "Joy", "<unk>", "sadness", "bored"]
    rng = random.Random(3)
    records = []
    for row in range(40):
        weights = [rng.random() + 0.6 * (index == row % 4) for index in range(5)]
        values = {name: weight / sum(weights) for name, weight in zip(own, weights, strict=True)}
        prediction = Prediction(values=values, scale="probability")
        target = ["angry", "happiness", "neutral", "sad"][(row // 2) % 4]
        choices = {"choices": ["angry", "happiness", "neutral", "sad"]}
        records.append(record_of(row, target, prediction, inputs=choices))
    records[7] = replace(records[7], outputs=(Prediction(values={"sad": 2.0, "angry": -1.0}, scale="logit"),))
    return [*metrics, *(metric.replace(name=f"{metric.name}-strict") for metric in strict)], records


OPTIONS = ["a cat", "a dog", "two birds", "rain"]
OPTION_TARGETS = ["A", "b", "(C)", "rain", "3", 0, "two birds", "The answer is D", "unknown", "a dog"]
OPTION_REPLIES = [
    "A",
    "a dog",
    "The answer is (C).",
    "D. rain",
    "I hear birds",
    "B or C",
    "rain rain",
    "",
    "Two birds.",
    "C",
]


def options() -> Group:
    records = []
    for row in range(30):
        reply = Generation(text=OPTION_REPLIES[(7 * row + row // 10) % 10])
        records.append(record_of(row, OPTION_TARGETS[row % 10], reply, inputs={"choices": OPTIONS}))
    return [METRICS.get(name) for name in ("option_accuracy", "word_match")], records


def emotion_dimensions() -> Group:
    names = [name for name in METRICS.builtin if name.startswith(("eta2", "ccc_", "pearson_", "rmse_"))]
    rng = random.Random(5)
    records = []
    for row in range(36):
        centre = (row % 3) / 3
        values = {"Valence": rng.gauss(centre, 0.2), "arousal": rng.gauss(1 - centre, 0.3), "dominance": rng.random()}
        ratings = {"valence": centre + rng.gauss(0, 0.1), "arousal": rng.random(), "dominance": 4 + rng.random()}
        if row % 7 == 3:
            ratings.pop("arousal")
        label = ["calm", "happy", "angry"][row % 3] if row < 33 else "bored"
        records.append(record_of(row, label, Prediction(values=values, scale="continuous"), **ratings))
    records.append(record_of(36, None, records[0].outputs[0], valence=math.inf, arousal=True))
    return [METRICS.get(name) for name in names], records


def ratings() -> Group:
    rng = random.Random(8)
    metrics = rating_metrics(Dimension("quality", output="score")) + rating_metrics(Dimension(scale=(1.0, 5.0)))
    records = []
    for row in range(30):
        truth = round(1 + 4 * rng.random(), 1)
        output: Output = Prediction(values={"score": truth + rng.gauss(0, 0.5), "other": 1.0}, scale="continuous")
        if row % 3 == 0:
            output = Generation(text=f"I would give it {min(6, round(truth))} out of 5.")
        target: Any = {"quality": truth} if row % 2 else truth
        records.append(record_of(row, target if row % 11 else str(truth), output))
    records.append(record_of(30, "not a number", Generation(text="3")))
    records.append(record_of(31, True, Generation(text="3")))
    records.append(record_of(32, 2.0, Generation(text="no number")))
    records.append(record_of(33, 2.0, Generation(text="11")))
    return metrics, records


def preferences() -> Group:
    rng = random.Random(9)
    metrics = [
        metric.replace(name=f"{metric.name}-{ties}")
        for ties in TIE_POLICIES
        for metric in preference_metrics(Dimension("melody", question_count=2, question_index=1), ties)
    ]
    metrics += preference_metrics(Dimension("melody", output="score", question_count=0), "half")
    records = []
    for row in range(36):
        target = {"melody": ["a", "b", "tie"][row % 3]} if row % 5 else {}
        sides = [float(rng.randint(0, 3)) for _ in range(2)]
        outputs: tuple[Output, ...] = tuple(
            Prediction(values={"melody": side, "score": 3 - side}, scale="continuous") for side in sides
        )
        if row % 2:
            choices_made = ["A", "Recording B", "tie", "B is better", "neither", "I prefer recording A"]
            outputs = tuple(Generation(text=choices_made[(row + 2 * at) % 6]) for at in range(4))
        records.append(record_of(row, target, *outputs))
    return metrics, records


def likelihoods() -> Group:
    names = [name for name in METRICS.builtin if (name.startswith("acc_") and name != "acc_first") or name == "acc"]
    rng = random.Random(11)
    records = []
    for row in range(20):
        outputs = []
        for condition in ("context", "nothing", "itself"):
            for option in OPTIONS:
                tokens = tuple(-round(rng.random() * 4, 1) for _ in range(1 + len(option) // 3))
                outputs.append(Likelihood(text=f" {option}", logprobs=tokens, conditioned_on=condition))
        if row % 6 == 5:
            outputs = [replace(output, logprobs=(-1.0,)) for output in outputs]
        records.append(record_of(row, OPTIONS[row % 4], *outputs, inputs={"choices": OPTIONS} if row % 2 else {}))
    records.append(record_of(20, "snow", *records[0].outputs))
    records.append(record_of(21, "rain", *(Likelihood(text=option, logprobs=()) for option in OPTIONS)))
    return [METRICS.get(name) for name in names], records


def first_tokens() -> Group:
    rng = random.Random(12)
    records = []
    for row in range(16):
        tokens = rng.sample(["A", " A", "B", "C", " D", "E", "x"], 4 if row < 12 else 1)
        reply = Generation(text="B", first_token_logprobs={token: -rng.random() for token in tokens})
        records.append(record_of(row, "ABCD"[row % 4], reply, inputs={"choices": OPTIONS}))
    records.append(record_of(16, "A", Generation(text=""), inputs={"choices": OPTIONS}))
    return [METRICS.get("acc_first")], records


def perplexities() -> Group:
    names = ["token_perplexity", "word_perplexity", "byte_perplexity", "bits_per_byte", "sequence_perplexity"]
    rng = random.Random(13)
    words = ["one two three", "größer", "北京 天气", "a", "some longer text with words"]
    records = [
        record_of(
            row, None, Likelihood(text=words[row % 5], logprobs=tuple(-3 * rng.random() for _ in range(2 + row % 4)))
        )
        for row in range(15)
    ]
    records.append(record_of(15, None, Likelihood(text="x", logprobs=(-800.0,))))
    return [METRICS.get(name) for name in names], records


INSTRUCTIONS: list[tuple[str, dict[str, Any]]] = [
    ("punctuation:no_comma", {}),
    ("length_constraints:number_words", {"num_words": 4, "relation": "at least"}),
    ("length_constraints:number_sentences", {"num_sentences": 2, "relation": "less than"}),
    ("length_constraints:number_paragraphs", {"num_paragraphs": 2}),
    ("length_constraints:nth_paragraph_first_word", {"num_paragraphs": 2, "nth_paragraph": 2, "first_word": "Second"}),
    ("detectable_content:number_placeholders", {"num_placeholders": 1}),
    ("detectable_content:postscript", {"postscript_marker": "P.S."}),
    ("detectable_format:number_bullet_lists", {"num_bullets": 2}),
    ("detectable_format:constrained_response", {}),
    ("detectable_format:number_highlighted_sections", {"num_highlights": 2}),
    ("detectable_format:multiple_sections", {"section_spliter": "SECTION", "num_sections": 2}),
    ("detectable_format:json_format", {}),
    ("detectable_format:title", {}),
    ("combination:two_responses", {}),
    ("combination:repeat_prompt", {"prompt_to_repeat": "First line"}),
    ("startend:end_checker", {"end_phrase": "the end."}),
    ("startend:quotation", {}),
    ("keywords:existence", {"keywords": ["line", "second"]}),
    ("keywords:frequency", {"keyword": "line", "frequency": 2, "relation": "at least"}),
    ("keywords:forbidden_words", {"forbidden_words": ["bird", "end"]}),
    ("keywords:letter_frequency", {"letter": "e", "let_frequency": 4, "let_relation": "at least"}),
    ("change_case:capital_word_frequency", {"capital_frequency": 2, "capital_relation": "at least"}),
    *(
        ("length_constraints:nth_paragraph_first_word", {"num_paragraphs": 2, "nth_paragraph": nth, "first_word": word})
        for nth, word in ((0, "second"), (1, "first"), (1, "second"), (2, "first"), (3, "second"))
    ),
    ("unknown:check", {}),
]
ANSWERS = [
    "First line of text.\n\nSecond line, of the text. This is the end.",
    '"Quoted"',
    '{"a": 1}',
    "* one\n* two\n*bold* and **strong**",
    "<<Title>>\nSECTION 1\nx\nSECTION 2\ny [name] P.S. bye",
    "one *** two",
    "yes ****** no",
    "My answer is yes.",
    "DON'T SHOUT AT ME",
    "```json\n[1, 2]\n```",
    "",
    "Dr. Smith went to the U.S. in Jan. and saw 3 birds. Then he left! Did he? A. Yes.",
]


def instructions() -> Group:
    names = [name for name in METRICS.builtin if name.startswith("ifeval")]
    records = []
    for row, answer in enumerate(ANSWERS):
        picked = [INSTRUCTIONS[(row * 5 + at) % (len(INSTRUCTIONS) - 1)] for at in range(6)]
        meta = {"instruction_id_list": [name for name, _ in picked], "kwargs": [arguments for _, arguments in picked]}
        records.append(record_of(row, None, Generation(text=answer), **meta))
    for at, (name, arguments) in enumerate(INSTRUCTIONS):
        for answer in ANSWERS[at % 3 :: 3]:
            meta = {"instruction": name, "instruction_kwargs": [arguments]}
            records.append(record_of(len(records), None, Generation(text=answer), **meta))
    return [METRICS.get(name) for name in names], records


CONVERSATION = {"turns": [Turn("user", ("hi",)), Turn("user", ("and now?",)), Turn("user", ("bye",))]}


def several_answers() -> Group:
    base = [METRICS.get(name) for name in ("wer", "exact_match", "accuracy")]
    metrics = []
    for aggregation in (*AGGREGATIONS, "pass@1", "pass@2"):
        for metric in base:
            try:
                metrics.append(aggregate_answers(metric, aggregation))
            except AuricleError:
                continue
    metrics = [metric.replace(name=f"{metric.name}:{metric.variant}") for metric in metrics]
    rng = random.Random(17)
    records = []
    for row in range(14):
        answers = tuple(
            Generation(text=rng.choice(["cat", "dog", "a cat", "cat cat", "?"]), logprobs=(-rng.random(), -1.0))
            for _ in range(3)
        )
        records.append(record_of(row, ["cat", "dog"][row % 2], *answers, inputs={"choices": ["cat", "dog"]}))
    for row in range(14, 18):
        answers = tuple(Generation(text=text, logprobs=(-1.0,)) for text in ("cat", "dog", "cat"))
        target: Any = ["cat", "cat", None] if row % 2 else ["cat", "dog", "cat"]
        records.append(record_of(row, target, *answers, inputs={**CONVERSATION, "choices": ["cat", "dog"]}))
    records.append(failed(18, "cat", inputs={"choices": ["cat", "dog"]}))
    return metrics, records


GROUPS: Mapping[str, Callable[[], Group]] = {
    function.__name__: function
    for function in (
        *(texts, texts_of_profiles, labels, class_scores, options, emotion_dimensions, ratings, preferences),
        *(likelihoods, first_tokens, perplexities, instructions, several_answers),
    )
}


# --- what is recorded ----------------------------------------------------------------------------


def describe_group(metrics: Sequence[Metric], records: Sequence[Record]) -> dict[str, Any]:
    """Score records and describe every metric: its numbers, and each sample."""
    table = ScoreTable(metrics, "speaker", breakdown_fields=("none",))
    lines = list(score_records(records, table))
    numbers = {number.metric: {**asdict(number), "signature": str(number.signature)} for number in summarise(table)}
    return {
        column.metric.name: {
            "number": numbers.get(column.metric.name),
            "refused": column.refusal_reason,
            "reasons": column.reasons,
            "samples": [
                [line.stats.get(column.metric.name), *describe_sample(column.metric, record, line.stats)]
                for record, line in zip(records, lines, strict=True)
            ],
            "worst": [record.sample.id for record, _ in table.worst_records()] if column is table.columns[0] else None,
            "compared": compare_halves(column.metric, [line.stats.get(column.metric.name) for line in lines]),
        }
        for column in table.columns
    }


def describe_sample(metric: Metric, record: Record, stats: Mapping[str, Any]) -> Iterator[Any]:
    """Return how bad a sample is, whether it is right, what was read, and what it could have scored."""
    stat = stats.get(metric.name)
    yield None if stat is None else [metric.badness(stat), metric.is_hit(stat)]
    outputs, has_target = record.outputs, record.sample.target is not None
    reader = metric if isinstance(metric, ReadsAnswer) else None
    bounded = metric if isinstance(metric, Bounded) else None
    yield attempt(lambda: reader and outputs and reader.read_answer(record.sample, outputs[0]))
    yield attempt(lambda: bounded and has_target and bounded.bounds(record.sample))


def attempt(compute: Callable[[], Any]) -> Any:
    try:
        return compute()
    except (AuricleError, TypeError, AttributeError) as error:
        return f"{type(error).__name__}: {error}"


def compare_halves(metric: Metric, stats: Sequence[Any]) -> Any:
    """Compare the first half of the samples with the second, in pairs."""
    half = len(stats) // 2
    pairs = [pair for pair in zip(stats[:half], stats[half : 2 * half], strict=True) if None not in pair]
    if not pairs:
        return None
    first, second = [list(side) for side in zip(*pairs, strict=True)]
    return attempt(lambda: compare_paired(first, second, metric.aggregate))


def intervals() -> dict[str, Any]:
    """Return intervals at the sizes where the way of drawing changes."""
    import numpy as np

    mean = METRICS.get("exact_match").aggregate
    rng = np.random.default_rng(21)
    results: dict[str, Any] = {}
    for size in (1, 2, 3, 9, 1000, 100_001):
        numbers = np.round(rng.random(size), 1 if size % 2 else 6)
        results[f"mean of {size}"] = compute_interval(numbers, mean)
        clusters = np.arange(size) % max(1, size // 3)
        results[f"clusters of {size}"] = compute_interval(numbers[:3000], mean, clusters=clusters[:3000])
        results[f"pairs of {size}"] = compare_paired(numbers[:3000], numbers[:3000][::-1], mean, None)
        results[f"clustered pairs of {size}"] = compare_paired(
            numbers[:999], numbers[:999] + 0.01, mean, clusters[:999]
        )
    hits = np.array([1.0, 0.0, 1.0, 1.0, 0.0, 1.0])
    results["hits"] = [
        compute_interval(hits, mean),
        compare_paired(hits, hits[::-1], mean),
        compare_paired(hits, hits, mean),
    ]
    results["holm"] = adjust_holm([0.01, 0.04, 0.03, math.nan, 0.9, 0.5])
    results["newcombe"] = [newcombe_interval(3, 10, 7, 12), newcombe_interval(0, 5, 5, 5)]
    results["none"] = compare_paired([], [], mean)
    return results


def matrices() -> dict[str, Any]:
    baseline = ConfusionMatrix(("angry", "sad", "calm"), ("angry", "sad", "other"), ((8, 1, 1), (2, 6, 0), (0, 0, 0)))
    candidate = ConfusionMatrix.from_details({
        "rows": ["sad", "生气/angry", "new"], "columns": ["sad", "生气/angry"], "counts": [[5, 3], [1, 9], [2, 2]],
        "unreadable": [0, 2, 0],
    })  # fmt: skip
    by_meaning = subtract_matrices(baseline, candidate)
    without = subtract_matrices(baseline, candidate, partial(match_by_meaning, synonyms=False))
    return {"by meaning": by_meaning, "without synonyms": without}


JUDGE_REPLIES = {
    "judge-reference": [
        "Verdict: yes",
        "so.\nVerdict: no.",
        "**Verdict:** Yes",
        "<think>no</think>Verdict: no",
        "maybe",
    ],
    "judge-1-5": ["Score: 4", "Score: 2/5", "Score: 5.0", "Score: 6", "Score: 3.5", "Score: 1"],
    "judge-pairwise": [f"Winner: {winner}" for winner in ("A", "B", "tie", "tie", "b", "A", "A", "A")],
}
GOLD = ["yes", 1, "0", 4, "win", "tie", 2.0, "", "5", "loss", None, 9]


def judges() -> dict[str, Any]:
    """Score with every kind of rubric, with one vote and with three, against verdicts of humans."""
    results: dict[str, Any] = {}
    for name, replies in JUDGE_REPLIES.items():
        one: Metric = METRICS.get(name)
        assert isinstance(one, Voting)
        for metric in (one, one.with_votes(3)):
            for member in list_members(metric):
                results[f"{member}"] = _judge_all(metric, member, replies)
    return results


def _judge_all(metric: Metric, member: Metric, replies: Sequence[str]) -> Any:
    """Score all records with a metric, or with a companion of it."""
    stats: list[Any] = []
    rows: list[Any] = []
    step = 2 if metric.name.startswith("judge-pairwise") else 1  # a pair is judged in both orders
    for row, gold in enumerate(GOLD):
        inputs = {"question": "Which?", "choices": OPTIONS} if row % 2 else {"question": "Which?"}
        record = record_of(row, "a dog", Generation(text="A dog." if row % 5 else " "), inputs=inputs, human=gold)
        assert isinstance(metric, Judged)
        requests = metric.judge_requests(record.sample, *record.outputs)
        indices = [step * row + at % step + step * (at // step == 2) for at in range(len(requests))]
        verdicts = [replies[index % len(replies)] for index in indices]
        score = partial(_score_member, metric, member, record, verdicts)
        applies = not isinstance(member, Restricted) or member.applies(record.sample)
        rows.append([len(requests), requests[: row == 1], applies, attempt(score)])
        if applies and not isinstance(rows[-1][-1], str):
            stats.append(rows[-1][-1])
    aggregate = member.aggregate
    values = [aggregate(stats), compute_interval(stats, aggregate), member.details(stats)] if stats else []
    return [rows, values, [[member.badness(stat), member.is_hit(stat)] for stat in stats]]


def _score_member(metric: Metric, member: Metric, record: Record, verdicts: Sequence[str]) -> Any:
    stat = metric.score(record.sample, *record.outputs, verdicts=verdicts)
    return stat if member is metric or stat is None else member.score(record.sample, metric.sample_value(stat))


def transcripts() -> list[str]:
    turns = [Turn("user", ("hi",)), Turn("assistant", ("hello",)), Turn("user", ("and?",)), Turn("user", ("bye",))]
    outputs = [Generation(text=text) for text in ("one", "two", "three")]
    samples = [Sample(id="1", inputs={"turns": part}) for part in (turns, [turns[0], turns[2], turns[3]], turns[:1])]
    return [
        build_transcript(sample, outputs[:count], index)
        for sample in samples
        for count in (1, 2, 3)
        for index in range(count)
    ]


OTHERS: Mapping[str, Callable[[], Any]] = {
    function.__name__: function for function in (intervals, matrices, judges, transcripts)
}


def compute(name: str) -> Any:
    """Compute one part of the recording, as JSON with rounded numbers."""
    results = OTHERS[name]() if name in OTHERS else describe_group(*GROUPS[name]())
    return json.loads(json.dumps(to_plain(results), ensure_ascii=False, sort_keys=True))


def to_plain(value: Any) -> Any:
    if isinstance(value, float):
        return float(f"{round(value, 12):.{DIGITS}g}") if math.isfinite(value) else str(value)
    if is_dataclass(value) and not isinstance(value, type):
        fields = {name: getattr(value, name) for name in value.__dataclass_fields__}
        # Intervals over members of samples were added after the recording, which has none of them.
        return to_plain({name: item for name, item in fields.items() if (name, item) != ("members", "")})
    if isinstance(value, Mapping):
        return {str(key): to_plain(item) for key, item in value.items()}
    if isinstance(value, Iterable) and not isinstance(value, str):
        return [to_plain(item) for item in value]
    return value if value is None or isinstance(value, (str, int, bool)) else to_plain(float(value))


if __name__ == "__main__":
    recording = {name: compute(name) for name in (*GROUPS, *OTHERS)}
    lines = ",\n".join(
        f"{json.dumps(name)}: {json.dumps(part, ensure_ascii=False)}" for name, part in recording.items()
    )
    RECORDING.write_text(f"{{\n{lines}\n}}\n", encoding="utf-8")
