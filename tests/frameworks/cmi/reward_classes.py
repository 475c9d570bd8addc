"""Reward model classes written as CMI-RewardBench's guide shows."""

import json
from pathlib import Path
from typing import Any

INHERITING = """
from typing import Any, List

import numpy as np

from core.model_abc import BenchmarkBatchInput, BenchmarkModelABC


class MyBaseline(BenchmarkModelABC):
    def __init__(
        self, checkpoint: str, device: str = "cuda:0", key: str = "", log: str = ""
    ) -> None:
        self.made = {"checkpoint": checkpoint, "device": device, "key": key}
        self.log = log

    @property
    def sr(self) -> int:
        return 24000

    def score_batch(
        self, inputs: List[BenchmarkBatchInput], batch_size: int, max_dur: float, **kwargs: Any
    ) -> np.ndarray:
        note(self, inputs, batch_size, max_dur, kwargs)
        return np.array([[len(x.text), len(x.lyrics)] for x in inputs], dtype=np.float32)
"""
NOTE = '''

def note(self, inputs, batch_size, max_dur, kwargs):
    """Log the arguments of the call for the test."""
    import json
    import os
    import wave

    if not self.log:
        return
    told = [x.to_dict() for x in inputs]
    there = [os.path.exists(x["audio"]) for x in told]
    seconds = []
    for each in told:
        for path in (each["audio"], each["ref_audio"]):
            if path and path.endswith(".wav"):
                with wave.open(path) as sound:
                    seconds.append(sound.getnframes() / sound.getframerate())
    with open(self.log, "a") as file:
        about = {"made": self.made, "inputs": told, "there": there, "seconds": seconds}
        about |= {"kind": type(inputs[0]).__module__}
        about |= {"batch_size": batch_size, "max_dur": max_dur, "kwargs": kwargs}
        file.write(json.dumps(about) + "\\n")
'''
DUCK = """
class Duck:
    sr = 16000

    def __init__(self, checkpoint, device, answer=((0.5, 0.25),), **rest):
        self.answer = answer

    def score_batch(self, inputs, batch_size, max_dur, **kwargs):
        return {made}
"""
CUSTOM = (
    """from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

_benchmark_dir = Path(__file__).resolve().parent.parent
if str(_benchmark_dir) not in sys.path:
    sys.path.insert(0, str(_benchmark_dir))
"""
    + INHERITING
)


def inheriting(path: Path) -> Path:
    """Write a class that inherits from the benchmark's base class."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(INHERITING + NOTE)
    return path


def duck(path: Path, made: str = "[[0.5, 0.25] for _ in inputs]", before: str = "") -> Path:
    """Write a class without a base class that returns the expression `made`."""
    path.write_text(before + DUCK.replace("{made}", made))
    return path


def in_custom_models(folder: Path) -> Path:
    """Write a class in the folder of the guide, which puts the parent folder on `sys.path`."""
    path = folder / "custom_models" / "my_model.py"
    path.parent.mkdir(parents=True)
    path.write_text(CUSTOM + NOTE)
    return path


def checkout(folder: Path) -> Path:
    """Write the parts of the benchmark's repository that models use."""
    (folder / "core").mkdir(parents=True)
    (folder / "baselines").mkdir()
    for package in ("core", "baselines"):
        (folder / package / "__init__.py").write_text("")
    (folder / "core" / "model_abc.py").write_text(
        "from abc import ABC\nfrom dataclasses import asdict, dataclass\n"
        "@dataclass\nclass BenchmarkBatchInput:\n"
        "    audio: str\n    text: str = ''\n    lyrics: str = ''\n    ref_audio: object = None\n"
        "    def to_dict(self):\n        return asdict(self)\n"
        "class BenchmarkModelABC(ABC):\n    REAL = True\n"
    )
    (folder / "core" / "model_interface.py").write_text(
        "from dataclasses import dataclass\n"
        "from core.model_abc import BenchmarkModelABC\n"
        "@dataclass\nclass RewardModelAdapterConfig:\n"
        "    checkpoint: str\n    config: str = None\n    device: str = 'cuda:0'\n"
        "    mode: str = 'final'\n    init_kwargs: dict = None\n"
        "class RewardModelAdapter(BenchmarkModelABC):\n"
        "    sr = 24000\n"
        "    def __init__(self, cfg):\n"
        "        from baselines.inference import RewardModelInference\n"
        "        self._impl = RewardModelInference(checkpoint=cfg.checkpoint, config=cfg.config,\n"
        "            device=cfg.device, mode=cfg.mode, **(cfg.init_kwargs or {}))\n"
        "    def score_batch(self, inputs, batch_size, max_dur, **kwargs):\n"
        "        return self._impl.score_batch(inputs=[x.to_dict() for x in inputs],\n"
        "            batch_size=batch_size, max_dur=max_dur, **kwargs)\n"
    )
    (folder / "baselines" / "inference.py").write_text(
        "class RewardModelInference:\n"
        "    def __init__(self, checkpoint, config, device, mode, bf16=True):\n"
        "        self.weight = {'final': 1.0, 'standard': 2.0}[mode] + (0 if bf16 else 10)\n"
        "    def score_batch(self, inputs, batch_size, max_dur):\n"
        "        return [[self.weight, max_dur] for each in inputs]\n"
    )
    return folder


def calls(log: str | Path) -> list[dict[str, Any]]:
    """Return the logged arguments of each call."""
    return [json.loads(line) for line in Path(log).read_text().splitlines()]
