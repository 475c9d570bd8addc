"""Families of conditions, from the easiest level to the hardest."""

from auricle.studies.audiogram.families import list_families


def test_levels_are_ordered_from_the_easiest_whatever_their_order_and_direction() -> None:
    conditions = ("noise:snr=0", "noise:snr=20", "reverb:t60=0.9", "reverb:t60=0.3", "codec:opus@6k", "codec:opus@24k")
    noise, reverb, codec = list_families({condition: condition for condition in conditions})
    assert (noise.levels, noise.unit, noise.is_harder_if_higher, noise.clean_level) == ((20.0, 0.0), "dB", False, None)
    assert (reverb.levels, reverb.is_harder_if_higher, reverb.clean_level) == ((0.3, 0.9), True, 0.0)
    assert (codec.name, codec.levels, codec.is_logarithmic) == ("codec:opus", (24.0, 6.0), True)
    assert noise.parts == ("noise:snr=20", "noise:snr=0")


def test_levels_on_both_sides_of_the_clean_one_are_two_families() -> None:
    names = ("gain:db=-20", "gain:db=10", "gain:db=-40")
    quieter, louder = list_families({name: name for name in names})
    assert (quieter.name, quieter.levels, quieter.is_harder_if_higher) == ("gain below 0", (-20.0, -40.0), False)
    assert (louder.name, louder.levels, louder.is_harder_if_higher) == ("gain above 0", (10.0,), True)


def test_conditions_without_a_level_and_chains_are_families_of_their_own() -> None:
    names = ("band:low=300", "noise:snr=5+reverb:t60=0.3", "noise:snr=5")
    families = list_families({name: name for name in names})
    assert [family.name for family in families] == ["band:low=300", "noise+reverb:t60=0.3", "noise"]
