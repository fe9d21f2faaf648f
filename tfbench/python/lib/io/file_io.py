"""`tensorflow.python.lib.io.file_io`: the functions of `tf.gfile` under their inner names."""

from __future__ import annotations

from typing import Any

from tfbench import gfile

__all__ = [
    "FileIO", "copy", "create_dir", "delete_file", "delete_recursively", "file_exists", "get_matching_files",
    "is_directory", "list_directory", "read_file_to_string", "recursive_create_dir", "rename", "stat", "walk",
    "write_string_to_file",
]  # fmt: skip

FileIO = gfile.GFile
copy = gfile.Copy
create_dir = gfile.MkDir
delete_file = gfile.Remove
delete_recursively = gfile.DeleteRecursively
file_exists = gfile.Exists
get_matching_files = gfile.Glob
is_directory = gfile.IsDirectory
list_directory = gfile.ListDirectory
recursive_create_dir = gfile.MakeDirs
rename = gfile.Rename
stat = gfile.Stat
walk = gfile.Walk


def read_file_to_string(filename: Any, binary_mode: bool = False) -> Any:
    """All of a file: text, or (`binary_mode`) bytes."""
    with FileIO(filename, "rb" if binary_mode else "r") as file:
        return file.read()


def write_string_to_file(filename: Any, file_content: Any) -> None:
    """Makes a file that holds this, and nothing else."""
    with FileIO(filename, "w") as file:
        file.write(file_content)
