# ruff: noqa - as users of other frameworks write
from zlib import crc32
import numpy as np
from core.model_abc import BenchmarkModelABC


class Baseline(BenchmarkModelABC):
    def __init__(self, checkpoint=None, device="cpu"):
        pass

    @property
    def sr(self):
        return 16_000

    def score_batch(self, inputs, batch_size, max_dur, **kwargs):
        heard = [crc32(open(each.audio, "rb").read()) % 97 for each in inputs]
        return np.array([[len(each.text), digest] for each, digest in zip(inputs, heard)])
