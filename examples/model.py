"""A model can be a class of five lines or a plain function.

auricle run data.jsonl --as asr -m examples/model.py:Shouting
auricle run data.jsonl --as asr -m examples/model.py:seconds_in_words
auricle run data.jsonl --as classify -m examples/model.py:loudness
"""

from collections.abc import Sequence

from auricle import Audio, BatchModel, Generate, Generation, Prediction


class Shouting(BatchModel):
    """Repeat every question in upper case."""

    def generate(self, batch: Sequence[Generate]) -> list[Generation]:
        return [Generation(text=str(request.turns[-1].parts[-1]).upper()) for request in batch]


def seconds_in_words(audio: Audio) -> str:
    """Return text; the parameters name the inputs."""
    return f"{audio.seconds:.0f} seconds"


def loudness(audio: Audio) -> Prediction:
    """Return numbers as a prediction on a declared scale."""
    level = float(abs(audio.decode(16_000)).max())
    return Prediction(values={"loud": level, "quiet": 1 - level}, scale="probability")
