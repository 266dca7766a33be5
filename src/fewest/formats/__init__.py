"""Reads and writes files of other programs; `registry` lists the formats."""
