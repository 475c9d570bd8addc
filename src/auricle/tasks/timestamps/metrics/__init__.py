"""Times of words and segments: how far the boundaries that a model reports are from those of the reference."""
