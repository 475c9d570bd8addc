"""Files that the reader of a page has: data, models and runs, under the names that pages use.

Recordings are short tones whose names are their transcripts, which is what fake models answer with.
"""

from __future__ import annotations

import csv
import json
import shutil
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from auricle.cli import cli
from tests.support import miniatures_speech, paths
from tests.support.code_blocks import read_page
from tests.support.framework_results import cmi_rows
from tests.support.miniatures import write_lines, write_tone
from tests.support.miniatures_understanding import mmau

TEXTS = (
    *("the boat is late", "a small red lamp", "send it on friday", "two cups of tea"),
    *("she sold the house", "open the last door", "rain falls in may", "no one came back"),
)
FILES = ("mine", "calls", "data", "quiz", "questions", "talk", "advbench", "speech", "voxpopuli")
TRANSCRIBE = """\
from auricle import BatchModel, Generation


def transcribe(audio):
    return "hello"


class Model(BatchModel):
    def generate(self, batch):
        return [Generation(text="hello")] * len(batch)


new = transcribe
"""
CALLS = """\
kind: conversation
response_timeout: 1.5
conversations:
  - {id: hello, script: [{say: {audio: clips/call.wav, text: Hello}}]}
"""


def run_command(words: list[str], accepted: tuple[int, ...] = (0,)) -> None:
    """Run a command of `auricle` in this process, and check its exit code."""
    result = CliRunner().invoke(cli, words)
    assert result.exit_code in accepted, f"auricle {' '.join(words)}\n{result.output}\n{result.exception!r}"


def write_data(folder: Path) -> None:
    """Write rows that suit every kind of task, as JSON lines and as CSV, and what else a reader has."""
    rows = build_rows()
    for row in rows:
        write_tone(folder / row["audio"], 0.3)
    for name in FILES:
        write_rows(folder / f"{name}.jsonl", rows)
    columns = [name for name, value in rows[0].items() if isinstance(value, str)]
    write_table(folder / "mine.csv", [{name: row[name] for name in columns} for row in rows])
    write_rows(folder / "clips.jsonl", rows[:2])  # some are streamed at the pace at which they were spoken
    write_table(folder / "clips.csv", [{name: row[name] for name in columns} for row in rows[:2]])
    write_rows(folder / "texts.jsonl", [{"text": f"Track {number}.", "language": "en"} for number in range(20)])
    write_lines(folder / "mine.yaml", "kind: asr", "data: mine.jsonl", "language: en")
    write_lines(folder / "task.yaml", "kind: qa", "data: mine.jsonl")
    write_lines(folder / "calls.yaml", CALLS)
    write_lines(folder / "mine.py", TRANSCRIBE)
    write_lines(folder / "judge.py", "def judge(text: str) -> str:", "    return 'Verdict: yes'")
    write_lines(folder / "names.txt", "boat")
    write_lines(folder / "prices.yaml", "'*': {request: 0.001}")
    for name in ("one.wav", "voice.wav", "song.mp3", "7.wav", "clips/call.wav", "audio/standup.wav"):
        write_tone(folder / name, 0.3)
    for name in ("clips/one.wav", "clips/two.wav"):
        write_tone(folder / name, 5.0)
    (folder / "examples").symlink_to(paths.ROOT / "examples")


def build_rows() -> list[dict[str, Any]]:
    groups = {"accent": ("north", "south"), "source": ("human", "generated", "human"), "subset": ("clean", "noisy")}
    return [
        {
            "id": str(number),
            "audio": f"clips/{text.replace(' ', '_')}.wav",
            "text": text,
            "question": "Which?",
            "answer": "drum",
            "choices": ["violin", "drum"],
            "label": "angry",
            "score": float(number),
            "audio_b": "clips/one.wav",
            "preference": "ab"[number % 2],
            "speaker": f"speaker {number}",
            "corrected": text,
            "events": [{"onset": 0.1, "offset": 0.2, "label": "speech"}],
            **{field: values[number % len(values)] for field, values in groups.items()},
        }
        for number, text in enumerate(TEXTS)
    ]


