"""Rows for the functions of lmms-eval are found by trial."""

import copy
from collections.abc import Sequence
from typing import Any

import pytest
from scripts.lmms_eval_reference import REPLIES, RecordingDoc, RowSearch, format_reply, kinds_for


class FakeReference:
    """A task whose YAML names one column."""

    media_works = True

    def columns_in_yaml(self) -> set[str]:
        return {"answer"}


def search() -> RowSearch:
    return RowSearch(FakeReference(), lambda value: value)  # type: ignore[arg-type]


def test_columns_are_added_when_a_function_reads_them() -> None:
    def evaluate(docs: Sequence[dict[str, Any]], is_strict: bool) -> dict[str, Any]:
        return {"texts": [copy.deepcopy(doc)["question"] + doc.get("hint") for doc in docs]}

    result = search().find(evaluate)
    assert result["rows"][0].keys() == {"answer", "question", "hint"}
    assert len(result["texts"]) == len(result["rows"])


def test_types_change_until_the_functions_accept_all_rows() -> None:
    def evaluate(docs: Sequence[dict[str, Any]], is_strict: bool) -> dict[str, Any]:
        return {"indices": [doc["choices"][doc["answer"]] for doc in docs]}

    (row, *_) = search().find(evaluate)["rows"]
    assert isinstance(row["answer"], int) or isinstance(row["choices"], dict)


def test_the_last_error_is_reported_if_no_row_is_accepted() -> None:
    def evaluate(docs: Sequence[dict[str, Any]], is_strict: bool) -> dict[str, Any]:
        raise RuntimeError("never")

    with pytest.raises(ValueError, match="RuntimeError: never"):
        search().find(evaluate)


def test_sounds_are_only_used_for_columns_that_may_be_sounds() -> None:
    assert kinds_for("audio")[0] == "audio"
    assert "audio" in kinds_for("context")
    assert "audio" not in kinds_for("question")


def test_a_doc_notes_columns_that_are_missing() -> None:
    doc = RecordingDoc({"a": 1}, set())
    assert ("a" in doc, doc.get("b"), "c" in doc) == (True, None, False)
    assert doc.missing == {"b", "c"}


@pytest.mark.parametrize("function", [*REPLIES, "other"])
def test_replies_contain_their_mark(function: str) -> None:
    assert format_reply(function, 0, 0) != format_reply(function, 1, 0)
