"""The tasks that come with the package."""

from __future__ import annotations

from collections.abc import Mapping

from auricle.catalogue.builtin import Builtin

TASKS: Mapping[str, Builtin] = {
    "demo": Builtin("auricle.tasks.demo:demo", "48 synthetic sentences, clean and in noise"),
    "asr": Builtin("auricle.tasks.kinds:asr", "transcribe: any manifest, `--as asr`"),
    "translate": Builtin("auricle.tasks.kinds:translate", "speech to text in another language"),
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
    "librispeech": Builtin(
        "auricle.tasks.benchmarks.librispeech:LIBRISPEECH", "English audiobooks, read aloud"
    ),
}
