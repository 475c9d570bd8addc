"""`auricle ask`: text output as it is, other outputs as JSON."""

import json
from pathlib import Path

from auricle.testing import FakeServer, Script
from tests.support.cli_types import RunAuricle, WriteTone
from tests.support.videos import make_video


def test_generated_text_is_printed_unchanged(auricle: RunAuricle, tone: WriteTone) -> None:
    tone("hello_there.wav")
    assert auricle("ask", "-m", "echo", "hello_there.wav").stdout == "hello there\n"


def test_prediction_is_printed_as_json(auricle: RunAuricle, tone: WriteTone) -> None:
    tone("hello_there.wav")
    done = auricle("ask", "-m", "fake-reward", "hello_there.wav", "--text", "a waltz")
    assert json.loads(done.stdout)["scale"] == "continuous"


def test_model_is_required(auricle: RunAuricle) -> None:
    done = auricle("ask", "--text", "hello")
    assert done.returncode == 2
    assert "'-m' / '--model'" in done.stderr


def test_images_and_videos_are_sent_before_the_text(auricle: RunAuricle, tone: WriteTone, tmp_path: Path) -> None:
    (tmp_path / "a.mp4").write_bytes(make_video())
    (tmp_path / "a.png").write_bytes(b"\x89PNG")
    tone("a.wav")
    with FakeServer(Script()) as server:
        words = ("ask", "-m", "openai", "-M", f"base_url={server.url}", "-M", "model=fake", "--text", "What?")
        media = ("--image", "a.png", "--video", "a.mp4", "a.wav")
        assert auricle(*words, *media).stdout.split()[::2] == ["watched", "saw", "heard"]
        assert auricle(*words, *media, "-M", "frames=2").stdout.split()[::2] == ["saw", "saw", "saw", "heard"]


def test_nothing_to_send_is_refused(auricle: RunAuricle) -> None:
    assert "Nothing to send" in auricle("ask", "-m", "echo").stderr
