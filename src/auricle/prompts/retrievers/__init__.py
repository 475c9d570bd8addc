"""Who chooses examples. Each only ranks a pool; what may be shown, and how much, is not theirs."""
