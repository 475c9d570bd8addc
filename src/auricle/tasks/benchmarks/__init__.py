"""Published benchmarks: from Hugging Face, or from the official archive on this disk."""
