"""slim's readers of data: Examples in files, as items by name."""
