"""The cases of the comparison with AISBench cover what is reproduced."""

from scripts.aisbench_cases import EVALUATOR_CASES, POSTPROCESSOR_OPTIONS

from auricle.frameworks.aisbench.evaluators import OWN_METRICS, REJECTED
from auricle.frameworks.aisbench.postprocessors import POSTPROCESSORS
from auricle.frameworks.aisbench.scorers import SCORERS


def test_every_reproduced_evaluator_has_a_case() -> None:
    evaluators = {name.partition(".")[0] for name in SCORERS} | {*OWN_METRICS}
    assert evaluators == {case.evaluator for case in EVALUATOR_CASES} - {*REJECTED}


def test_a_seed_gives_the_same_pairs_again() -> None:
    for case in EVALUATOR_CASES:
        assert case.make_pairs(3, 5) == case.make_pairs(3, 5) != case.make_pairs(4, 5)


def test_options_belong_to_post_processors() -> None:
    assert {*POSTPROCESSOR_OPTIONS} <= {*POSTPROCESSORS}
