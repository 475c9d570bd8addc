"""What comes with the package: names, where each thing stands, and a line about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Builtin:
    """Where a built-in stands, and a line about it that costs no import."""

    path: str
    about: str


TASKS: Mapping[str, Builtin] = {
    "demo": Builtin("auricle.tasks.demo:demo", "48 synthetic sentences, clean and in noise"),
    "asr": Builtin("auricle.tasks.kinds:asr", "transcribe: any manifest, `--as asr`"),
    "mcq": Builtin("auricle.tasks.kinds:mcq", "multiple choice: any manifest, `--as mcq`"),
    "qa": Builtin("auricle.tasks.kinds:qa", "answer with a reference: `--as qa`"),
    "open": Builtin("auricle.tasks.kinds:open_ended", "answers to be judged later: `--as open`"),
    "chat": Builtin("auricle.tasks.chat:chat", "conversations, turn by turn: `--as chat`"),
    "perplexity": Builtin("auricle.tasks.kinds:perplexity", "texts foretold: `--as perplexity`"),
    "classify": Builtin("auricle.tasks.kinds:classify", "one label a clip: `--as classify`"),
    "reward": Builtin("auricle.tasks.reward.generic:reward", "ratings: `--as reward`"),
    "preference": Builtin(
        "auricle.tasks.reward.generic:preference", "which of two is better: `--as preference`"
    ),
    "cmi-rewardbench": Builtin(
        "auricle.tasks.reward.cmi:cmi_rewardbench", "PAM, MusicEval, Music Arena and CMI-Pref"
    ),
    "pam": Builtin("auricle.tasks.reward.cmi:pam", "music rated for quality and fit"),
    "musiceval": Builtin("auricle.tasks.reward.cmi:musiceval", "music rated for quality"),
    "musicarena": Builtin("auricle.tasks.reward.cmi:musicarena", "votes between two songs"),
    "cmi-pref": Builtin(
        "auricle.tasks.reward.cmi:cmi_pref", "the better of two songs, and the fitter"
    ),
    "ravdess": Builtin("auricle.tasks.emotion.ravdess:ravdess", "emotions, spoken or sung"),
    "esd": Builtin("auricle.tasks.emotion.esd:esd", "emotions in English and Mandarin"),
    "crema-d": Builtin("auricle.tasks.emotion.crema_d:crema_d", "emotions of 91 actors"),
    "tess": Builtin("auricle.tasks.emotion.tess:tess", "emotions of two women"),
    "savee": Builtin("auricle.tasks.emotion.savee:savee", "emotions of four men"),
    "emodb": Builtin("auricle.tasks.emotion.emodb:emodb", "emotions in German"),
    "iemocap": Builtin("auricle.tasks.emotion.iemocap:iemocap", "emotions in dialogue, 4 or 10"),
    "meld": Builtin("auricle.tasks.emotion.meld:meld", "emotions in television dialogue"),
}

MODELS: Mapping[str, Builtin] = {
    "moonshine": Builtin(
        "auricle.models.moonshine:Moonshine", "Moonshine tiny-en, CPU, weights in the wheel"
    ),
    "pocketsphinx": Builtin(
        "auricle.models.pocketsphinx:PocketSphinx", "PocketSphinx en-us, CPU, weights inside"
    ),
    "faster-whisper": Builtin(
        "auricle.models.faster_whisper:FasterWhisper", "Whisper in CTranslate2's form"
    ),
    "vosk": Builtin("auricle.models.vosk:Vosk", "Vosk's Kaldi recognisers, CPU"),
    "vllm": Builtin("auricle.models.vllm:VLLM", "vLLM's offline engine on this machine"),
    "openai": Builtin(
        "auricle.models.openai:OpenAI", "chat over an OpenAI-compatible API: vLLM, SGLang, …"
    ),
    "azure": Builtin("auricle.models.openai:Azure", "the same behind Azure"),
    "vllm-chat": Builtin(
        "auricle.models.vllm_chat:VLLMChat", "chat at a vLLM server, with likelihoods"
    ),
    "completions": Builtin(
        "auricle.models.completions:Completions", "a bare text continued, at /v1/completions"
    ),
    "transcription": Builtin(
        "auricle.models.transcription:Transcription", "OpenAI's transcription endpoint"
    ),
    "gemini": Builtin("auricle.models.gemini:Gemini", "Gemini's generateContent"),
    "whisper": Builtin(
        "auricle.models.transformers.whisper:Whisper", "any Whisper checkpoint, local weights"
    ),
    "ctc": Builtin(
        "auricle.models.transformers.ctc:Ctc", "wav2vec 2.0, HuBERT, WavLM; local weights"
    ),
    "audio-chat": Builtin(
        "auricle.models.transformers.audio_chat:AudioChat",
        "chat models that hear (Qwen2-Audio, …); local weights",
    ),
    "causal": Builtin(
        "auricle.models.transformers.causal:Causal", "language models, text only; local weights"
    ),
    "emotion2vec": Builtin(
        "auricle.models.emotion2vec:Emotion2vec", "emotion2vec+ through FunASR: nine emotions"
    ),
    "audeering": Builtin(
        "auricle.models.transformers.audeering:Audeering",
        "arousal, dominance and valence by wav2vec 2.0; local weights",
    ),
    "audio-classification": Builtin(
        "auricle.models.transformers.audio_classification:AudioClassification",
        "any classifier of sounds in transformers; local weights",
    ),
    "clap": Builtin(
        "auricle.models.transformers.clap:Clap", "how well sound and text agree; local weights"
    ),
    "plcmos": Builtin(
        "auricle.models.mos:Plcmos", "speech quality after lost packets, CPU, weights inside"
    ),
    "dnsmos": Builtin(
        "auricle.models.mos:Dnsmos", "speech quality in noise: P.835 and P.808, weights inside"
    ),
    "cmi-rm": Builtin("auricle.compat.cmi:CmiRewardModel", "CMI-RM, by your own checkout"),
    "echo": Builtin("auricle.models.fake:Echo", "fake, batched: repeats text and file names"),
    "fake-api": Builtin("auricle.models.fake:FakeApi", "fake, async: delays, faults, errors"),
    "fake-labels": Builtin("auricle.models.fake:FakeLabels", "fake classifier probabilities"),
    "fake-reward": Builtin("auricle.models.fake:FakeReward", "fake raw reward scores"),
}


INFERENCERS: Mapping[str, Builtin] = {
    "respond": Builtin("auricle.infer:Respond", "one prompt, one answer, or several"),
    "converse": Builtin("auricle.infer:Converse", "a conversation, turn by turn"),
    "rounds": Builtin("auricle.infer:Rounds", "rounds that a function makes up"),
    "choose": Builtin("auricle.infer:Choose", "how likely each option is"),
    "first-token": Builtin("auricle.infer:FirstToken", "how likely each letter is, first"),
    "labels": Builtin(
        "auricle.compat.aisbench.labels:Labels", "how likely each label's own prompt is"
    ),
    "continue": Builtin("auricle.infer:Continue", "how likely a text is: perplexity"),
    "appraise": Builtin("auricle.infer:Appraise", "numbers for one sound, or for two"),
    "rate": Builtin("auricle.infer:Rate", "a number in words"),
    "prefer": Builtin("auricle.infer:Prefer", "the better of two in words, in both orders"),
    "measure": Builtin("auricle.infer:Measure", "named inputs in, named numbers out"),
    "compare": Builtin("auricle.infer:Compare", "two candidates, measured one by one"),
}

METRICS: Mapping[str, Builtin] = {
    "wer": Builtin("auricle.metrics.text:wer", "word error rate, pooled"),
    "cer": Builtin("auricle.metrics.text:cer", "character error rate, pooled"),
    "mer": Builtin("auricle.metrics.text:mer", "mixed error rate: Han characters, Latin words"),
    "exact_match": Builtin("auricle.metrics.text:exact_match", "the answer is a reference"),
    "contains": Builtin("auricle.metrics.text:contains", "the answer contains a reference"),
    "empty": Builtin("auricle.metrics.text:empty", "share of empty answers"),
    "judge-reference": Builtin(
        "auricle.metrics.judge:judge_reference", "judge: the answer means what a reference does"
    ),
    "judge-choice": Builtin(
        "auricle.metrics.judge:judge_choice", "judge: the answer chooses the right option"
    ),
    "judge-1-5": Builtin("auricle.metrics.judge:judge_1_5", "judge: how good, from 1 to 5"),
    "judge-1-10": Builtin("auricle.metrics.judge:judge_1_10", "judge: how good, from 1 to 10"),
    "judge-pairwise": Builtin(
        "auricle.metrics.judge:judge_pairwise", "judge: better than a baseline, in both orders"
    ),
    "refusal": Builtin("auricle.metrics.refusal:refusal", "share of answers that refuse"),
    "ifeval": Builtin(
        "auricle.metrics.ifeval.scores:ifeval", "instructions followed: mean of the four"
    ),
    "ifeval_prompt_strict": Builtin(
        "auricle.metrics.ifeval.scores:ifeval_prompt_strict",
        "prompts all of whose instructions are followed",
    ),
    "ifeval_prompt_loose": Builtin(
        "auricle.metrics.ifeval.scores:ifeval_prompt_loose",
        "prompts all of whose instructions are followed, first and last lines forgiven",
    ),
    "ifeval_instruction_strict": Builtin(
        "auricle.metrics.ifeval.scores:ifeval_instruction_strict",
        "instructions followed, pooled",
    ),
    "ifeval_instruction_loose": Builtin(
        "auricle.metrics.ifeval.scores:ifeval_instruction_loose",
        "instructions followed, pooled, first and last lines forgiven",
    ),
    "bleu": Builtin("auricle.metrics.translation:bleu", "corpus BLEU through sacrebleu"),
    "chrf": Builtin("auricle.metrics.translation:chrf", "corpus chrF through sacrebleu"),
    "option_accuracy": Builtin(
        "auricle.metrics.labels:option_accuracy", "the chosen option is the right one"
    ),
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
        f"{name}_{dimension}": Builtin(
            f"auricle.metrics.dimensions:{name}_{dimension}", f"{dimension}: {about}"
        )
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
    "acc_pmi": Builtin(
        "auricle.metrics.likelihood:acc_pmi", "the one the prompt makes likelier by most"
    ),
    "acc_whole": Builtin(
        "auricle.metrics.likelihood:acc_whole",
        "smallest mean surprise of prompt and option together, as AISBench has it",
    ),
    "acc_first": Builtin(
        "auricle.metrics.likelihood:acc_first", "its letter is the likeliest first token"
    ),
    "token_perplexity": Builtin(
        "auricle.metrics.likelihood:token_perplexity", "perplexity by token, pooled"
    ),
    "word_perplexity": Builtin(
        "auricle.metrics.likelihood:word_perplexity", "perplexity by word, pooled"
    ),
    "byte_perplexity": Builtin(
        "auricle.metrics.likelihood:byte_perplexity", "perplexity by byte, pooled"
    ),
    "bits_per_byte": Builtin(
        "auricle.metrics.likelihood:bits_per_byte", "bits a model needs for a byte of text"
    ),
    "sequence_perplexity": Builtin(
        "auricle.metrics.likelihood:sequence_perplexity", "mean of each text's perplexity"
    ),
}

RETRIEVERS: Mapping[str, Builtin] = {
    "zero": Builtin("auricle.prompts.retrievers.plain:Zero", "no examples"),
    "first": Builtin("auricle.prompts.retrievers.plain:First", "the first rows of the pool"),
    "random": Builtin(
        "auricle.prompts.retrievers.plain:Random", "drawn from the seed and the sample's id"
    ),
    "fixed": Builtin("auricle.prompts.retrievers.plain:Fixed", "the same for all, by ids"),
    "balanced": Builtin(
        "auricle.prompts.retrievers.plain:Balanced", "as many of each label as of any other"
    ),
    "sliding": Builtin("auricle.prompts.retrievers.plain:Sliding", "the rows just before"),
    "bm25": Builtin("auricle.prompts.retrievers.words:Bm25", "those sharing most words"),
    "dense": Builtin(
        "auricle.prompts.retrievers.nearest:Dense", "the nearest by an encoder of sound or text"
    ),
    "diverse": Builtin(
        "auricle.prompts.retrievers.nearest:Diverse", "near to the sample, unlike each other"
    ),
}

ENCODERS: Mapping[str, Builtin] = {
    "logmel": Builtin(
        "auricle.prompts.retrievers.encoders:logmel", "how a recording sounds; no model"
    ),
    "text": Builtin(
        "auricle.prompts.retrievers.encoders:Text",
        "text:MODEL, mean over tokens; local weights",
    ),
    "audio": Builtin(
        "auricle.prompts.retrievers.encoders:Sound",
        "audio:MODEL, mean over time; local weights",
    ),
}
