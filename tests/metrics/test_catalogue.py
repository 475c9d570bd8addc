"""The catalogue of built-in metrics."""

import pytest

from auricle import Generation, Metric, Sample
from auricle.core.errors import MissingExtra, SampleError
from auricle.metrics.capabilities import Bounded
from auricle.metrics.catalogue import METRICS, metric_title


@pytest.mark.parametrize("name", METRICS.builtin)
def test_every_metric_loads_under_its_name(name: str) -> None:
    metric = METRICS.get(name)
    if isinstance(metric, tuple):  # a set
        assert [METRICS.get(member.name) for member in metric] == list(metric)
        return
    assert isinstance(metric, Metric)
    assert metric.name == name


@pytest.mark.parametrize("name", METRICS.builtin)
def test_every_metric_has_a_short_summary(name: str) -> None:
    summary = METRICS.builtin[name].summary
    assert 10 < len(summary) < 65, f"write 11 to 64 characters about {name} in the FEATURE that has it"
    assert not summary.endswith("."), f"remove the full stop of {name} in the FEATURE that has it"


def test_titles_are_those_of_the_metrics() -> None:
    assert [metric_title(name) for name in ("wer", "eta2_valence", "judge-1-5")] == ["WER", "η² valence", "judge-1-5"]
    assert metric_title("accuracy.musicality") == "Accuracy musicality"
    assert metric_title("os:getcwd") == "os:getcwd"
    assert metric_title("hallucination") == "hallucination"
    assert metric_title("wer@basic") == "WER (basic)"
    assert metric_title("option_accuracy.pass@2") == "Option accuracy pass@2"


def test_a_metric_whose_package_is_missing_has_its_name_as_title(monkeypatch: pytest.MonkeyPatch) -> None:
    def load(name: str) -> Metric:
        raise MissingExtra(name, "bleu")

    monkeypatch.setattr(METRICS, "get", load)
    assert metric_title("bleu") == "bleu"


def test_metrics_of_ratings_compare_numbers_written_by_a_model() -> None:
    metric = METRICS.get("srcc")
    samples = [Sample(id=str(rating), inputs={}, target=rating) for rating in (10, "20.5", 30)]
    answers = [Generation(text=text) for text in ("It is 1.", "Score: 7", "100")]
    stats = [metric.score(sample, answer) for sample, answer in zip(samples, answers, strict=True)]
    assert metric.aggregate(stats) == pytest.approx(1.0)
    with pytest.raises(SampleError, match="'good' is not a rating"):
        metric.score(Sample(id="x", inputs={}, target="good"), answers[0])


def test_metrics_state_how_they_are_drawn() -> None:
    names = ("wer", "uar", "eta2", "srcc", "ccc_arousal", "rmse", "exact_match")
    assert [METRICS.get(name).plot for name in names] == [
        *("errors", "classes", "separation", "ratings", "ratings", "", "")
    ]


