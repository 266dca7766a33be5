"""The page that plays: a puzzle's task, its pictures and its distances in one file of HTML."""
