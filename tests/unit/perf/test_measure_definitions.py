from auricle.perf.measure_definitions import COST_MEASURES, POOLED_MEASURES, REQUEST_DEFINITIONS, RUN_DEFINITIONS


def test_names_of_request_and_run_measures_do_not_overlap() -> None:
    assert not REQUEST_DEFINITIONS.keys() & RUN_DEFINITIONS.keys()
    assert REQUEST_DEFINITIONS.keys() >= POOLED_MEASURES
    assert RUN_DEFINITIONS.keys() >= {*COST_MEASURES}


def test_every_definition_has_a_text() -> None:
    assert all(definition.text for definition in (*REQUEST_DEFINITIONS.values(), *RUN_DEFINITIONS.values()))


def test_names_end_in_their_unit() -> None:
    for name, definition in {**REQUEST_DEFINITIONS, **RUN_DEFINITIONS}.items():
        if definition.unit == "s":
            assert name.endswith("_s"), name
        if definition.unit == "share":
            assert name.endswith(("_share", "_attainment")), name
