"""Built-in tasks and inferencers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from auricle.core.registry import Builtin, Registry

_TASK_KINDS: Mapping[str, Builtin] = {
    "asr": Builtin("auricle.tasks.kinds:asr", "speech recognition on your data (`--as asr`)"),
    "masked-words": Builtin(
        "auricle.tasks.masked_words:masked_words_task",
        "recognition of words cut out of the sound (`--as masked-words`)",
    ),
    "timestamps": Builtin(
        "auricle.tasks.timestamps:timestamps_task", "times of words and segments on your data (`--as timestamps`)"
    ),
    "meeting": Builtin("auricle.tasks.meetings:meeting", "who speaks when, and what, on your data (`--as meeting`)"),
    "translate": Builtin("auricle.tasks.translation:translate", "translation of speech or texts (`--as translate`)"),
    "mcq": Builtin("auricle.tasks.kinds:mcq", "multiple choice on your data (`--as mcq`)"),
    "qa": Builtin("auricle.tasks.kinds:qa", "questions with reference answers on your data (`--as qa`)"),
    "open": Builtin("auricle.tasks.kinds:open_ended", "open-ended answers for a judge, on your data (`--as open`)"),
    "chat": Builtin("auricle.tasks.kinds:chat", "multi-turn conversations on your data (`--as chat`)"),
    "conversation": Builtin(
        "auricle.tasks.conversations:conversation", "a scripted caller talks to a voice agent (`--as conversation`)"
    ),
    "perplexity": Builtin("auricle.tasks.kinds:perplexity", "perplexity of texts on your data (`--as perplexity`)"),
    "classify": Builtin("auricle.tasks.kinds:classify", "audio classification on your data (`--as classify`)"),
    "emotion": Builtin("auricle.tasks.kinds:emotion", "emotion recognition on your data (`--as emotion`)"),
    "tts": Builtin("auricle.tasks.speech_synthesis:tts", "speech synthesis of your texts (`--as tts`)"),
    "verify": Builtin("auricle.tasks.verification:verify", "speaker verification on your data (`--as verify`)"),
    "tag": Builtin("auricle.tasks.tagging:tag", "several labels per recording, on your data (`--as tag`)"),
    "detect": Builtin(
        "auricle.tasks.detection:detect", "sound events and speech in time, on your data (`--as detect`)"
    ),
    "reward": Builtin("auricle.tasks.reward:reward", "quality ratings on your data (`--as reward`)"),
    "preference": Builtin("auricle.tasks.reward:preference", "pairwise preferences on your data (`--as preference`)"),
}

_TASKS: Mapping[str, Builtin] = {
    **_TASK_KINDS,
    "demo": Builtin("auricle.tasks.demo:demo", "48 synthetic sentences, clean and in noise"),
    "demo-voice": Builtin("auricle.tasks.demo:demo_voice", "seven calls to a voice agent, with recorded speech"),
    "silence": Builtin("auricle.tasks.silence:silence", "40 sounds without speech, made on this machine"),
    **{
        name: Builtin(f"auricle.tasks.benchmarks.{target}", description)
        for name, target, description in (
            ("librispeech", "read_speech:LIBRISPEECH", "English audiobooks"),
            ("fleurs", "read_speech:FLEURS", "read sentences in 102 languages"),
            ("common-voice", "read_speech:COMMON_VOICE", "read sentences in many languages"),
            ("covost2", "read_speech:COVOST_2", "speech translation, 36 directions"),
            ("aishell", "read_speech:AISHELL", "read Mandarin"),
            ("aishell-2", "read_speech:AISHELL_2", "read Mandarin, three microphone channels"),
            ("wenetspeech", "spontaneous_speech:WENETSPEECH", "Mandarin from the internet and from meetings"),
            ("gigaspeech", "spontaneous_speech:GIGASPEECH", "English podcasts and videos"),
            ("tedlium", "spontaneous_speech:TEDLIUM", "English talks"),
            ("voxpopuli", "spontaneous_speech:VOXPOPULI", "European Parliament speeches in 16 languages"),
            ("ami", "spontaneous_speech:AMI", "English meetings, close and distant microphones"),
            ("earnings22", "spontaneous_speech:EARNINGS_22", "English earnings calls, many accents"),
            ("spgispeech", "spontaneous_speech:SPGISPEECH", "English earnings calls, punctuated transcripts"),
            ("open-asr", "open_asr:OPEN_ASR", "test sets of the Open ASR Leaderboard"),
            ("esb", "open_asr:ESB", "test sets of the ESB benchmark"),
            ("ravdess", "acted_emotion:RAVDESS", "emotion recognition, acted speech and song"),
            ("esd", "acted_emotion:ESD", "emotion recognition, English and Mandarin"),
            ("crema-d", "acted_emotion:CREMA_D", "emotion recognition, 91 actors"),
            ("tess", "acted_emotion:TESS", "emotion recognition, two women"),
            ("savee", "acted_emotion:SAVEE", "emotion recognition, four men"),
            ("emodb", "acted_emotion:EMODB", "emotion recognition, German"),
            ("iemocap", "dialogue_emotion:IEMOCAP", "emotion recognition in dialogue, 4 or 10 classes"),
            ("meld", "dialogue_emotion:MELD", "emotion recognition in television dialogue"),
            ("meld-choice", "dialogue_emotion:MELD_CHOICE", "emotions in television dialogue as multiple choice"),
            ("cmi-rewardbench", "cmi:CMI_REWARDBENCH", "music rewards: PAM, MusicEval, Music Arena and CMI-Pref"),
            ("pam", "cmi:PAM", "music rated for quality and prompt alignment"),
            ("musiceval", "cmi:MUSICEVAL", "music rated for quality"),
            ("musicarena", "cmi:MUSICARENA", "votes between two songs"),
            ("cmi-pref", "cmi:CMI_PREF", "preferences between two songs: quality and prompt alignment"),
            ("mmau", "audio_questions:MMAU", "multiple choice about sounds, music and speech"),
            ("mmau-pro", "audio_questions:MMAU_PRO", "harder multiple choice, with long and multiple recordings"),
            ("mmau-pro-open", "audio_questions:MMAU_PRO_OPEN", "the open-ended questions of MMAU-Pro, judged"),
            ("air-bench-foundation", "audio_questions:AIR_BENCH_FOUNDATION", "multiple choice, 19 audio tasks"),
            ("air-bench-chat", "audio_questions:AIR_BENCH_CHAT", "open questions about audio, judged"),
            ("clotho-aqa", "sounds:CLOTHO_AQA", "one-word answers about sounds"),
            ("esc50", "sounds:ESC50", "50 environmental sounds, five folds"),
            ("gtzan", "sounds:GTZAN", "ten music genres"),
            ("vocalsound", "sounds:VOCALSOUND", "laughter, sighs, coughs and other vocal sounds"),
            ("nonspeech7k", "sounds:NONSPEECH7K", "human non-speech sounds"),
            ("tut2017", "sounds:TUT2017", "15 acoustic scenes"),
            ("cochlscene", "sounds:COCHLSCENE", "13 acoustic scenes"),
            ("speech-commands", "sounds:SPEECH_COMMANDS", "single words: 35 or 12 classes"),
            ("clotho", "sounds:CLOTHO", "audio captioning, five references per clip"),
            ("audiocaps", "sounds:AUDIOCAPS", "audio captioning, five references per clip"),
            ("voicebench-alpacaeval", "voicebench:ALPACAEVAL", "spoken instructions, judged"),
            ("voicebench-alpacaeval-full", "voicebench:ALPACAEVAL_FULL", "the full set of spoken instructions, judged"),
            ("voicebench-commoneval", "voicebench:COMMONEVAL", "questions recorded by people, judged"),
            ("voicebench-wildvoice", "voicebench:WILDVOICE", "accented requests, judged"),
            ("voicebench-openbookqa", "voicebench:OPENBOOKQA", "science questions with spoken options"),
            ("voicebench-mmsu", "voicebench:MMSU", "questions from 12 subjects with spoken options"),
            ("voicebench-sd-qa", "voicebench:SD_QA", "spoken questions in 11 accents, judged"),
            ("voicebench-mtbench", "voicebench:MTBENCH", "spoken conversations, judged"),
            ("voicebench-ifeval", "voicebench:IFEVAL", "spoken instructions checked by rules"),
            ("voicebench-bbh", "voicebench:BBH", "spoken reasoning puzzles"),
            ("voicebench-advbench", "voicebench:ADVBENCH", "harmful requests that should be refused"),
            ("openaudiobench-alpaca-eval", "audio_questions:ALPACA_EVAL", "spoken instructions, judged"),
            ("openaudiobench-llama-questions", "audio_questions:LLAMA_QUESTIONS", "factual questions, judged"),
            ("openaudiobench-trivia-qa", "audio_questions:TRIVIA_QA", "trivia questions, judged"),
            ("openaudiobench-web-questions", "audio_questions:WEB_QUESTIONS", "factual questions, judged"),
            ("openaudiobench-reasoning-qa", "audio_questions:REASONING_QA", "reasoning puzzles in Chinese, judged"),
        )
    },
}

_INFERENCERS: Mapping[str, Builtin] = {
    "respond": Builtin("auricle.tasks.inferencers:Respond", "one prompt, one or several answers"),
    "speak": Builtin("auricle.tasks.inferencers:Speak", "a text to speak, once or with several seeds"),
    "converse": Builtin("auricle.tasks.inferencers:Converse", "a conversation from the data, turn by turn"),
    "rounds": Builtin("auricle.tasks.inferencers:Rounds", "a conversation whose turns a function generates"),
    "choose": Builtin("auricle.tasks.inferencers:Choose", "log-likelihood of each option"),
    "first-token": Builtin(
        "auricle.tasks.inferencers:FirstToken", "probability of each option's letter as the first token"
    ),
    "labels": Builtin("auricle.tasks.inferencers:LabelPrompts", "log-likelihood of one prompt per label"),
    "continue": Builtin("auricle.tasks.inferencers:Continue", "log-likelihood of a text, for perplexity"),
    "appraise": Builtin("auricle.tasks.inferencers:Appraise", "scores of a reward model for one recording or for two"),
    "rate": Builtin("auricle.tasks.inferencers:Rate", "a rating written as a number"),
    "prefer": Builtin("auricle.tasks.inferencers:Prefer", "the better of two recordings, asked in both orders"),
    "hold-call": Builtin("auricle.tasks.inferencers:HoldCall", "a live call with a scripted caller"),
    "stream-audio": Builtin(
        "auricle.tasks.inferencers:StreamAudio", "the recording as live audio, for streaming recognisers"
    ),
    "measure": Builtin("auricle.tasks.inferencers:Measure", "scores of a classifier or reward model"),
    "compare": Builtin("auricle.tasks.inferencers:Compare", "scores for each of two candidates"),
}

TASK_KINDS: Registry[Callable[..., Any]] = Registry("task kind", _TASK_KINDS, expects=(Callable, "a function"))
"""Tasks that fit any data file (`--as`)."""
TASKS: Registry[Callable[..., Any]] = Registry(
    "task", _TASKS, groups=("tasks", "task_kinds"), expects=(Callable, "a function")
)
INFERENCERS: Registry[Callable[..., Any]] = Registry("inferencer", _INFERENCERS)
task = TASKS
"""Register a task under a name, as a decorator of a function that returns a `Task`.

Args:
    name (str): Name for `auricle run` and `Spec`, which no other task may have.

Examples:
    >>> from auricle import Sample, Task
    >>> @task("greetings-of-this-example")
    ... def greetings() -> Task:
    ...     return Task(samples=[Sample(id="1", inputs={"text": "Say hello."}, target="hello")])
"""
