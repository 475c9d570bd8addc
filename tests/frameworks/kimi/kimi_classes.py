"""Models and datasets as people write them for Kimi-Audio-Evalkit; read as files by tests."""

import wave

from loguru import logger

from ..utils.misc import print_once
from .base import BaseModel


class Listening(BaseModel):
    """By the guide: a prompt made of the message, and an answer that depends on the sound."""

    NAME = "Listening-1B"

    def __init__(self, model_path="somewhere/listening", **kwargs):
        self.model_path = model_path

    def get_prompt(self, msg):
        meta = msg["meta"]
        if meta["task"] == "ASR":
            return f"Write down the {meta['lang']} speech:"
        return msg["text"]

    def generate_inner(self, msg):
        audio = msg["audio"]
        if len(audio) == 1:
            audio = audio[0]
        prompt = self.get_prompt(msg)
        print_once(f"Prompt: {prompt}")
        with wave.open(audio) as sound:
            tenths = round(10 * sound.getnframes() / sound.getframerate())
        return prompt, f"{self.model_path} heard {tenths} tenths"


class Telling(BaseModel):
    """Answers with what it was told."""

    def generate_inner(self, msg):
        import json

        return None, json.dumps({**msg, "audio": len(msg["audio"])})


class Odd(BaseModel):
    """Does each time what its message says."""

    def generate_inner(self, msg):
        do = msg["text"]
        if do == "raise":
            raise ValueError("no such token")
        if do == "print":
            print('{"not": "a number"}')
            logger.info("said {}", "aloud")
        if do == "mutate":
            msg["meta"]["left"] = msg["audio"].pop()
            msg["meta"]["speaker"]["name"] = "nobody"
        return {
            "none": None,
            "no text": ("prompt", None),
            "three": ("prompt", "text", "more"),
            "alone": "ab",
            "number": ("prompt", 7),
        }.get(do, (do, f"done, {msg['meta'].get('left', 'nothing left')}"))


class Patient(BaseModel):
    """Has a rule of its own."""

    @staticmethod
    def check_audio_legal(audio_path, max_duration=0.2):
        return BaseModel.check_audio_legal(audio_path, max_duration)

    def generate_inner(self, msg):
        return "", "heard"


class Calling(BaseModel):
    """Has no rule at all."""

    def __call__(self, msg):
        return "", "called"


class Plain:
    """Inherits nothing."""

    def generate_inner(self, msg):
        return msg["text"], "plain"


class NoModel: ...


class Wordless(BaseModel):
    """Has nothing but the base's `generate_inner`, which only raises."""


class Quitting(BaseModel):
    def __init__(self):
        raise SystemExit(4)

    def generate_inner(self, msg):
        return "", ""
