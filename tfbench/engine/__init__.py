"""The engine: graphs, operations, passes, plans, sessions. It knows nothing of notebooks and pictures."""
