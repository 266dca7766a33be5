"""Searches that save their layers in a folder: the contents of the folder, the resumption of searches, and the driver
of the shards.
"""
