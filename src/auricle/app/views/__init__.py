"""What several pages show of a run."""
