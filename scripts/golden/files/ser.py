import soundfile
from models.base import BaseModelWrapper


class Loudness(BaseModelWrapper):
    name, output_type, labels = "Loudness", "probabilities", ["angry", "neutral"]

    def load(self):
        pass

    def predict(self, audio_path):
        loud = float(abs(soundfile.read(audio_path)[0]).max())
        return {"labels": self.labels, "scores": [loud, 1 - loud]}


class Dimensions(BaseModelWrapper):
    name, output_type = "Dimensions", "dimensional"

    def load(self):
        pass

    def predict(self, audio_path):
        sound = soundfile.read(audio_path)[0]
        loud, bright = float(abs(sound).mean()), float(abs(sound[1:] - sound[:-1]).mean())
        return {"dimensions": {"arousal": loud, "valence": bright, "dominance": loud * bright}}
