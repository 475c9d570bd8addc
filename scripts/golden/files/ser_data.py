# ruff: noqa - as users of other frameworks write
from pathlib import Path
from datasets.base import BaseDataset


class Folders(BaseDataset):
    name, emotion_labels = "Folders", ["neutral", "angry"]

    def load(self, data_dir):
        self.files = sorted(Path(data_dir).rglob("*.wav"))

    def __iter__(self):
        return ((str(path), path.parent.name) for path in self.files)

    def __len__(self):
        return len(self.files)
