"""The page on which a puzzle can be played: a single HTML file that contains the task, the pictures and the
distances.
"""
