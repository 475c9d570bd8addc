"""Chat models with images, videos and audio, through transformers."""

import io
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tests.support.extras import require_extra

require_extra("transformers")

import torch
import transformers
from PIL import Image as Pillow

from auricle.core.errors import MissingExtra, SampleError, SpecError
from auricle.media import Audio, Image, Video
from auricle.models.transformers.vision_chat import VisionChat, _describe_frames
from tests.support import tiny_vision, tiny_weights
from tests.support.model_requests import answer_one_by_one, generate, likelihood
from tests.support.videos import make_video

pytestmark = pytest.mark.slow

IMAGE_MARK = "<|vision_start|><|image_pad|><|vision_end|>"
VIDEO = Video.of(make_video())
SOUND = Audio.of(tiny_weights.tone(0.5), rate=16_000)


def picture(level: int, mode: str = "RGB") -> Image:
    """Return a picture of noise, as a PNG file."""
    pixels = np.random.default_rng(level).integers(0, 255, (40, 60, len(mode)), np.uint8)
    buffer = io.BytesIO()
    Pillow.fromarray(pixels, mode=mode).save(buffer, format="PNG")
    return Image(data=buffer.getvalue())


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(tiny_vision.llava(tmp_path_factory.mktemp("llava")))


@pytest.fixture(scope="module")
def model(folder: str) -> VisionChat:
    return VisionChat(model=folder, frames=3)


def questions() -> list[Any]:
    return [
        (picture(1), "what is it?"),
        ("compare", picture(2), "with", picture(3)),
        (VIDEO, "what happens?"),
        ("no picture at all",),
    ]


def assert_equal_scores(together: list[Any], single: list[Any]) -> None:
    for first, second in zip(together, single, strict=True):
        assert first.logprobs == pytest.approx(second.logprobs, abs=1e-4)


def test_batched_answers_equal_single_answers(model: VisionChat) -> None:
    batch = [generate(*parts, max_tokens=limit) for parts, limit in zip(questions(), (9, 4, 7, 5), strict=True)]
    assert model.generate(batch) == answer_one_by_one(model.generate, batch)


def test_batched_likelihoods_equal_single_likelihoods(model: VisionChat) -> None:
    batch = [likelihood(*parts, continuation) for parts in questions() for continuation in (" sat", " on the mat")]
    assert_equal_scores(model.loglikelihood(batch), answer_one_by_one(model.loglikelihood, batch))


def test_answer_equals_that_of_transformers(model: VisionChat) -> None:
    image = picture(1)
    inputs = model.processor(
        text=[f"<s>user: {IMAGE_MARK}what is it?</s><s>assistant: "],
        images=[Pillow.open(io.BytesIO(image.read()))],
        text_kwargs={"add_special_tokens": False},
        return_tensors="pt",
    )
    with torch.inference_mode():
        row = model.model.generate(**inputs, max_new_tokens=9, do_sample=False)[0]
    read = inputs["input_ids"].shape[1]
    (answer,) = model.generate([generate(image, "what is it?", max_tokens=9)])
    assert answer.text == model.tokenizer.decode(row[read:], skip_special_tokens=True)
    assert answer.input_tokens == read


def test_answer_depends_on_the_image_and_on_the_frames(model: VisionChat, folder: str) -> None:
    first, second = model.loglikelihood([likelihood(picture(level), "what?", " cat") for level in (1, 2)])
    assert first != second
    start, end = (Video(data=VIDEO.data, start=start, end=start + 1.0) for start in (0.0, 2.0))
    first, second = model.loglikelihood([likelihood(part, "what?", " cat") for part in (start, end)])
    assert first != second


def test_video_becomes_images_in_its_place(model: VisionChat, folder: str) -> None:
    request = generate("before", VIDEO, "after", picture(1))
    expected = f"<s>user: before{IMAGE_MARK * 3}after{IMAGE_MARK}</s><s>assistant: "
    assert model.preview_request(request) == expected
    assert VisionChat(model=folder, fps=2).preview_request(generate(VIDEO)).count(IMAGE_MARK) == 6
    assert VisionChat(model=folder).preview_request(generate(VIDEO)).count(IMAGE_MARK) == 8


def test_frames_are_the_images_sent_to_a_server(model: VisionChat) -> None:
    frames = VIDEO.frames(3)
    by_video, by_image = model.loglikelihood([likelihood(VIDEO, "what?", "!"), likelihood(*frames, "what?", "!")])
    assert by_video.logprobs == pytest.approx(by_image.logprobs, abs=1e-5)


def test_transparent_image_is_converted(model: VisionChat) -> None:
    assert model.generate([generate(picture(1, "RGBA"), "what?", max_tokens=3)])[0].tokens


def test_unreadable_image_fails_its_sample(model: VisionChat) -> None:
    with pytest.raises(SampleError, match="The image in memory is not an image that Pillow can read"):
        model.generate([generate(Image(data=b"no picture"), "what?")])


def test_audio_is_refused_without_a_processor_for_it(model: VisionChat) -> None:
    with pytest.raises(SampleError, match="accepts text, images and videos, not audio"):
        model.generate([generate(SOUND, "what?")])


