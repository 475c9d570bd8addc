"""Built-in metrics."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from auricle.core.registry import Builtin, Registry

_METRICS: Mapping[str, Builtin] = {
    "wer": Builtin("auricle.metrics.error_rates:wer", "word error rate, pooled over all samples"),
    "cer": Builtin("auricle.metrics.error_rates:cer", "character error rate, pooled over all samples"),
    "mer": Builtin("auricle.metrics.error_rates:mer", "mixed error rate: Chinese characters and Latin words"),
    "exact_match": Builtin("auricle.metrics.error_rates:exact_match", "answer equals a reference"),
    "contains": Builtin("auricle.metrics.error_rates:contains", "answer contains a reference"),
    "empty": Builtin("auricle.metrics.error_rates:empty", "share of empty answers"),
    "judge-reference": Builtin("auricle.metrics.judge:judge_reference", "judge: answer means the same as a reference"),
    "judge-choice": Builtin("auricle.metrics.judge:judge_choice", "judge: answer chooses the right option"),
    "judge-1-5": Builtin("auricle.metrics.judge:judge_1_5", "judge: quality from 1 to 5"),
    "judge-1-10": Builtin("auricle.metrics.judge:judge_1_10", "judge: quality from 1 to 10"),
    "judge-pairwise": Builtin(
        "auricle.metrics.judge:judge_pairwise", "judge: win rate against a baseline, in both orders"
    ),
    "judge-solution-1-5": Builtin(
        "auricle.metrics.judge:judge_solution_1_5", "judge: result and steps against a solution, 1 to 5"
    ),
    "refusal": Builtin("auricle.metrics.refusal:refusal", "share of refusals"),
    "ifeval": Builtin("auricle.metrics.ifeval.scores:ifeval", "IFEval: mean of the four accuracies"),
    "ifeval_prompt_strict": Builtin(
        "auricle.metrics.ifeval.scores:ifeval_prompt_strict", "IFEval: prompts with all instructions followed, strict"
    ),
    "ifeval_prompt_loose": Builtin(
        "auricle.metrics.ifeval.scores:ifeval_prompt_loose", "IFEval: prompts with all instructions followed, loose"
    ),
    "ifeval_instruction_strict": Builtin(
        "auricle.metrics.ifeval.scores:ifeval_instruction_strict", "IFEval: instructions followed, strict"
    ),
    "ifeval_instruction_loose": Builtin(
        "auricle.metrics.ifeval.scores:ifeval_instruction_loose", "IFEval: instructions followed, loose"
    ),
    "bleu": Builtin("auricle.metrics.translation:bleu", "corpus BLEU, computed with sacrebleu"),
    "bleu_char": Builtin("auricle.metrics.translation:bleu_char", "BLEU over characters, for Chinese and Japanese"),
    "bleu_zh": Builtin("auricle.metrics.translation:bleu_zh", "BLEU with sacrebleu's zh tokeniser"),
    "chrf": Builtin("auricle.metrics.translation:chrf", "corpus chrF, computed with sacrebleu"),
    "rouge_l": Builtin("auricle.metrics.captions:rouge_l", "ROUGE-L: F-measure of the longest common subsequence"),
    "cider": Builtin("auricle.metrics.captions:cider", "CIDEr-D: TF-IDF similarity of n-grams to reference captions"),
    "word_match": Builtin(
        "auricle.metrics.word_match:word_match", "answer has the words of the right option only (MMAU)"
    ),
    "option_accuracy": Builtin("auricle.metrics.labels:option_accuracy", "share of right options"),
    "accuracy": Builtin("auricle.metrics.labels:accuracy", "share of right labels"),
    **{
        name: Builtin(f"auricle.metrics.labels:{name}", summary)
        for name, summary in {
            "wa": "weighted accuracy, another name of accuracy",
            "accuracy_matched": "accuracy over samples whose label the model has",
            "accuracy_closed": "accuracy among the labels that model and task share",
            "top2": "right label is one of the two highest",
            "top3": "right label is one of the three highest",
            "uar_all": "unweighted average recall; labels the model lacks count as 0",
            "ece": "expected calibration error, 15 bins",
        }.items()
    },
    "eta2": Builtin("auricle.metrics.dimensions:eta2", "mean share of variance between labels, over all dimensions"),
    **{
        f"{name}_{dimension}": Builtin(f"auricle.metrics.dimensions:{name}_{dimension}", f"{dimension}: {summary}")
        for name, summary in {
            "eta2": "share of variance between labels",
            "ccc": "concordance with listeners' ratings",
            "pearson": "correlation with listeners' ratings",
            "rmse": "root mean squared error against listeners' ratings",
        }.items()
        for dimension in ("arousal", "dominance", "valence")
    },
    "uar": Builtin("auricle.metrics.labels:uar", "unweighted average recall"),
    "macro_f1": Builtin("auricle.metrics.labels:macro_f1", "mean F1 over classes"),
    "weighted_f1": Builtin("auricle.metrics.labels:weighted_f1", "mean F1 weighted by class size"),
    "acc": Builtin("auricle.metrics.likelihood:acc", "right option is the likeliest"),
    "acc_token": Builtin("auricle.metrics.likelihood:acc_token", "right option is the likeliest per token"),
    "acc_char": Builtin("auricle.metrics.likelihood:acc_char", "right option is the likeliest per character"),
    "acc_byte": Builtin("auricle.metrics.likelihood:acc_byte", "right option is the likeliest per byte"),
    "acc_pmi": Builtin("auricle.metrics.likelihood:acc_pmi", "right option gains most from the prompt (PMI)"),
    "acc_whole": Builtin(
        "auricle.metrics.likelihood:acc_whole", "prompt and right option have the lowest perplexity (AISBench)"
    ),
    "acc_first": Builtin("auricle.metrics.likelihood:acc_first", "letter of the right option is the likeliest token"),
    "token_perplexity": Builtin("auricle.metrics.likelihood:token_perplexity", "perplexity per token, pooled"),
    "word_perplexity": Builtin("auricle.metrics.likelihood:word_perplexity", "perplexity per word, pooled"),
    "byte_perplexity": Builtin("auricle.metrics.likelihood:byte_perplexity", "perplexity per byte, pooled"),
    "bits_per_byte": Builtin("auricle.metrics.likelihood:bits_per_byte", "bits per byte of text, pooled"),
    "sequence_perplexity": Builtin("auricle.metrics.likelihood:sequence_perplexity", "mean perplexity of the texts"),
}

METRICS: Registry[Any] = Registry("metric", _METRICS)
