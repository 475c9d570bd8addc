"""Eval scenarios of pipecat."""