# Two numbers of a metric mean the same only as long as all of this stays the same.
# name, title, version and variant, higher is better, unit, right or wrong, bounds that are the same for every sample
DEFINITIONS: list[tuple[str, str, str, bool, str, bool, tuple[float, float] | None]] = [
    ("wer", "WER", "1.pooled.basic:2", False, "share", False, None),
    ("cer", "CER", "2.pooled.basic:2", False, "share", False, None),
    ("mer", "MER", "1.pooled.mixed:2", False, "share", False, None),
    ("exact_match", "Exact match", "1.basic:2", True, "share", True, (0.0, 1.0)),
    ("contains", "Contains", "1.basic:2", True, "share", True, (0.0, 1.0)),
    ("empty", "Empty", "1", False, "share", True, (1.0, 0.0)),
    ("refusal", "Refusal", "1", True, "share", True, None),
    ("ifeval", "IFEval", "1", True, "share", False, None),
    ("ifeval_prompt_strict", "IFEval prompts, strict", "1", True, "share", True, (0.0, 1.0)),
    ("ifeval_prompt_loose", "IFEval prompts, loose", "1", True, "share", True, (0.0, 1.0)),
    ("ifeval_instruction_strict", "IFEval instructions, strict", "1", True, "share", False, None),
    ("ifeval_instruction_loose", "IFEval instructions, loose", "1", True, "share", False, None),
    ("bleu", "BLEU", "1.sacrebleu.tok:13a", True, "points", False, None),
    ("bleu_char", "BLEU, characters", "1.sacrebleu.tok:char", True, "points", False, None),
    ("bleu_zh", "BLEU, zh tokens", "1.sacrebleu.tok:zh", True, "points", False, None),
    ("chrf", "chrF", "1.sacrebleu.c6w0.space:no", True, "points", False, None),
    ("chrf_pp", "chrF++", "1.sacrebleu.c6w2.space:no", True, "points", False, None),
    ("ter", "TER", "1.sacrebleu.tok:tercom.norm:no.asian:no", False, "points", False, None),
    ("rouge_l", "ROUGE-L", "2.basic:2", True, "", False, (0.0, 1.0)),
    ("cider", "CIDEr-D", "2.basic:2", True, "", False, None),
    ("word_match", "Word match", "1", True, "share", True, (0.0, 1.0)),
    ("option_accuracy", "Option accuracy", "5.unreadable-wrong", True, "share", True, (0.0, 1.0)),
    ("accuracy", "Accuracy", "5.unreadable-wrong", True, "share", True, (0.0, 1.0)),
    ("wa", "WA", "5.unreadable-wrong", True, "share", True, (0.0, 1.0)),
    ("accuracy_matched", "Accuracy, matched", "5.unreadable-wrong", True, "share", True, None),
    ("accuracy_closed", "Accuracy, closed set", "5.unreadable-wrong", True, "share", True, (0.0, 1.0)),
    ("top2", "Top 2", "5.unreadable-wrong", True, "share", True, (0.0, 1.0)),
    ("top3", "Top 3", "5.unreadable-wrong", True, "share", True, (0.0, 1.0)),
    ("uar", "UAR", "5.unreadable-wrong", True, "share", True, None),
    ("uar_all", "UAR, all labels", "5.unreadable-wrong", True, "share", True, None),
    ("macro_f1", "Macro F1", "5.unreadable-wrong", True, "share", True, None),
    ("weighted_f1", "Weighted F1", "5.unreadable-wrong", True, "share", True, None),
    ("macro_precision", "Macro precision", "5.unreadable-wrong", True, "share", True, None),
    ("weighted_precision", "Weighted precision", "5.unreadable-wrong", True, "share", True, None),
    ("weighted_recall", "Weighted recall", "5.unreadable-wrong", True, "share", True, None),
    ("ece", "ECE", "1.15-bins", False, "share", False, None),
    ("eta2", "η²", "1", True, "", False, None),
    ("eta2_arousal", "η² arousal", "1", True, "", False, None),
    ("eta2_dominance", "η² dominance", "1", True, "", False, None),
    ("eta2_valence", "η² valence", "1", True, "", False, None),
    ("ccc_arousal", "CCC arousal", "1", True, "", False, None),
    ("ccc_dominance", "CCC dominance", "1", True, "", False, None),
    ("ccc_valence", "CCC valence", "1", True, "", False, None),
    ("pearson_arousal", "Pearson’s r arousal", "1", True, "", False, None),
    ("pearson_dominance", "Pearson’s r dominance", "1", True, "", False, None),
    ("pearson_valence", "Pearson’s r valence", "1", True, "", False, None),
    ("rmse_arousal", "RMSE arousal", "1", False, "", False, None),
    ("rmse_dominance", "RMSE dominance", "1", False, "", False, None),
    ("rmse_valence", "RMSE valence", "1", False, "", False, None),
    ("srcc", "SRCC", "3", True, "", False, None),
    ("lcc", "LCC", "3", True, "", False, None),
    ("ktau", "Kendall’s τ", "3", True, "", False, None),
    ("rmse", "RMSE", "3", False, "", False, None),
    ("chance", "Chance", "1", True, "share", False, None),
    ("always_b", "Always b", "1", True, "share", False, None),
    ("position_bias", "Position bias", "3", False, "share", False, None),
    ("acc", "Accuracy, likeliest", "1.unreadable-wrong", True, "share", True, None),
    ("acc_token", "Accuracy, per token", "1.unreadable-wrong", True, "share", True, None),
    ("acc_char", "Accuracy, per character", "1.unreadable-wrong", True, "share", True, None),
    ("acc_byte", "Accuracy, per byte", "1.unreadable-wrong", True, "share", True, None),
    ("acc_pmi", "Accuracy, PMI", "1.unreadable-wrong", True, "share", True, None),
    ("acc_whole", "Accuracy, whole text", "1.unreadable-wrong", True, "share", True, None),
    ("acc_first", "Accuracy, first token", "1.unreadable-wrong", True, "share", True, None),
    ("token_perplexity", "Token perplexity", "1", False, "points", False, None),
    ("word_perplexity", "Word perplexity", "1", False, "points", False, None),
    ("byte_perplexity", "Byte perplexity", "1", False, "points", False, None),
    ("bits_per_byte", "Bits per byte", "1", False, "", False, None),
    ("sequence_perplexity", "Sequence perplexity", "1", False, "points", False, None),
]


@pytest.mark.parametrize("row", DEFINITIONS, ids=lambda row: row[0])
def test_definitions_of_metrics_do_not_change(
    row: tuple[str, str, str, bool, str, bool, tuple[float, float] | None],
) -> None:
    name, title, version, higher_is_better, unit, is_right_or_wrong, bounds = row
    metric = METRICS.get(name)
    assert (metric.name, metric.title, metric.signature) == (name, title, f"{name}:{version}")
    assert (metric.higher_is_better, metric.unit, metric.right_or_wrong) == (higher_is_better, unit, is_right_or_wrong)
    assert metric.is_model_independent is (name in ("chance", "always_b"))
    has_ceiling = name in ("accuracy", "wa", "accuracy_closed", "top2", "top3")
    assert getattr(metric, "has_label_ceiling", False) is has_ceiling
    if bounds is not None:
        assert isinstance(metric, Bounded)
        assert metric.bounds(Sample(id="1", inputs={"choices": ["a", "b"]}, target="a")) == bounds
