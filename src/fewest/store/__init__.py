"""Saves searches in folders and object stores, and resumes them. A search is saved as a store of layers, as the marks
of an index, or as a checkpoint of proved results.
"""
