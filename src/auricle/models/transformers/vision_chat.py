"""Chat models with images and videos: Qwen2-VL to Qwen3-VL, Qwen2.5-Omni, LLaVA, LLaVA-OneVision, Gemma 3.

-m vision-chat -M model=Qwen/Qwen2.5-VL-7B-Instruct -M frames=16

Works with any model whose processor has a chat template and takes images. A video is given as a video if the processor
takes videos, and as one image per frame otherwise. Models that also listen, such as Qwen2.5-Omni, take audio as well.
"""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal, get_args

from auricle.core.errors import MissingExtra, SampleError, SpecError
from auricle.core.types import Generate, Generation, Likelihood, LogLikelihood, Part, Request, Turn
from auricle.media import Audio, Image, Video
from auricle.media.video import FrameSampling, VideoFrame
from auricle.models.base import answer_in_groups
from auricle.models.request_input import parse_frame_sampling, sample_frames
from auricle.models.transformers.audio_chat import AudioChat
from auricle.models.transformers.base import LocalModel

DEFAULT_FRAMES = 8
VISION_PACKAGES = re.compile(r"torchvision|\bPIL\b|Pillow", re.IGNORECASE)
VideoForm = Literal["auto", "video", "images"]


class VisionChat(AudioChat):
    """A chat model with text, image, video and audio input, as far as its processor takes them, and text output."""

    listing = replace(
        LocalModel.listing,
        group="Chat and language",
        architectures=("VLForConditionalGeneration", "OmniForConditionalGeneration"),
    )
    name = "vision-chat"
    batch_size = 1

    def __init__(
        self, *, frames: int | None = None, fps: float | None = None, video_as: VideoForm = "auto", **options: Any
    ) -> None:
        """Load the model.

        Args:
            frames: Number of frames sampled from each video. Default: 8, unless `fps` is set.
            fps: Frames sampled per second, instead of a fixed number.
            video_as: Give a video as a video or as one image per frame. Default: a video if the processor takes one.
            **options: Options of the model `audio-chat`.
        """
        self._sampling = parse_frame_sampling(self.name, frames, fps) or FrameSampling(DEFAULT_FRAMES)
        if video_as not in get_args(VideoForm):
            raise SpecError(f"{self.name}: video_as must be {' or '.join(get_args(VideoForm))}, not {video_as!r}.")
        self._video_form = video_as
        self._rendered_kinds: set[type[Part]] = set()
        super().__init__(**options)

    def load(self) -> None:
        try:
            super().load()
        except SpecError as error:
            if isinstance(error.__cause__, ImportError) and VISION_PACKAGES.search(str(error.__cause__)):
                raise MissingExtra(f"The processor of {self.weights.model}", "vision") from error
            raise
        if not self._has_chat_template:
            raise SpecError(f"{self.weights.model} has no chat template. Serve the model and use -m openai.")

    def _check_processor(self) -> None:
        if self.tokenizer is None or getattr(self.processor, "image_processor", None) is None:
            raise SpecError(
                f"{self.weights.model} has no processor for both text and images. Use -m audio-chat for models with "
                "audio input, and -m causal for text-only models."
            )
        takes_videos = getattr(self.processor, "video_processor", None) is not None
        if self._video_form == "video" and not takes_videos:
            raise SpecError(f"{self.weights.model} does not take videos. Use -M video_as=images.")
        self._uses_videos = takes_videos and self._video_form != "images"

    def generate_batch(self, batch: Sequence[Generate]) -> list[Generation]:
        requests = [replace(request, turns=self._with_frames(request.turns)) for request in batch]
        answer = super().generate_batch
        return answer_in_groups(requests, _media_groups(requests), lambda _, group: answer(group))

    def loglikelihood(self, batch: Sequence[LogLikelihood]) -> list[Likelihood]:
        requests = [replace(request, turns=self._with_frames(request.turns)) for request in batch]
        score = super().loglikelihood
        return answer_in_groups(requests, _media_groups(requests), lambda _, group: score(group))

    def preview_request(self, request: Request) -> str:
        if not isinstance(request, (Generate, LogLikelihood)):
            return ""
        return super().preview_request(replace(request, turns=self._with_frames(request.turns)))

    def _with_frames(self, turns: Sequence[Turn]) -> tuple[Turn, ...]:
        """Replace videos by images of their frames, unless the processor takes videos."""
        if self._uses_videos:
            return tuple(turns)
        return tuple(
            replace(turn, parts=tuple(expanded for part in turn.parts for expanded in self._expand_part(part)))
            for turn in turns
        )

    def _expand_part(self, part: Part) -> Sequence[Part]:
        return sample_frames(part, self._sampling) if isinstance(part, Video) else [part]

    def _media_inputs(self, conversations: Sequence[Sequence[Turn]]) -> dict[str, Any]:
        conversation_parts = [[part for turn in turns for part in turn.parts] for turns in conversations]
        images = [[_open_image(part) for part in parts if isinstance(part, Image)] for parts in conversation_parts]
        videos = [part for parts in conversation_parts for part in parts if isinstance(part, Video)]
        return {
            **super()._media_inputs(conversations),
            **({"images": images} if any(images) else {}),
            **(self._video_inputs(videos) if videos else {}),
        }

    def _video_inputs(self, videos: Sequence[Video]) -> dict[str, Any]:
        """Return the frames of videos with their times, which some models read."""
        import numpy as np

        clips = [list(video.iter_frames(self._sampling.count, fps=self._sampling.fps)) for video in videos]
        options = {
            "do_sample_frames": False,
            "video_metadata": [_describe_frames(clip) for clip in clips],
            "fps": len(clips[0])
            / _describe_frames(clips[0])["duration"],  # read by Omni models instead of the metadata
        }
        return {"videos": [np.stack([frame.pixels for frame in clip]) for clip in clips], "videos_kwargs": options}

    def _render_prompt(self, turns: Sequence[Turn]) -> str:
        """Render the chat template, and check once per kind of media that it has a place in the prompt."""
        prompt = super()._render_prompt(turns)
        kinds = {type(part) for turn in turns for part in turn.parts if not isinstance(part, str)}
        for kind in kinds - self._rendered_kinds:
            others = [
                replace(turn, parts=tuple(part for part in turn.parts if type(part) is not kind)) for turn in turns
            ]
            if super()._render_prompt(others) == prompt:
                raise SpecError(
                    f"The chat template of {self.weights.model} has no place for {kind.__name__.lower()} input. "
                    "Give videos as images with -M video_as=images, or serve the model and use -m openai."
                )
            self._rendered_kinds.add(kind)
        return prompt

    def _content_part(self, part: Part) -> dict[str, Any]:
        if isinstance(part, Audio) and self._feature_extractor is None:
            raise SampleError("this model accepts text, images and videos, not audio")
        if isinstance(part, (Image, Video)):
            kind = type(part).__name__.lower()
            return {"type": kind, kind: part.uri or kind}
        return super()._content_part(part)


