"""Kernels that are compiled at run time, with the extra `fast`: faster, never needed. `tier` says how they are used."""
