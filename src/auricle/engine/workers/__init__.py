"""Models in other processes: senders, replicas, other Pythons and Ray."""
