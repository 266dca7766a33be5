"""Searches with their layers in a folder: the contents of the folder, how to resume, and the driver of the shards."""
