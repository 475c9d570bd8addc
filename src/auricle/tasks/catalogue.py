"""Built-in tasks and inferencers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from auricle.core.registry import Builtin, Registry

_TASKS: Mapping[str, Builtin] = {
    "demo": Builtin("auricle.tasks.demo:demo", "48 synthetic sentences, clean and in noise"),
    "asr": Builtin("auricle.tasks.kinds:asr", "transcribe: any manifest, `--as asr`"),
    "translate": Builtin("auricle.tasks.kinds:translate", "speech to text in another language"),
    "mcq": Builtin("auricle.tasks.kinds:mcq", "multiple choice: any manifest, `--as mcq`"),
    "qa": Builtin("auricle.tasks.kinds:qa", "answer with a reference: `--as qa`"),
    "open": Builtin("auricle.tasks.kinds:open_ended", "answers to be judged later: `--as open`"),
    "chat": Builtin("auricle.tasks.chat:chat", "conversations, turn by turn: `--as chat`"),
    "perplexity": Builtin("auricle.tasks.kinds:perplexity", "texts foretold: `--as perplexity`"),
    "classify": Builtin("auricle.tasks.kinds:classify", "one label a clip: `--as classify`"),
    "reward": Builtin("auricle.tasks.reward.kinds:reward", "ratings: `--as reward`"),
    "preference": Builtin("auricle.tasks.reward.kinds:preference", "which of two is better: `--as preference`"),
    "cmi-rewardbench": Builtin("auricle.tasks.reward.cmi:cmi_rewardbench", "PAM, MusicEval, Music Arena and CMI-Pref"),
    "pam": Builtin("auricle.tasks.reward.cmi:pam", "music rated for quality and fit"),
    "musiceval": Builtin("auricle.tasks.reward.cmi:musiceval", "music rated for quality"),
    "musicarena": Builtin("auricle.tasks.reward.cmi:musicarena", "votes between two songs"),
    "cmi-pref": Builtin("auricle.tasks.reward.cmi:cmi_pref", "the better of two songs, and the fitter"),
    "ravdess": Builtin("auricle.tasks.emotion.ravdess:ravdess", "emotions, spoken or sung"),
    "esd": Builtin("auricle.tasks.emotion.esd:esd", "emotions in English and Mandarin"),
    "crema-d": Builtin("auricle.tasks.emotion.crema_d:crema_d", "emotions of 91 actors"),
    "tess": Builtin("auricle.tasks.emotion.tess:tess", "emotions of two women"),
    "savee": Builtin("auricle.tasks.emotion.savee:savee", "emotions of four men"),
    "emodb": Builtin("auricle.tasks.emotion.emodb:emodb", "emotions in German"),
    "iemocap": Builtin("auricle.tasks.emotion.iemocap:iemocap", "emotions in dialogue, 4 or 10"),
    "meld": Builtin("auricle.tasks.emotion.meld:meld", "emotions in television dialogue"),
    "librispeech": Builtin("auricle.tasks.benchmarks.librispeech:LIBRISPEECH", "English audiobooks, read aloud"),
    "fleurs": Builtin("auricle.tasks.benchmarks.fleurs:FLEURS", "sentences in 102 languages"),
    "common-voice": Builtin("auricle.tasks.benchmarks.common_voice:COMMON_VOICE", "sentences in any language"),
    "covost2": Builtin("auricle.tasks.benchmarks.common_voice:COVOST_2", "speech translation, 36 directions"),
    "aishell": Builtin("auricle.tasks.benchmarks.aishell:AISHELL", "Mandarin, read aloud"),
    "aishell-2": Builtin("auricle.tasks.benchmarks.aishell:AISHELL_2", "Mandarin, by three kinds of microphone"),
    "wenetspeech": Builtin("auricle.tasks.benchmarks.segments:WENETSPEECH", "Mandarin from the net and of meetings"),
    "gigaspeech": Builtin("auricle.tasks.benchmarks.segments:GIGASPEECH", "English podcasts and videos"),
    "tedlium": Builtin("auricle.tasks.benchmarks.tedlium:TEDLIUM", "English talks"),
    "voxpopuli": Builtin("auricle.tasks.benchmarks.voxpopuli:VOXPOPULI", "parliament in 16 languages"),
    "ami": Builtin("auricle.tasks.benchmarks.ami:AMI", "English meetings, near and far"),
    "earnings22": Builtin("auricle.tasks.benchmarks.earnings:EARNINGS_22", "English earnings calls, many accents"),
    "spgispeech": Builtin("auricle.tasks.benchmarks.earnings:SPGISPEECH", "English earnings calls, with punctuation"),
    "open-asr": Builtin("auricle.tasks.benchmarks.open_asr:OPEN_ASR", "the Open ASR Leaderboard's test sets"),
    "esb": Builtin("auricle.tasks.benchmarks.open_asr:ESB", "test sets of the ESB benchmark"),
    **{
        name: Builtin(f"auricle.tasks.benchmarks.{path}", about)
        for name, path, about in (
            ("mmau", "mmau:MMAU", "questions about sounds, music and speech, with options"),
            ("mmau-pro", "mmau:MMAU_PRO", "harder ones, of several and long sounds too"),
            ("mmau-pro-open", "mmau:MMAU_PRO_OPEN", "those of MMAU-Pro without options, judged"),
            ("air-bench-foundation", "questions:AIR_BENCH_FOUNDATION", "19 tasks with options"),
            ("air-bench-chat", "questions:AIR_BENCH_CHAT", "open questions on sounds, judged"),
            ("clotho-aqa", "questions:CLOTHO_AQA", "one-word answers about sounds"),
            ("meld-choice", "questions:MELD_CHOICE", "emotions of television dialogue as options"),
            ("esc50", "sounds:ESC50", "50 environmental sounds, in five folds"),
            ("gtzan", "sounds:GTZAN", "ten genres of music"),
            ("vocalsound", "sounds:VOCALSOUND", "laughter, sighs, coughs and their like"),
            ("nonspeech7k", "sounds:NONSPEECH7K", "human sounds that are not speech"),
            ("tut2017", "sounds:TUT2017", "15 acoustic scenes"),
            ("cochlscene", "sounds:COCHLSCENE", "13 acoustic scenes"),
            ("speech-commands", "sounds:SPEECH_COMMANDS", "single words: 35 classes, or 12"),
            ("clotho", "captions:CLOTHO", "sounds described, five references each"),
            ("audiocaps", "captions:AUDIOCAPS", "sounds of films described, five references each"),
            ("voicebench-alpacaeval", "voicebench:ALPACAEVAL", "spoken requests, judged"),
            ("voicebench-alpacaeval-full", "voicebench:ALPACAEVAL_FULL", "all of them, judged"),
            ("voicebench-commoneval", "voicebench:COMMONEVAL", "questions of people, judged"),
            ("voicebench-wildvoice", "voicebench:WILDVOICE", "accented requests, judged"),
            ("voicebench-openbookqa", "voicebench:OPENBOOKQA", "science, options read aloud"),
            ("voicebench-mmsu", "voicebench:MMSU", "twelve subjects, options read aloud"),
            ("voicebench-sd-qa", "voicebench:SD_QA", "spoken questions in eleven accents, judged"),
            ("voicebench-mtbench", "voicebench:MTBENCH", "spoken conversations, judged"),
            ("voicebench-ifeval", "voicebench:IFEVAL", "spoken instructions that rules check"),
            ("voicebench-bbh", "voicebench:BBH", "spoken puzzles"),
            ("voicebench-advbench", "voicebench:ADVBENCH", "harmful requests, to be refused"),
            ("openaudiobench-alpaca-eval", "openaudiobench:ALPACA_EVAL", "requests, judged"),
            ("openaudiobench-llama-questions", "openaudiobench:LLAMA_QUESTIONS", "facts, judged"),
            ("openaudiobench-trivia-qa", "openaudiobench:TRIVIA_QA", "trivia, judged"),
            ("openaudiobench-web-questions", "openaudiobench:WEB_QUESTIONS", "facts, judged"),
            ("openaudiobench-reasoning-qa", "openaudiobench:REASONING_QA", "puzzles in Chinese"),
        )
    },
}

_INFERENCERS: Mapping[str, Builtin] = {
    "respond": Builtin("auricle.tasks.inferencers:Respond", "one prompt, one answer, or several"),
    "converse": Builtin("auricle.tasks.inferencers:Converse", "a conversation, turn by turn"),
    "rounds": Builtin("auricle.tasks.inferencers:Rounds", "rounds that a function makes up"),
    "choose": Builtin("auricle.tasks.inferencers:Choose", "how likely each option is"),
    "first-token": Builtin("auricle.tasks.inferencers:FirstToken", "how likely each letter is, first"),
    "labels": Builtin("auricle.tasks.inferencers.label_prompts:LabelPrompts", "how likely each label's own prompt is"),
    "continue": Builtin("auricle.tasks.inferencers:Continue", "how likely a text is: perplexity"),
    "appraise": Builtin("auricle.tasks.inferencers:Appraise", "numbers for one sound, or for two"),
    "rate": Builtin("auricle.tasks.inferencers:Rate", "a number in words"),
    "prefer": Builtin("auricle.tasks.inferencers:Prefer", "the better of two in words, in both orders"),
    "measure": Builtin("auricle.tasks.inferencers:Measure", "named inputs in, named numbers out"),
    "compare": Builtin("auricle.tasks.inferencers:Compare", "two candidates, measured one by one"),
}

TASKS: Registry[Callable[..., Any]] = Registry("task", _TASKS)
INFERENCERS: Registry[Callable[..., Any]] = Registry("inferencer", _INFERENCERS)
task = TASKS
