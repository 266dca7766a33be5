"""Searches that keep their layers in a folder: the contents of the folder, how searches are resumed, and the driver of
the shards.
"""
