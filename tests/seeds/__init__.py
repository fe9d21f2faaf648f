"""Every example and claim of the three documents tfbench grew from."""
