"""Audio, images and videos: references, decoding, resampling and encoding."""

from auricle.audio.media import Audio as Audio
from auricle.audio.media import Image as Image
from auricle.audio.media import Video as Video
