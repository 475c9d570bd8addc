"""Questions with answers: references, options, conversations, likelihoods and instructions."""

from auricle.core.features import Feature

FEATURE = Feature(
    __name__,
    "questions with answers: references, options, conversations, likelihoods and instructions",
    metrics={
        "refusal": {"refusal": "share of refusals"},
        "ifeval.scores": {
            "ifeval": "IFEval: mean of the four accuracies",
            "ifeval_prompt_strict": "IFEval: prompts with all instructions followed, strict",
            "ifeval_prompt_loose": "IFEval: prompts with all instructions followed, loose",
            "ifeval_instruction_strict": "IFEval: instructions followed, strict",
            "ifeval_instruction_loose": "IFEval: instructions followed, loose",
        },
        "captions": {
            "rouge_l": "ROUGE-L: F-measure of the longest common subsequence",
            "cider": "CIDEr-D: TF-IDF similarity of n-grams to reference captions",
        },
        "likelihood": {
            "acc": "right option is the likeliest",
            "acc_token": "right option is the likeliest per token",
            "acc_char": "right option is the likeliest per character",
            "acc_byte": "right option is the likeliest per byte",
            "acc_pmi": "right option gains most from the prompt (PMI)",
            "acc_whole": "prompt and right option have the lowest perplexity (AISBench)",
            "acc_first": "letter of the right option is the likeliest token",
            "token_perplexity": "perplexity per token, pooled",
            "word_perplexity": "perplexity per word, pooled",
            "byte_perplexity": "perplexity per byte, pooled",
            "bits_per_byte": "bits per byte of text, pooled",
            "sequence_perplexity": "mean perplexity of the texts",
        },
    },
    task_kinds={
        "mcq": ("kinds:mcq", "multiple choice on your data (`--as mcq`)"),
        "qa": ("kinds:qa", "questions with reference answers on your data (`--as qa`)"),
        "open": ("kinds:open_ended", "open-ended answers for a judge, on your data (`--as open`)"),
        "chat": ("kinds:chat", "multi-turn conversations on your data (`--as chat`)"),
        "perplexity": ("kinds:perplexity", "perplexity of texts on your data (`--as perplexity`)"),
    },
    inferencers={
        "choose": ("inferencers:Choose", "log-likelihood of each option"),
        "first-token": ("inferencers:FirstToken", "probability of each option's letter as the first token"),
        "labels": ("inferencers:LabelPrompts", "log-likelihood of one prompt per label"),
        "continue": ("inferencers:Continue", "log-likelihood of a text, for perplexity"),
    },
    headlines={"likelihood": ("acc", "token_perplexity", "word_perplexity")},
)
