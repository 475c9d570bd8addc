"""Translation of speech and texts."""

from auricle.core.features import Feature

FEATURE = Feature(
    __name__,
    "translation of speech and texts",
    metrics={
        "metrics": {
            "bleu": "corpus BLEU by sacrebleu, with the tokeniser of the language",
            "bleu_char": "BLEU over characters, for Chinese and Japanese",
            "bleu_zh": "BLEU with sacrebleu's zh tokeniser",
            "chrf": "corpus chrF, computed with sacrebleu",
            "chrf_pp": "corpus chrF++ (with word bigrams), computed with sacrebleu",
            "ter": "translation edit rate, computed with sacrebleu",
        }
    },
    more={"language_metrics": {"bleu": ("metrics:bleu", ""), "ter": ("metrics:ter", "")}},
    task_kinds={"translate": ("kind:translate", "translation of speech or texts (`--as translate`)")},
)
