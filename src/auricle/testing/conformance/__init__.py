"""Check that a model does what the engine and the metrics rely on."""
