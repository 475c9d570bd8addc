"""Models that run on Hugging Face transformers."""
