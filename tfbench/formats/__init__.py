"""Bytes to values and back, one file a format. Each is imported where it is used; this file loads none."""
