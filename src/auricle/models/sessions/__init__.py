"""Live sessions: the caller's side of a call, and the clients of realtime protocols."""
