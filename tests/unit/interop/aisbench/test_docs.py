"""The page for people who come from AISBench: every name is on it, and everything on it works."""

import ast
import re
import shlex
import shutil
from typing import Any

import pytest
from click.testing import CliRunner

from auricle.cli import cli
from auricle.runs.run_directory import Run
from auricle.testing.fake_server import FakeServer
from tests.support import paths

PAGE = paths.DOCS / "coming-from-aisbench.md"
TEXT = PAGE.read_text(encoding="utf-8")
NAMES = str.split("""
Inferencer GenInferencer MultiTurnGenInferencer PPLInferencer BaseApiInferencer BaseLocalInferencer
MyCustomApiInferencer MyCustomLocalInferencer MyCustomInferencer MyDataset BaseRetriever
ZeroRetriever PromptTemplate do_request token_bucket session batch_inference datum get_data_list
__init__ model_cfg batch_size mode output_json_filepath save_every kwargs model.generate
max_out_len parse_template parse_stream_response retriever.retrieve retriever.generate_ice
retriever.generate_prompt_for_generate_task gen_field_replace_token retriever.get_gold_ans
retriever.dataset_reader.get_max_out_len retriever.dataset.abbr status_counter.post rev failed
finish case_finish output_handler.report_cache_info report_cache_info_sync
ICL_INFERENCERS.register_module __init__.py uuid.uuid4() copy.deepcopy(data) self.logger DataLoader
BoundedSemaphore aiohttp.ClientSession prompt index data_abbr gold RequestOutput .uuid .success
GenInferencerOutputHandler PPLInferencerOutputHandler perf_mode mode="infer" mode="perf" infer_cfg
prompt_template retriever inferencer reader_cfg eval_cfg template.round role="HUMAN" {question}
\\boxed{} meta_template configs/datasets every last every_with_gt
""")
SENTENCES = (
    "Local inferencers usually don't support performance mode",
    "Local models use unified max_out_len",
    "Dataset-specified max_out_len has highest priority",
)
MODES = ("all", "infer", "eval", "viz", "judge", "infer_judge", "perf", "perf_viz")
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.S | re.M)
SERVER = "http://127.0.0.1:8000/v1"
KEPT = ("first", "later", "loaded")


def blocks(language: Any) -> Any:
    return [body for found, body in BLOCK.findall(TEXT) if found == language]


def rows() -> Any:
    """The cells of every row of every table that has a status."""
    lines = [line for line in TEXT.splitlines() if line.startswith("| ") and line.endswith(" |")]
    return [re.split(r"(?<!\\) \| ", line.strip("| ")) for line in lines]


def files() -> Any:
    """What the page says is in which file: named above a block, or in its first line."""
    named = re.findall(r"`([\w.]+)`:?\n\n```\w+\n(.*?)^```$", TEXT, re.S | re.M)
    coded = [(re.match(r"# (\w+\.py)", body).group(1), body) for body in blocks("python")]
    return dict(named + coded)


def commands() -> Any:
    """Every command on the page, in its order."""
    found = []
    for line in BLOCK.sub(lambda block: block[2] if block[1] == "sh" else "", TEXT).splitlines():
        if line.startswith("auricle "):
            found.append(line)
        elif line.startswith("| "):
            found += re.findall(r"`(auricle [^`]+)`", line)
    return found


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("page")
    for name, body in files().items():
        (folder / name).write_text(body, encoding="utf-8")
    return folder


def test_the_page_says_what_is_in_every_file_it_uses() -> None:
    assert {"questions.jsonl", "talk.jsonl", "quiz.jsonl", "few.yaml", "my_custom.py"} <= {*files()}


def test_every_command_of_the_page_runs(place: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(place)
    said = commands()
    assert len(said) > 40
    with FakeServer() as server:
        for command in said:
            for old in (place / "runs").glob("*"):
                if old.name not in KEPT:
                    shutil.rmtree(old)
            words = shlex.split(command.replace(SERVER, server.url))[1:]
            done = CliRunner().invoke(cli, words)
            assert done.exit_code == 0, f"{command}\n{done.output}\n{done.exception!r}"


def test_code_within_tables_is_python() -> None:
    for cells in rows():
        for code in re.findall(r"`([^`]+)`", cells[2]) if len(cells) == 4 else []:
            if not code.startswith("auricle "):
                within = f"async def f():\n    {code}" if not code.startswith("@") else f"{code}\ndef f(): ..."
                ast.parse(within)


@pytest.mark.parametrize("name", NAMES)
def test_every_name_of_the_guide_is_on_the_page(name: Any) -> None:
    assert name in TEXT


@pytest.mark.parametrize("sentence", SENTENCES)
def test_what_the_guide_says_of_local_models_is_answered(sentence: Any) -> None:
    assert sentence in TEXT


@pytest.mark.parametrize("mode", MODES)
def test_every_mode_has_its_command(mode: Any) -> None:
    (row,) = [cells for cells in rows() if cells[0] == f"`{mode}`"]
    assert row[1].startswith("`auricle ")


def test_every_row_says_whether_it_is_done() -> None:
    tables = TEXT[TEXT.index("## Every name of the guide") : TEXT.index("## What is different")]
    lines = [line for line in tables.splitlines() if line.startswith("| ") and "|---" not in line]
    told = [line for line in lines if not line.endswith("| |")]
    assert len(told) > 50
    assert all(line.endswith("| done |") for line in told)


def test_examples_written_here_are_short() -> None:
    own = [body for body in blocks("python") if re.match(r"# my_\w+\.py: ", body)]
    assert len(own) == 4
    assert all(len(body.splitlines()) <= 20 for body in own)


def test_a_row_s_own_limit_has_the_last_word_on_local_models(place: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(place)
    shown = CliRunner().invoke(
        cli, ["preview", "questions.jsonl", "--as", "qa", "-m", "echo", "-n", "2", "-T", "max_tokens=9"]
    )
    assert "max_tokens=9," in shown.output
    assert "max_tokens=64," in shown.output


def test_the_prompt_is_kept_whole_in_the_run(place: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(place)
    said = ["run", "questions.jsonl", "--as", "qa", "-m", "echo", "-T", "prompt=Say: {question}"]
    CliRunner().invoke(cli, [*said, "-o", "runs/kept"])
    assert "Say: {question}" in Run.load(place / "runs" / "kept").spec["identity"]["inferencer"]
