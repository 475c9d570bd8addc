"""Built-in metrics."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from auricle.core.registry import Builtin, Registry

_METRICS: Mapping[str, Builtin] = {
    "wer": Builtin("auricle.metrics.text:wer", "word error rate, pooled"),
    "cer": Builtin("auricle.metrics.text:cer", "character error rate, pooled"),
    "mer": Builtin("auricle.metrics.text:mer", "mixed error rate: Han characters, Latin words"),
    "exact_match": Builtin("auricle.metrics.text:exact_match", "the answer is a reference"),
    "contains": Builtin("auricle.metrics.text:contains", "the answer contains a reference"),
    "empty": Builtin("auricle.metrics.text:empty", "share of empty answers"),
    "judge-reference": Builtin(
        "auricle.metrics.judge:judge_reference", "judge: the answer means what a reference does"
    ),
    "judge-choice": Builtin("auricle.metrics.judge:judge_choice", "judge: the answer chooses the right option"),
    "judge-1-5": Builtin("auricle.metrics.judge:judge_1_5", "judge: how good, from 1 to 5"),
    "judge-1-10": Builtin("auricle.metrics.judge:judge_1_10", "judge: how good, from 1 to 10"),
    "judge-pairwise": Builtin("auricle.metrics.judge:judge_pairwise", "judge: better than a baseline, in both orders"),
    "judge-solution-1-5": Builtin(
        "auricle.metrics.judge:judge_solution_1_5", "judge: result and steps against a solution"
    ),
    "refusal": Builtin("auricle.metrics.refusal:refusal", "share of answers that refuse"),
    "ifeval": Builtin("auricle.metrics.ifeval.scores:ifeval", "instructions followed: mean of the four"),
    "ifeval_prompt_strict": Builtin(
        "auricle.metrics.ifeval.scores:ifeval_prompt_strict", "prompts all of whose instructions are followed"
    ),
    "ifeval_prompt_loose": Builtin(
        "auricle.metrics.ifeval.scores:ifeval_prompt_loose",
        "prompts all of whose instructions are followed, first and last lines forgiven",
    ),
    "ifeval_instruction_strict": Builtin(
        "auricle.metrics.ifeval.scores:ifeval_instruction_strict", "instructions followed, pooled"
    ),
    "ifeval_instruction_loose": Builtin(
        "auricle.metrics.ifeval.scores:ifeval_instruction_loose",
        "instructions followed, pooled, first and last lines forgiven",
    ),
    "bleu": Builtin("auricle.metrics.translation:bleu", "corpus BLEU through sacrebleu"),
    "bleu_char": Builtin("auricle.metrics.translation:bleu_char", "BLEU over characters, for Chinese and Japanese"),
    "bleu_zh": Builtin("auricle.metrics.translation:bleu_zh", "BLEU with sacrebleu's zh tokeniser"),
    "chrf": Builtin("auricle.metrics.translation:chrf", "corpus chrF through sacrebleu"),
    "rouge_l": Builtin("auricle.metrics.captions:rouge_l", "longest common subsequence, F-measure"),
    "cider": Builtin("auricle.metrics.captions:cider", "CIDEr-D: rare n-grams shared with captions"),
    "word_match": Builtin("auricle.metrics.word_match:word_match", "the right option's words and no other's (MMAU)"),
    "option_accuracy": Builtin("auricle.metrics.labels:option_accuracy", "the chosen option is the right one"),
    "accuracy": Builtin("auricle.metrics.labels:accuracy", "share of right labels"),
    **{
        name: Builtin(f"auricle.metrics.labels:{name}", about)
        for name, about in {
            "wa": "weighted accuracy: accuracy under its other name",
            "accuracy_matched": "accuracy where the model has the right label at all",
            "accuracy_closed": "accuracy, choosing among labels both sides share",
            "top2": "the right label is one of the two highest",
            "top3": "the right label is one of the three highest",
            "uar_all": "unweighted average recall; labels the model lacks count as 0",
            "ece": "expected calibration error, 15 bins",
        }.items()
    },
    "eta2": Builtin("auricle.metrics.dimensions:eta2", "how far dimensions tell labels apart"),
    **{
        f"{name}_{dimension}": Builtin(f"auricle.metrics.dimensions:{name}_{dimension}", f"{dimension}: {about}")
        for name, about in {
            "eta2": "share of its variance between labels",
            "ccc": "concordance with listeners' ratings",
            "pearson": "correlation with listeners' ratings",
            "rmse": "root mean square distance from ratings",
        }.items()
        for dimension in ("arousal", "dominance", "valence")
    },
    "uar": Builtin("auricle.metrics.labels:uar", "unweighted average recall"),
    "macro_f1": Builtin("auricle.metrics.labels:macro_f1", "F1, classes weighing the same"),
    "weighted_f1": Builtin("auricle.metrics.labels:weighted_f1", "F1, weighed by class size"),
    "acc": Builtin("auricle.metrics.likelihood:acc", "the right option is the likeliest"),
    "acc_token": Builtin("auricle.metrics.likelihood:acc_token", "the likeliest per token"),
    "acc_char": Builtin("auricle.metrics.likelihood:acc_char", "the likeliest per character"),
    "acc_byte": Builtin("auricle.metrics.likelihood:acc_byte", "the likeliest per byte"),
    "acc_pmi": Builtin("auricle.metrics.likelihood:acc_pmi", "the one the prompt makes likelier by most"),
    "acc_whole": Builtin(
        "auricle.metrics.likelihood:acc_whole",
        "smallest mean surprise of prompt and option together, as AISBench has it",
    ),
    "acc_first": Builtin("auricle.metrics.likelihood:acc_first", "its letter is the likeliest first token"),
    "token_perplexity": Builtin("auricle.metrics.likelihood:token_perplexity", "perplexity by token, pooled"),
    "word_perplexity": Builtin("auricle.metrics.likelihood:word_perplexity", "perplexity by word, pooled"),
    "byte_perplexity": Builtin("auricle.metrics.likelihood:byte_perplexity", "perplexity by byte, pooled"),
    "bits_per_byte": Builtin("auricle.metrics.likelihood:bits_per_byte", "bits a model needs for a byte of text"),
    "sequence_perplexity": Builtin("auricle.metrics.likelihood:sequence_perplexity", "mean of each text's perplexity"),
}

METRICS: Registry[Any] = Registry("metric", _METRICS)
