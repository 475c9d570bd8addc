"""Published benchmarks, read from the official archive on disk or from Hugging Face."""
