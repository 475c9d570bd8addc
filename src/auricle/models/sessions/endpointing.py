"""Where turns of the caller begin and end, by voice activity."""

from __future__ import annotations

import importlib.util
from collections import deque
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol

from auricle.core.errors import SpecError

if TYPE_CHECKING:
    from numpy import int16
    from numpy.typing import NDArray

RATE = 16_000
SILERO_BLOCK = 512
SILERO_CONTEXT = 64
"""Samples of the previous block that the model needs before each block."""
SILERO_THRESHOLD = 0.5
ENERGY_BLOCK = 320
ENERGY_THRESHOLD = 10 ** (-40 / 20)
"""Root mean square of a block with speech, relative to full scale."""


class VoiceDetector(Protocol):
    """Decides for one block of audio after another whether it contains speech."""

    block_size: int

    def detect(self, block: NDArray[int16]) -> bool: ...


class EnergyDetector:
    """Takes everything above -40 dBFS for speech."""

    block_size = ENERGY_BLOCK

    def detect(self, block: NDArray[int16]) -> bool:
        import numpy as np

        return float(np.sqrt(np.mean(np.square(block, dtype=np.float64)))) > ENERGY_THRESHOLD * 32_768


class SileroDetector:
    """Silero's voice activity detection, run with onnxruntime.

    Args:
        session: The loaded model; many detectors may share it.
    """

    block_size = SILERO_BLOCK

    def __init__(self, session: Any) -> None:
        import numpy as np

        self._session = session
        self._state = np.zeros((2, 1, 128), np.float32)
        self._context = np.zeros(SILERO_CONTEXT, np.float32)

    def detect(self, block: NDArray[int16]) -> bool:
        return self.measure(block.astype("float32") / 32_768) > SILERO_THRESHOLD

    def measure(self, block: NDArray[Any]) -> float:
        """Return the probability of speech in a block of samples between -1 and 1."""
        import numpy as np

        samples = np.concatenate([self._context, block.astype(np.float32)])
        self._context = samples[-SILERO_CONTEXT:]
        inputs = {"input": samples[None, :], "state": self._state, "sr": np.array(RATE, np.int64)}
        probability, self._state = self._session.run(None, inputs)
        return float(probability[0, 0])


class DetectorFactory:
    """Creates a voice detector per call.

    Args:
        kind: `silero`, `energy`, or `auto` for Silero if the packages silero-vad and onnxruntime are installed.

    Raises:
        SpecError: if Silero is asked for and not installed.
    """

    def __init__(self, kind: Literal["auto", "silero", "energy"] = "auto") -> None:
        path = find_silero()
        if kind not in ("auto", "silero", "energy"):
            raise SpecError(f"Unknown voice activity detection {kind!r}. Expected auto, silero or energy.")
        if kind == "silero" and path is None:
            raise SpecError("Silero needs two packages: pip install onnxruntime; pip install --no-deps silero-vad.")
        self._session = None if kind == "energy" or path is None else load_onnx(path)
        self.name = "energy" if self._session is None else "silero"

    def create(self) -> VoiceDetector:
        return EnergyDetector() if self._session is None else SileroDetector(self._session)


def find_silero() -> Path | None:
    """Return the file of the model, without importing its package, which imports torch."""
    spec = importlib.util.find_spec("silero_vad")
    if spec is None or spec.origin is None or importlib.util.find_spec("onnxruntime") is None:
        return None
    path = Path(spec.origin).parent / "data" / "silero_vad.onnx"
    return path if path.is_file() else None


def load_onnx(path: Path) -> Any:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


@dataclass(frozen=True)
class SpeechStart:
    """Speech began at a position of the audio, in seconds."""

    position: float


@dataclass(frozen=True)
class SpeechEnd:
    """Speech ended at a position of the audio, in seconds; the turn is complete."""

    position: float
    samples: NDArray[int16] = field(repr=False, compare=False)
    """The turn, with a little audio before it."""


class Endpointer:
    """Divides audio at 16 kHz into turns.

    Args:
        detector: What decides whether a block is speech.
        stop_seconds: Silence that ends a turn.
        start_seconds: Speech that begins one; shorter sounds are ignored.
        keep_seconds: Audio before its start that belongs to a turn.
    """

    def __init__(
        self,
        detector: VoiceDetector,
        *,
        stop_seconds: float = 0.6,
        start_seconds: float = 0.1,
        keep_seconds: float = 0.3,
    ) -> None:
        import numpy as np

        self._detector = detector
        seconds_per_block = detector.block_size / RATE
        self._stop_blocks = max(1, round(stop_seconds / seconds_per_block))
        self._start_blocks = max(1, round(start_seconds / seconds_per_block))
        self._before: deque[NDArray[int16]] = deque(maxlen=self._start_blocks + round(keep_seconds / seconds_per_block))
        self._rest = np.zeros(0, np.int16)
        self._turn: list[NDArray[int16]] = []
        self._blocks = 0
        self._voiced = 0
        self._silent = 0

    def push(self, samples: NDArray[int16]) -> list[SpeechStart | SpeechEnd]:
        """Take further audio, and return which turns began and ended in it."""
        import numpy as np

        self._rest = np.concatenate([self._rest, samples])
        size, boundaries = self._detector.block_size, []
        while len(self._rest) >= size:
            block, self._rest = self._rest[:size], self._rest[size:]
            self._blocks += 1
            if (boundary := self._push_block(block)) is not None:
                boundaries.append(boundary)
        return boundaries

    def end_turn(self) -> SpeechEnd | None:
        """End the turn here, if there is one."""
        import numpy as np

        if not self._turn:
            return None
        end = SpeechEnd(self._position(self._silent), np.concatenate([*self._turn, self._rest]))
        self._turn, self._silent, self._voiced = [], 0, 0
        self._before.clear()
        return end

    def _push_block(self, block: NDArray[int16]) -> SpeechStart | SpeechEnd | None:
        is_speech = self._detector.detect(block)
        if not self._turn:
            self._before.append(block)
            self._voiced = self._voiced + 1 if is_speech else 0
            if self._voiced < self._start_blocks:
                return None
            self._turn, self._silent = list(self._before), 0
            return SpeechStart(self._position(self._voiced))
        self._turn.append(block)
        self._silent = 0 if is_speech else self._silent + 1
        return self.end_turn() if self._silent >= self._stop_blocks else None

    def _position(self, blocks_ago: int) -> float:
        return (self._blocks - blocks_ago) * self._detector.block_size / RATE
