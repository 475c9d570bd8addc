from pathlib import Path

import pytest

from auricle.core.errors import SpecError
from auricle.interop.kimi.datasets import find_dataset
from tests.unit.interop.kimi.evalkit_files import DATASET_CLASS

pytestmark = pytest.mark.usefixtures("evalkit_folder")


def test_a_class_that_cannot_be_imported_is_parsed() -> None:
    source = "import no_such_package\n" + DATASET_CLASS + "    LIMIT = no_such_package.limit\n"
    Path("custom.py").write_text(source.replace("almeval.datasets.ds_mqa", "nowhere"))
    assert find_dataset("custom.py:Sounds").task_metadata["task"] == "MQA"


def test_a_class_with_methods_is_not_parsed() -> None:
    Path("custom.py").write_text("import no_such_package\n" + DATASET_CLASS + "    def load_data(self, dataset): ...\n")
    with pytest.raises(SpecError, match="no_such_package"):
        find_dataset("custom.py:Sounds")
