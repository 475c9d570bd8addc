"""Audio, images and videos: references, decoding, resampling and encoding."""

from auricle.media.media import Audio as Audio
from auricle.media.media import Image as Image
from auricle.media.media import Video as Video
