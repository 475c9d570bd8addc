"""The code blocks of lmms-eval's guide run as they are; only what the guide leaves open is supplied.

The guide is read at run time; it is not part of this project.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest
from PIL import Image

from auricle.runs.run_directory import Run
from tests.support.framework_results import text_of
from tests.support.guides import guide_path, read_code_blocks

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not guide_path("lmms-eval").is_file(), reason="the guides are not beside this project"),
]

IMPORTS = """
from lmms_eval.api.instance import Instance
from lmms_eval.api.model import lmms
from lmms_eval.api.registry import register_model
"""
IMAGE_LOADERS = """
class Inputs(dict):
    def to(self, device):
        assert device == "cpu"
        return self

class Processor:
    def __call__(self, text, images, return_tensors):
        assert return_tensors == "pt"
        return Inputs(prompt=text, pixels=torch.tensor([image.size for image in images]))

    def apply_chat_template(self, messages):
        parts = [part for message in messages for part in message["content"]]
        return "".join(part.get("text", f"<{part['type']}>") for part in parts)

    def decode(self, output, skip_special_tokens):
        return output

class Weights:
    def generate(self, prompt, pixels, max_new_tokens, temperature, do_sample):
        assert not torch.is_grad_enabled()
        return [f"{prompt} {pixels.tolist()} {max_new_tokens} {temperature} {do_sample}"]

def load_your_model(pretrained):
    assert pretrained == "./weights"
    return Weights()

def load_your_processor(pretrained):
    return Processor()
"""
VIDEO_LOADER = """
import av

def count_frames(path, max_frames):
    with av.open(path) as container:
        return min(max_frames, sum(1 for _ in container.decode(video=0)))
"""
ELIDED = re.compile(r"^( *)# \.\.\.$", re.M)
LIKELIHOOD = "results.append((-float(len(doc_to_target(self.task_dict[task][split][doc_id]))), False))"
MODEL_BLOCKS = {"my_image_model": "MyImageModel", "my_video_model": "MyVideoModel", "my_audio_model": "MyAudioModel"}


def blocks(language: str = "python") -> list[str]:
    return read_code_blocks("lmms-eval", language)


def find_block(text: str) -> str:
    """Return the only block that contains a text."""
    (block,) = (block for block in blocks() if text in block)
    return block


def model_source(name: str) -> str:
    """Return a complete example of the guide with imports, loaders and the elided line."""
    block = find_block(f'@register_model("{name}")')
    loaders, elided = {
        "my_image_model": (IMAGE_LOADERS, LIKELIHOOD),
        "my_video_model": (VIDEO_LOADER, 'results.append(f"{text_prompt} {count_frames(videos[0], self.max_frames)}")'),
        "my_audio_model": ("", "results.append(f\"{text_prompt} {audios[0]['array'].shape} {self.sample_rate}\")"),
    }[name]
    source, count = ELIDED.subn(lambda match: match[1] + elided, block)
    assert count == 1
    return IMPORTS + loaders + source


def write_media(folder: Path) -> list[dict[str, Any]]:
    """Write an image, a video and a sound, and return their rows."""
    Image.new("RGB", (8, 6), "red").save(folder / "red.png")
    with av.open(str(folder / "clip.mp4"), "w") as container:
        stream = container.add_stream("mpeg4", rate=4)
        stream.width, stream.height, stream.pix_fmt = 16, 16, "yuv420p"
        for shade in range(6):
            frame = av.VideoFrame.from_ndarray(np.full((16, 16, 3), 40 * shade, np.uint8), format="rgb24")
            container.mux(stream.encode(frame))
        container.mux(stream.encode())
    return [{"image": "red.png"}, {"video": "clip.mp4"}, {"audio": "a.wav"}]


@pytest.fixture
def run_example(tmp_path: Path, tone: Any, manifest: Any, auricle: Any) -> Any:
    """Run an example of the guide on one row and return its answer."""
    tone("a.wav", seconds=0.05)
    media = dict(zip(MODEL_BLOCKS, write_media(tmp_path), strict=True))

    def run(name: str, source: str, *arguments: str) -> str:
        (tmp_path / "example.py").write_text(source)
        data = manifest([{**media[name], "question": "What is it?", "answer": "x"}])
        result = auricle(
            *("run", data, "--as", "qa", "-m", f"lmms:example.py:{MODEL_BLOCKS[name]}", "-M", "pretrained=./weights"),
            *(*arguments, "-T", "max_tokens=32", "-o", "run", "--fresh", "--json"),
        )
        assert result.returncode == 0, result.stderr
        (record,) = Run.load(tmp_path / "run").records()
        return text_of(record.outputs[0])

    return run


def test_the_image_example_runs(run_example: Any) -> None:
    source = model_source("my_image_model")
    assert run_example("my_image_model", source, "-M", "device=cpu") == "What is it? [[8, 6]] 32 0.0 False"


def test_the_image_example_may_apply_a_chat_template(run_example: Any) -> None:
    source, count = re.subn("# (text_prompt = .*)", r"\1", model_source("my_image_model"))
    assert count == 1
    answer = run_example("my_image_model", source, "-M", "device=cpu")
    assert answer == "<image>What is it? [[8, 6]] 32 0.0 False"


def test_the_image_example_answers_choices(auricle: Any, manifest: Any, tmp_path: Path) -> None:
    (tmp_path / "example.py").write_text(model_source("my_image_model"))
    rows = [{"question": "Which?", "answer": answer, "choices": ["cat", "horse"]} for answer in ("cat", "horse")]
    result = auricle(
        *("run", manifest(rows), "--as", "mcq", "-T", "inferencer=choose", "-m", "lmms:example.py:MyImageModel"),
        *("-M", "pretrained=./weights", "-M", "device=cpu", "-o", "run", "--json"),
    )
    assert result.returncode == 0, result.stderr
    (metrics,) = json.loads(result.stdout)
    numbers = {number["metric"]: number["value"] for number in metrics["numbers"]}
    assert numbers["acc"] == 0.5  # the shorter option is always the likelier one


def test_the_video_example_runs(run_example: Any) -> None:
    source = model_source("my_video_model")
    assert run_example("my_video_model", source) == "What is it? 6"
    assert run_example("my_video_model", source, "-M", "max_frames=4") == "What is it? 4"


def test_the_audio_example_runs(run_example: Any) -> None:
    assert run_example("my_audio_model", model_source("my_audio_model")) == "What is it? (800,) 16000"
