from pathlib import Path

import pytest

from auricle.core.errors import SpecError
from auricle.engine.catalogue import TASKS
from tests.frameworks.lmms.task_files import MULTIPLE_CHOICE, TASK_YAML, build_lmms_task, first_requests


def test_a_missing_module_is_reported_with_the_yaml(folder: Path) -> None:
    with pytest.raises(SpecError, match=r"task\.yaml: there is no nowhere\.py in the same folder"):
        build_lmms_task(folder, "doc_to_text: !function nowhere.text\n")


@pytest.mark.parametrize(
    ("added", "message"),
    [
        ("output_type: generate_until_agentic\n", "unsupported output_type generate_until_agentic"),
        ("num_fewshot: 2\n", "unsupported field num_fewshot: choose examples with `shots`"),
        ("full_docs: true\n", "unsupported field full_docs"),
        ("repeats: 5\n", "unsupported field repeats"),
        ("process_results: null\nmetric_list: [{metric: anls}]\n", "unsupported metric anls"),
        ("metric_list: [{metric: plain, aggregation: bleu}]\n", "unknown aggregation bleu of plain"),
        ("filter_list: [{name: a, filter: [{function: map}]}]\n", "unknown filter map"),
        (f"{MULTIPLE_CHOICE}metric_list: [{{metric: f1}}]\n", "unsupported metric f1 of likelihoods"),
        ("process_results: !function utils.absent\n", "has no function 'absent'"),
        ("process_results: !function absent.fn\n", "There is no module 'absent'"),
        ("process_results: !function fn\n", "Expected FILE.FUNCTION"),
        ("dataset_kwargs: {data_files: [a, b]}\n", "does not name a single file for the split 'test'"),
        ("dataset_path: null\n", "missing field dataset_path"),
        ("dataset_path: audiofolder\n", "unsupported dataset_path audiofolder"),
        ("dataset_path: lab/it\n", "unsupported field dataset_kwargs.data_files"),
        ("generation_kwargs: 3\n", "generation_kwargs should be a mapping"),
        ("include: [: [\n", "is not valid YAML"),
        ("include: task.yaml\n", "form a cycle"),
    ],
)
def test_unsupported_fields_are_rejected(folder: Path, added: str, message: str) -> None:
    text = added if "include" in added else TASK_YAML
    with pytest.raises(SpecError, match=message.replace("[", r"\[")):
        build_lmms_task(folder, "" if "include" in added else added, text=text)


def test_files_of_a_checkout_import_each_other(folder: Path) -> None:
    tasks = folder / "lmms_eval" / "tasks"
    (tasks / "mine").mkdir(parents=True)
    (tasks / "__init__.py").write_text("raise RuntimeError('this need not be run')")
    (tasks / "shared.py").write_text(
        f"with open({str(tasks / 'read')!r}, 'a') as file:\n    file.write('r')\n\n\n"
        "def doc_to_text(doc, *_):\n    return 'shared'\n"
    )
    (tasks / "mine" / "utils.py").write_text("""
from lmms_eval.tasks.shared import doc_to_text


def target(doc):
    return doc["answer"]
""")
    for name, function in (("near", "utils"), ("far", "lmms_eval.tasks.shared")):
        (tasks / "mine" / f"{name}.yaml").write_text(
            f"dataset_path: json\ntest_split: test\ndoc_to_text: !function {function}.doc_to_text\n"
            f"doc_to_target: {'!function utils.target' if name == 'near' else 'answer'}\n"
        )
        task = TASKS.get(f"lmms:{tasks / 'mine' / name}.yaml")(data=str(folder / "rows.jsonl"))
        assert first_requests(task)[0].turns[0].parts == ("shared",)
    assert (tasks / "read").read_text() == "rr"  # once per file, not per doc
