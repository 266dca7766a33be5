"""Searches whose layers lie in a folder: what is in it, going on from there, who drives the shards."""
