"""Reads and writes levels of Sokoban, and replays plans that are given as letters."""
