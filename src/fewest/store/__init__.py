"""Searches with their layers in a folder: the contents of the folder, resuming, and the driver of the shards."""
