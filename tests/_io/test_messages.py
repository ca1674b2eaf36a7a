"""Foreign text as people see it."""

from judged_useless._io.messages import listed, shown, visible


def test_a_long_value_is_cut() -> None:
    assert shown("x" * 78) == repr("x" * 78)
    assert shown("x" * 79) == "'" + "x" * 79 + "…"


def test_names_are_quoted_where_they_are_strange_and_counted_where_they_are_many() -> None:
    assert listed(["a", "b\x1b", 7, "c"], most=3) == "a, 'b\\x1b', 7 and 1 more"


def test_nothing_can_move_the_cursor_or_turn_the_text() -> None:
    turning = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u061c"
    controls = "".join(map(chr, [*range(0x20), *range(0x7F, 0xA0)]))
    seen = visible(controls + turning)
    assert {character for character in seen if not character.isprintable()} == {"\n", "\t"}
    assert visible("\x1b[31mred\x07") == "␛[31mred␇"
    assert visible("ab\u202ecd") == "ab<U+202E>cd"


def test_ordinary_text_stays_as_it_is() -> None:
    text = "Zażółć\tgęślą\n— 日本語, שלום, 👩‍🚀 <b>"
    assert visible(text) == text
