"""Weights on this machine, loaded through Hugging Face transformers: one short file a family."""
