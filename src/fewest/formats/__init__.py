"""Other programs' formats, read and written."""
