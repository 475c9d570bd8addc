"""16-bit PCM audio, also in base64 as realtime protocols transport it."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from auricle.models.http.fields import InvalidField
from auricle.models.http.media import encode_base64

if TYPE_CHECKING:
    from numpy import float32, int16
    from numpy.typing import NDArray


def to_int16(samples: NDArray[float32]) -> NDArray[int16]:
    """Convert samples in -1..1 to 16 bits."""
    import numpy as np

    return np.rint(samples * 32_768).clip(-32_768, 32_767).astype(np.int16)


def encode_pcm(samples: NDArray[int16]) -> bytes:
    """Return samples as base64 of little-endian PCM."""
    little_endian = samples if sys.byteorder == "little" else samples.byteswap()
    return encode_base64(little_endian.tobytes())


def append_message(samples: NDArray[int16]) -> bytes:
    """Return the message of OpenAI and vLLM for a frame of the caller's audio; fifty of them are sent per second."""
    return b'{"type":"input_audio_buffer.append","audio":"' + encode_pcm(samples) + b'"}'


class PcmDecoder:
    """Decodes the parts of a stream of PCM audio.

    A part may end in the middle of a sample; the other half then begins the next part of the same item.
    """

    def __init__(self) -> None:
        self._half_samples: dict[str, bytes] = {}

    def decode(self, data: str, item: str) -> NDArray[int16]:
        """Return the samples of a part.

        Raises:
            InvalidField: The data are not base64.
        """
        import numpy as np
        from pybase64 import b64decode

        try:
            content = self._half_samples.pop(item, b"") + b64decode(data, validate=True)
        except ValueError as error:  # also binascii.Error, and text that is not ASCII
            raise InvalidField("expected audio in base64") from error
        if len(content) % 2:
            self._half_samples[item] = content[-1:]
            content = content[:-1]
        return np.frombuffer(content, dtype="<i2").astype(np.int16, copy=False)

    def has_half_sample(self, item: str) -> bool:
        """Return whether the last part of an item ended in the middle of a sample."""
        return item in self._half_samples
