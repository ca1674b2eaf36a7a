"""The words of an episode: actions, judgments, beliefs, labels."""

#: Action words of an episode, in the order of their integer codes.
ACTIONS = ("search", "lookup", "backup_search", "finish", "invalid")
#: Judgments of an observation, in the order of their integer codes; ``None`` where there is none.
JUDGMENTS = ("USELESS", "USEFUL", "UNPARSED")
#: What the usefulness turn can be answered with (Appendix C.4).
USEFULNESS = ("USEFUL_NEW", "REDUNDANT", "RELATED_NOT_ANSWERING", "OFF_TOPIC", "UNSURE")
#: What an agent prefers to do next, by its own report (Appendix C.4).
PREFERENCES = ("continue", "answer_now", "unsure")
#: Labels of what a thought says of the last result (Appendix B.2).
STATED_LABELS = ("says_useless", "partly_useful", "useful", "no_judgment", "unclear")