def _media_groups(requests: Sequence[Request]) -> list[tuple[Any, ...]]:
    """Group requests with the same kinds of media; videos are processed one by one, because their rates differ."""
    groups: list[tuple[Any, ...]] = []
    for index, request in enumerate(requests):
        kinds = sorted({type(part).__name__ for part in request.media})
        groups.append((*kinds, index) if "Video" in kinds else tuple(kinds))
    return groups


def _describe_frames(frames: Sequence[VideoFrame]) -> dict[str, Any]:
    """Describe sampled frames as transformers does, counted from the first one."""
    first, last = frames[0], frames[-1]
    total = last.index - first.index + 1
    rate = (total - 1) / (last.seconds - first.seconds) if total > 1 else 1.0
    return {
        "total_num_frames": total,
        "fps": rate,
        "duration": total / rate,
        "frames_indices": [frame.index - first.index for frame in frames],
    }


def _open_image(image: Image) -> Any:
    """Open an image with Pillow, upright and in RGB."""
    from PIL import Image as Pillow
    from PIL import ImageOps, UnidentifiedImageError

    content = image.read()
    try:
        return ImageOps.exif_transpose(Pillow.open(io.BytesIO(content))).convert("RGB")
    except (UnidentifiedImageError, OSError, ValueError, Pillow.DecompressionBombError) as error:
        raise SampleError(
            f"{image.uri or 'The image in memory'} is not an image that Pillow can read: {error}"
        ) from error
