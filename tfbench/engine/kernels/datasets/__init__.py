"""Data sets as values: what the handle of a dataset op is while a run lasts, and the iterators over it."""
