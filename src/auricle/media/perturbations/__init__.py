"""Change a recording in a controlled way: noise, reverberation, codecs, packet loss and the like.

A perturbation changes decoded mono audio. All it draws at random comes from a generator that is seeded by the sample
and the kind of perturbation, so that a sample always gets the same noise, whatever its level.
"""
