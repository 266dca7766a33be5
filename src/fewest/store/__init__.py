"""Searches that keep their layers in a folder: its contents, how a search resumes, and how shards are driven."""
