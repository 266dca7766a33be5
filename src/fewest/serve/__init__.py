"""The workshop: a page served on this machine for who makes puzzles. The extra `web`.

Nothing that a document says is read, drawn or solved in the server's own process: `desk` asks processes with
limits (`work`), `guard` decides who may ask, `folder` what may be read and written.
"""