def test_videos_are_refused_as_videos_without_a_processor_for_them(folder: str) -> None:
    with pytest.raises(SpecError, match=r"does not take videos. Use -M video_as=images"):
        VisionChat(model=folder, video_as="video")


def test_template_without_a_place_for_images_is_refused(tmp_path: Path) -> None:
    blind = tiny_vision.TEMPLATE.replace(IMAGE_MARK, "")
    model = VisionChat(model=str(tiny_vision.llava(tmp_path, blind)))
    with pytest.raises(SpecError, match="has no place for image input"):
        model.generate([generate(picture(1), "what?")])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"frames": 0}, "vision-chat: the number of frames must be from 1"),
        ({"frames": 2, "fps": 1}, "vision-chat: set either a number of frames or fps"),
        ({"frame": 3}, "unknown option frame. Accepted: model, revision, .*frames, fps, video_as, cut_long, window"),
        ({"video_as": "film"}, "video_as must be auto or video or images, not 'film'"),
    ],
)
def test_wrong_options_are_refused(folder: str, options: Any, message: str) -> None:
    with pytest.raises(SpecError, match=message):
        VisionChat(model=folder, **options)


def test_checkpoint_without_images_suggests_other_models(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="Use -m audio-chat for models with audio input"):
        VisionChat(model=str(tiny_weights.qwen2_audio(tmp_path)))


def test_frames_are_described_with_their_times() -> None:
    described = _describe_frames(list(Video(data=VIDEO.data, start=1.0, end=2.0).iter_frames(3)))
    assert described["frames_indices"] == [0, 4, 9]
    assert described["total_num_frames"] == 10
    assert (described["fps"], described["duration"]) == pytest.approx((10.0, 1.0))


def test_missing_torchvision_names_the_extra(folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise ImportError("Qwen2VLVideoProcessor requires the Torchvision library but it was not found.")

    monkeypatch.setattr(transformers.AutoProcessor, "from_pretrained", refuse)
    with pytest.raises(MissingExtra, match=r"pip install 'auricle\[vision\]'"):
        VisionChat(model=folder)


# --- Qwen2.5-Omni without its video processor, which needs torchvision -----------------


class OmniProcessor(transformers.Qwen2_5OmniProcessor):  # type: ignore[misc]  # transformers is not typed
    """The real processor for images, audio and text; of the one for videos only a size is read."""

    def __init__(self, **parts: Any) -> None:
        self.chat_template = tiny_vision.TEMPLATE
        self.video_processor = SimpleNamespace(merge_size=2)
        for name, part in parts.items():
            setattr(self, name, part)
        for name in ("image", "audio", "video", "vision_bos", "vision_eos", "audio_bos", "audio_eos"):
            setattr(self, f"{name}_token", getattr(self.tokenizer, f"{name}_token"))


def test_model_with_images_and_audio_takes_both_and_video_frames(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    processor = OmniProcessor(
        image_processor=transformers.Qwen2VLImageProcessorPil(),
        feature_extractor=transformers.WhisperFeatureExtractor(feature_size=16),
        tokenizer=tiny_vision.vision_tokenizer(),
    )
    tiny_vision.save_omni_thinker(tmp_path, processor.tokenizer)
    monkeypatch.setattr(transformers.AutoProcessor, "from_pretrained", lambda *_, **__: processor)
    model = VisionChat(model=str(tmp_path), frames=2, video_as="images")
    questions = [(SOUND, "what?"), (picture(1), SOUND, "what?"), (VIDEO, "and", SOUND), (picture(2), "that", SOUND)]
    batch = [generate(*parts, max_tokens=4) for parts in questions]
    assert model.generate(batch) == answer_one_by_one(model.generate, batch)
    scored = [likelihood(*parts, " cat") for parts in questions]
    scores = model.loglikelihood(scored)
    assert_equal_scores(scores, answer_one_by_one(model.loglikelihood, scored))
    assert len({score.logprobs for score in scores}) == len(questions)


# --- processors that take videos ----------------------------------------------------


@pytest.mark.parametrize("family", [tiny_vision.qwen2_vl, tiny_vision.qwen2_5_omni])
def test_model_with_videos_gets_videos(tmp_path: Path, family: Any) -> None:
    require_extra("vision")
    model = VisionChat(model=str(family(tmp_path)), frames=4)
    heard = (SOUND,) if model._feature_extractor else ()
    assert "<|video_pad|>" in model.preview_request(generate(VIDEO, "what?"))
    batch = [generate(*parts, *heard, max_tokens=4) for parts in questions()]
    assert model.generate(batch) == answer_one_by_one(model.generate, batch)
    scored = [likelihood(*parts, *heard, " cat") for parts in questions()]
    assert_equal_scores(model.loglikelihood(scored), answer_one_by_one(model.loglikelihood, scored))
    as_images = VisionChat(model=str(tmp_path), frames=4, video_as="images")
    assert "<|video_pad|>" not in as_images.preview_request(generate(VIDEO, "what?"))
    assert as_images.generate(batch[2:3]) != model.generate(batch[2:3])
