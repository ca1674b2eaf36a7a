from judged_useless._io.seeds import stable_seed


def test_seed_is_the_first_fifteen_digits_of_the_hash() -> None:
    # printf 'shuffled-v2|5adf74255542992d7e9f937d' | sha256sum
    assert stable_seed("shuffled-v2", "5adf74255542992d7e9f937d") == 0x2A92F13FC97E631
    # Numbers are written out: 42, "prompt" and "42", "prompt" are one seed.
    assert stable_seed(42, "prompt") == stable_seed("42", "prompt")