def write_rows(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    write_lines(path, *map(json.dumps, rows))


def write_table(path: Path, rows: list[dict[str, Any]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, [*rows[0]])
        writer.writeheader()
        writer.writerows(rows)


def make_runs() -> None:
    """Make runs of recognisers that are wrong in different words."""
    task = ["mine.jsonl", "--as", "asr", "-T", "language=en", "-T", "by=subset,accent,source"]
    for number, name in enumerate(("old", "human", "generated", "both", "before", "after", "a", "b")):
        run_command(["run", *task, "-m", "echo", "-M", f"wrong=0.{9 - number}", "-o", f"runs/{name}"])
    for name in ("moonshine", "whisper"):
        run_command(["run", "mine.jsonl", "--as", "asr", "-T", "language=en", "-m", name])
    for name, reply in (("moonshine", "the birch canoe slid on the planks"), ("pocketsphinx", "the juice of lemons")):
        run_command(["run", "demo", "--limit", "9", "-m", "echo", "-M", f"reply={reply}", "-o", f"runs/demo/{name}"])
    for seconds, name in (("0.2", "voice-a"), ("0.3", "voice-b"), ("0.4", "voice-c")):
        run_command(
            ["run", "texts.jsonl", "--as", "tts", "-m", "hibari", "-M", f"seconds={seconds}", "-o", f"runs/{name}"]
        )


# --- what single pages need ---------------------------------------------------------------


def replace_run(*words: str) -> None:
    """Make the run that a page calls RUN."""
    shutil.rmtree("runs/old")
    run_command(["run", *words, "-o", "runs/old"])


def prepare_app(folder: Path) -> None:
    for name in ("data/runs", "data/speech", "models"):
        (folder / name).mkdir(parents=True)


def prepare_answers(folder: Path) -> None:
    replace_run("quiz.jsonl", "--as", "mcq", "-m", "echo", "-M", "reply=The answer is B.")


def prepare_corpora(folder: Path) -> None:
    root = folder / "data"
    for write in (miniatures_speech.librispeech, miniatures_speech.tedlium):
        write(root)
    miniatures_speech.covost(root / "covost")
    miniatures_speech.gigaspeech(root / "giga")
    write_rows(folder / "words.jsonl", build_rows())


def prepare_emotions(folder: Path) -> None:
    for name in ("human", "generated"):
        shutil.rmtree(f"runs/{name}")
    rows = [{"audio": row["audio"], "label": ("angry", "happy")[int(row["id"]) % 2]} for row in build_rows()]
    for name in ("mine", "generated"):
        write_rows(folder / f"{name}.jsonl", rows)
    for emotion in ("05", "06"):
        for actor in ("01", "02", "03", "04"):
            write_tone(folder / f"data/RAVDESS/Actor_{actor}/03-01-{emotion}-01-01-01-{actor}.wav")
    session = folder / "data/IEMOCAP_full_release/Session1"
    write_tone(session / "sentences/wav/Ses01F_impro01/Ses01F_impro01_F000.wav")
    turn = "[6.2901 - 8.2357]\tSes01F_impro01_F000\tneu\t[2.5000, 2.0000, 3.5000]"
    write_lines(session / "dialog/EmoEvaluation/Ses01F_impro01.txt", "", turn)
    for name in ("0011/Angry/test/0011_000371.wav", "0011/Sad/test/0011_001071.wav"):
        write_tone(folder / "data/ESD" / name)


def prepare_masked(folder: Path) -> None:
    span = {"text": "boat", "start": 0.1, "end": 0.2}
    write_rows(folder / "masked.jsonl", [{**build_rows()[0], "spans": [span]}])


def prepare_repeated_answers(folder: Path) -> None:
    write_rows(folder / "few.jsonl", build_rows()[:2])
    write_lines(folder / "moody.py", TRANSCRIBE.replace("class Model", "class Moody").replace("hello", "B"))


def prepare_judged(folder: Path) -> None:
    rows = [{**row, "gold": "yes"} for row in build_rows()]
    write_rows(folder / "judged.jsonl", rows)
    judge = ["-T", "metrics=judge-reference", "--judge", "judge.py:judge"]
    replace_run("judged.jsonl", "--as", "qa", "-m", "echo", *judge)
    write_table(folder / "labels.csv", [{"id": row["id"], "label": "yes"} for row in rows])


def prepare_spoken(folder: Path) -> None:
    replace_run("texts.jsonl", "--as", "tts", "-m", "hibari")
    write_lines(folder / "rate.py", "def rate(audio) -> dict:", "    return {'warmth': 3.0}")


def prepare_meetings(folder: Path) -> None:
    for name in ("meetings", "system"):
        write_lines(folder / f"{name}.rttm", "SPEAKER standup 1 0.1 0.1 <NA> <NA> anna <NA> <NA>")
        write_lines(folder / f"{name}.stm", "standup 1 anna 0.1 0.2 good morning")
    write_lines(folder / "all.uem", "standup 1 0.0 0.3")
    turn = {"session_id": "standup", "start_time": 0.1, "end_time": 0.2, "speaker": "anna", "words": "good morning"}
    (folder / "outputs").mkdir()
    write_lines(folder / "outputs" / "standup.json", json.dumps([turn]))
    with (folder / "mine.py").open("a", encoding="utf-8") as file:  # begun by the page
        file.write("\n\ndiarise = transcribe\n")


def prepare_instructions(folder: Path) -> None:
    instructions = {"instruction_id_list": ["punctuation:no_comma"], "kwargs": [{}]}
    write_rows(folder / "ifeval.jsonl", [{**row, **instructions} for row in build_rows()])


def prepare_load_tests(folder: Path) -> None:
    request = {"timestamp": 10, "input_length": 20, "output_length": 4, "hash_ids": [1]}
    write_rows(folder / "trace.jsonl", [request] * 2)
    for name in ("runs/a", "runs/b"):
        shutil.rmtree(name)
    load = ["--load", "closed:1", "--count", "4", "-o", "runs/api"]
    run_command(["perf", "mine.jsonl", "--as", "asr", "-m", "openai", *load], (0, 3))


def prepare_rewards(folder: Path) -> None:
    copy_file("coming-from/cmi-rewardbench.md", "my_model.py", folder)
    rows = [{name: value for name, value in row.items() if "predict" not in name} for row in cmi_rows()]
    (folder / "data").mkdir()
    write_rows(folder / "data/all_test.jsonl", rows)
    for name in {row[column] for row in rows for column in ("audio-path", "audio2") if row[column]}:
        write_tone(folder / "data" / name)


def prepare_words_in_time(folder: Path) -> None:
    write_rows(folder / "digits.jsonl", build_rows())
    write_lines(folder / "sentences.txt", *TEXTS[:2])


def prepare_trials(folder: Path) -> None:
    for name in ("a/1.wav", "a/2.wav", "b/1.wav"):
        write_tone(folder / name, 0.3)
    write_lines(folder / "trials.txt", "1 a/1.wav a/2.wav", "0 a/1.wav b/1.wav")
    write_lines(folder / "scores.txt", "a/1.wav a/2.wav 0.75", "a/1.wav b/1.wav -0.25")


def prepare_tracked(folder: Path) -> None:
    shutil.copytree("runs/demo/moonshine", "runs/demo-moonshine")


def prepare_several_files(folder: Path) -> None:
    for number, row in enumerate(build_rows()):
        write_rows(folder / "speech" / f"part-{number}.jsonl", [{**row, "audio": f"../{row['audio']}"}])


def prepare_columns(folder: Path) -> None:
    write_table(folder / "mine.csv", [{"Recording": row["audio"], "Transcript": row["text"]} for row in build_rows()])


def prepare_listening(folder: Path) -> None:
    mmau(folder / "data/MMAU")


def prepare_agent(folder: Path) -> None:
    copy_file("sessions.md", "agent.py", folder)


def copy_file(page: str, name: str, folder: Path) -> None:
    """Write a file that another page shows."""
    (body,) = (block.body for block in read_page(paths.DOCS / page) if block.file_name == name)
    write_lines(folder / name, body)


PRELUDES: Mapping[str, Callable[[Path], None]] = {
    "docs/app.md": prepare_app,
    "docs/add-a-dataset.md": prepare_several_files,
    "docs/audit.md": prepare_answers,
    "docs/benchmark-fitting.md": prepare_masked,
    "docs/benchmarks.md": prepare_corpora,
    "docs/configs.md": prepare_emotions,
    "docs/conversations.md": prepare_repeated_answers,
    "docs/data.md": prepare_corpora,
    "docs/emotion.md": prepare_emotions,
    "docs/faq.md": prepare_columns,
    "docs/judges.md": prepare_judged,
    "docs/listening.md": prepare_listening,
    "docs/meetings.md": prepare_meetings,
    "docs/open-answers.md": prepare_instructions,
    "docs/perf.md": prepare_load_tests,
    "docs/reward-models.md": prepare_rewards,
    "docs/reward.md": prepare_rewards,
    "docs/spoken-answers.md": prepare_spoken,
    "docs/timestamps.md": prepare_words_in_time,
    "docs/tracking.md": prepare_tracked,
    "docs/verify.md": prepare_trials,
    "docs/voice-agents.md": prepare_agent,
}
"""What the pages need besides the files that all of them have."""
