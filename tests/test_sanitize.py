"""Characters that control a terminal are removed, and a text without them is unchanged."""

from __future__ import annotations

import sys

from fewest.sanitize import file_stem, hidden, shown, shown_lines


def test_every_hidden_character_is_replaced_and_no_other_one() -> None:
    for code in range(sys.maxunicode + 1):
        text = f"a{chr(code)}"
        is_hidden = hidden().search(text) is not None
        assert shown(text) == ("a\ufffd" if is_hidden else text), hex(code)
        stays = not is_hidden or chr(code) in "\n\t"
        assert shown_lines(text) == (text if stays else "a\ufffd"), hex(code)


def test_the_name_of_a_puzzle_chooses_no_other_folder() -> None:
    assert file_stem("heng dao 立马") == "heng-dao-立马"
    assert file_stem("../x y") == "-x-y"
    assert file_stem("C:\\x") == "C--x"
    assert file_stem("...") == "puzzle"
