"""The trackers that Auricle knows, and the log of finished runs."""
