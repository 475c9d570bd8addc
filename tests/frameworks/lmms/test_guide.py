"""The code blocks of lmms-eval's guide run as they are; only what the guide leaves open is supplied.

The guide is read at run time; it is not part of this project.
"""

from __future__ import annotations

import json
import re
import subprocess
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest
from PIL import Image

from auricle.frameworks.lmms import resolve_model_class
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
INTERFACE = "    #...\n    def loglikelihood"
ECHO = "return [request.args[0] for request in requests]"
MODELS = ("my_image_model", "my_video_model", "my_audio_model")


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
def model_file(tmp_path: Path) -> Path:
    """The file of a new chat model in a fork, which the commands of the guide create."""
    (commands,) = (block for block in blocks("sh") if "touch" in block)
    for name in ("chat", "simple"):
        (tmp_path / "lmms_eval" / "models" / name).mkdir(parents=True)
    commands = commands.replace("<my_model_filename>", "my_model_filename")
    subprocess.run(["sh", "-ec", commands], cwd=tmp_path, check=True)
    return tmp_path / "lmms_eval" / "models" / "chat" / "my_model_filename.py"


@pytest.fixture
def ask(manifest: Any, auricle: Any) -> Any:
    """Ask a model one question on the command line, and return its answer."""

    def ask(model: str, *arguments: str, **row: str) -> str:
        data = manifest([{"question": "What is it?", "answer": "x", **row}])
        result = auricle(
            *("run", data, "--as", "qa", "-m", model, *arguments),
            *("-T", "max_tokens=32", "-o", "run", "--fresh", "--json"),
        )
        assert result.returncode == 0, result.stderr
        (record,) = Run.load(data.parent / "run").records()
        return text_of(record.outputs[0])

    return ask


@pytest.fixture
def run_example(tmp_path: Path, tone: Any, model_file: Path, ask: Any) -> Any:
    """Run an example of the guide by its registered name, on one row, and return its answer."""
    tone("a.wav", seconds=0.05)
    media = dict(zip(MODELS, write_media(tmp_path), strict=True))

    def run(name: str, source: str, *arguments: str) -> str:
        model_file.write_text(source)
        answer: str = ask(f"lmms:{name}", "-M", "pretrained=./weights", *arguments, **media[name])
        return answer

    return run


def test_every_code_block_of_the_guide_is_covered() -> None:
    """Those in Python all run here; the other block of shell commands fetches and installs lmms-eval."""
    texts = (*MODELS, "<name1>", "from .my_model_filename", INTERFACE)
    assert {find_block(text) for text in texts} == {*blocks()}
    assert len(blocks("sh")) == 2


def test_the_image_example_runs(run_example: Any) -> None:
    source = model_source("my_image_model")
    assert run_example("my_image_model", source, "-M", "device=cpu") == "What is it? [[8, 6]] 32 0.0 False"


def test_the_image_example_may_apply_a_chat_template(run_example: Any) -> None:
    source, count = re.subn("# (text_prompt = .*)", r"\1", model_source("my_image_model"))
    assert count == 1
    answer = run_example("my_image_model", source, "-M", "device=cpu")
    assert answer == "<image>What is it? [[8, 6]] 32 0.0 False"


def test_the_image_example_answers_choices(auricle: Any, manifest: Any, model_file: Path) -> None:
    model_file.write_text(model_source("my_image_model"))
    rows = [{"question": "Which?", "answer": answer, "choices": ["cat", "horse"]} for answer in ("cat", "horse")]
    result = auricle(
        *("run", manifest(rows), "--as", "mcq", "-T", "inferencer=choose", "-m", "lmms:my_image_model"),
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


def test_the_interface_of_the_guide_runs(ask: Any, model_file: Path) -> None:
    bodies = iter(["return [(-1.0, True) for _ in requests]", ECHO])
    source, count = re.subn(r"^ {8}#\.\.\.$", lambda _: f"        {next(bodies)}", find_block(INTERFACE), flags=re.M)
    assert count == 2
    model_file.write_text(IMPORTS + source)
    assert ask(f"lmms:{model_file}") == "What is it?"


@pytest.mark.parametrize(("body", "is_chat"), [("", False), ("    is_simple = False\n", True)])
def test_a_class_is_registered_under_several_names(ask: Any, model_file: Path, body: str, is_chat: bool) -> None:
    block = re.sub("<(name.)>", r"\1", find_block("<name1>"))
    method = f"    def generate_until(self, requests):\n        {ECHO}\n"
    model_file.write_text(f"from lmms_eval.api.model import lmms as LM\n{block}\n{body}{method}")
    answers = {ask(f"lmms:{name}") for name in ("name1", "name2")}
    assert answers == {"What is it?"}
    model = resolve_model_class(str(model_file))()
    assert model._is_chat is is_chat


def test_a_class_may_be_imported_in_the_package_of_models(ask: Any, model_file: Path) -> None:
    models = model_file.parents[1]
    for folder in (models.parent, models):
        (folder / "__init__.py").touch()
    (models / "__init__.py").write_text(find_block("from .my_model_filename"))
    source = re.sub("^class .*", "class MyCustomLM(lmms):", model_source("my_audio_model"), flags=re.M)
    (models / "my_model_filename.py").write_text(source.replace("audios[0]['array'].shape", "audios"))
    assert ask("lmms:lmms_eval.models:MyCustomLM", "-M", "pretrained=x") == "What is it? [] 16000"


def test_the_examples_need_no_installation_of_lmms_eval(run_example: Any) -> None:
    assert find_spec("lmms_eval") is None
    assert run_example("my_audio_model", model_source("my_audio_model"), "-M", "sample_rate=8000").endswith(" 8000")
