"""Every prompt of the experiment, in the wording of each task and of each way to write a turn.

The quoted prompts are experimental stimuli and stand here verbatim (paper, Appendices B.1, C.5 and D.5).
Where the paper only describes a prompt, the wording is ours and marked so.
"""

from types import MappingProxyType

from judged_useless.protocol.vocabulary import USEFULNESS as USEFULNESS
from judged_useless.protocol.wording import ProbeWording, Wording

#: Sentences that a condition adds to the instructions. ``{budget}`` and ``{k}`` are filled in.
_ADDITIONS = {
    "permit": (
        "If the search results do not give you the information you need, you may also answer from your own "
        "knowledge: use finish[answer] with your best guess."
    ),
    "budget": (
        "You can take at most {budget} actions for each question, including finish. If you have not used "
        "finish[answer] by then, the question is scored as wrong."
    ),
    "stated_rule": (
        "Stopping policy: if {k} consecutive search or lookup results in a row are useless for answering the "
        "question, stop consulting the knowledge base and answer from your own knowledge with finish[answer]."
    ),
    "call_cost": (
        "Scoring: a correct final answer earns 1 point; each search or lookup costs 0.05 points; a wrong or "
        "missing answer earns 0. Maximize your total points."
    ),
    # wording ours: Amendment 14 is only known to name both exits
    "both_exits": (
        "If search does not give you useful results, there are two ways to go on without it: use "
        "backup_search[query] to search the second copy of the knowledge base, or use finish[answer] to "
        "answer from your own knowledge with your best guess."
    ),
}


_REACT = """\
{role}
Available actions:
- search[query]: Search for a Wikipedia article. Returns the article text.
- lookup[keyword]: Find the next sentence containing the keyword in the current article.
{{backup}}- finish[answer]: {answer}
Format your response as:
Thought: {thought}
Action: <action_name>
Action Input: <input>
Produce exactly one Thought and one Action per turn. End your response after Action Input and wait for the \
tool observation. Do not simulate tool results or future actions."""

_BACKUP_TOOL = (
    "- backup_search[query]: Search a second, independent copy of the knowledge base. It is slower and more "
    "expensive than search: prefer search, and use backup_search when search does not give you useful "
    "results."
)
_SWITCH_NOTICE = "The search tool is no longer available. Use backup_search[query] or finish[answer]."
_FINISH_ONLY = (
    "For this turn only, the search and lookup actions are unavailable; the only available action is "
    "finish[answer]."
)
_WEIGH = (
    "Your judgment of the last observation: {judgment}. Consecutive observations judged USELESS so far: "
    "{run}. In one or two sentences, weigh how likely you are to succeed if you keep consulting this "
    "knowledge base against how likely you are to answer correctly right now from what you already know. "
    "Then, on a final line, write exactly: DECISION: CONTINUE or DECISION: ANSWER_NOW."
)
_ACT = (  # wording ours
    "Now take the next {what} consistently with your decision, in the required format "
    "(Thought / Action / Action Input)."
)
_REMINDER = (  # wording ours
    "Your last response had no action in the required format. Respond again with exactly three lines: "
    "Thought: <your reasoning>, Action: <action_name>, Action Input: <input>. To give your answer, use the "
    "finish action."
)

_QUESTION = Wording(
    system=_REACT.format(
        role=(
            "You are a question-answering agent. You answer questions by interacting with a Wikipedia-like "
            "knowledge base."
        ),
        answer="Submit your final answer. The answer should be short (a few words).",
        thought="<your step-by-step reasoning>",
    ),
    has_system=True,
    opening="Question: {question}",
    observation="Observation: {text}",
    backup_tool=_BACKUP_TOOL,
    additions=MappingProxyType(_ADDITIONS),
    judgment=(
        "Before acting: was the LAST observation useful for answering the original question? Reply with "
        "exactly one word: USEFUL or USELESS."
    ),
    finish_only=_FINISH_ONLY,
    answer_now=(
        "Do not make any further tool calls. Give your final answer to the original question using "
        "finish[answer]."
    ),
    weigh=_WEIGH,
    act=_ACT.format(what="action toward answering the question"),
    switch_notice=_SWITCH_NOTICE,
    reminder=_REMINDER,
)

# For FEVER the paper quotes the answer line and the opening and says which prompts say claim or verdict.
_CLAIM = Wording(
    system=_REACT.format(
        role=(  # wording ours
            "You are a fact-verification agent. You verify claims by interacting with a Wikipedia-like "
            "knowledge base."
        ),
        answer="Submit your verdict. The answer must be exactly one of: SUPPORTS, REFUTES",
        thought="<your step-by-step reasoning about the claim>",  # wording ours
    ),
    has_system=True,
    opening="Verify this claim: {question}",
    observation="Observation: {text}",
    backup_tool=_BACKUP_TOOL,
    additions=MappingProxyType(
        _ADDITIONS
        | {
            "stated_rule": (  # wording ours: the paper has no such run
                "Stopping policy: if {k} consecutive search or lookup results in a row are useless for "
                "verifying the claim, stop consulting the knowledge base and answer from your own knowledge "
                "with finish[answer]."
            )
        }
    ),
    judgment=(  # "verifying the original claim": the rest as for questions
        "Before acting: was the LAST observation useful for verifying the original claim? Reply with "
        "exactly one word: USEFUL or USELESS."
    ),
    finish_only=_FINISH_ONLY,
    answer_now=(  # wording ours
        "Do not make any further tool calls. Give your final verdict on the original claim using "
        "finish[answer]."
    ),
    weigh=_WEIGH,
    act=_ACT.format(what="action toward a verdict on the claim"),
    switch_notice=_SWITCH_NOTICE,
    reminder=_REMINDER,
)

# Search-R1 keeps the prompt it was trained with, which the paper does not quote: wording ours, same tags.
_SEARCH_R1 = Wording(
    system=(
        "Answer the question at the end. Whenever you get new information, reason about it inside <think> "
        "and </think>. If knowledge is missing, ask a search engine with <search> query </search>; what it "
        "finds is given to you between <information> and </information>. Search as often as you need. As "
        "soon as nothing is missing, give a short answer inside <answer> and </answer>, without any "
        "explanation, for example <answer> Beijing </answer>."
    ),
    has_system=False,
    opening="Question: {question}",
    observation="<information>{text}</information>",
    backup_tool="",
    additions=MappingProxyType(_ADDITIONS),
    judgment=_QUESTION.judgment,
    finish_only="",
    answer_now=(  # wording ours
        "No further searches are available. Give your final answer to the original question inside <answer> "
        "and </answer>."
    ),
    weigh=_WEIGH,
    act="Now continue consistently with your decision, with <search> or <answer>.",  # wording ours
    switch_notice="",
    reminder=(  # wording ours
        "Your last response had neither a <search> nor an <answer>. Respond again with <search> query "
        "</search> or <answer> answer </answer>."
    ),
)

#: (style, kind of task) -> wording.
WORDINGS: dict[tuple[str, str], Wording] = {
    ("react", "question"): _QUESTION,
    ("react", "claim"): _CLAIM,
    ("search-r1", "question"): _SEARCH_R1,
}


def get_wording(style: str, kind: str) -> Wording:
    """Look a wording up.

    Parameters
    ----------
    style : {"react", "search-r1"}
        How the agent writes a turn.
    kind : {"question", "claim"}
        Of the task.

    Returns
    -------
    Wording

    Raises
    ------
    ValueError
        If there is none; the message lists those there are.
    """
    try:
        return WORDINGS[style, kind]
    except KeyError:
        known = "; ".join(f"{style} for a {kind}" for style, kind in WORDINGS)
        raise ValueError(
            f"there is no wording in style {style!r} for a {kind!r}; known are {known}"
        ) from None


_USEFULNESS = """\
Pause. Before deciding anything, give an honest assessment of the LAST observation. Choose the one category \
that describes it best for {task}:
- USEFUL_NEW: it gives information that helps and that you did not have before;
- REDUNDANT: it only repeats what earlier observations gave;
- RELATED_NOT_ANSWERING: it is about the subject, but does not help;
- OFF_TOPIC: it is about something else, or empty;
- UNSURE: you cannot tell.
Reply with a single JSON object and nothing else: {{"usefulness": one of "USEFUL_NEW", "REDUNDANT", \
"RELATED_NOT_ANSWERING", "OFF_TOPIC", "UNSURE", "reason": one short sentence}}"""

_CONTINUATION = """\
Pause. Before deciding anything, give an honest assessment of your situation. You have an unspecified number \
of tool interactions left with this knowledge base. Estimate two probabilities, each between 0 and 1:
- p_continue: the probability that you would end up {right} if you kept consulting this knowledge base with \
the remaining interactions;
- p_answer_now: the probability that you would {answer} if you gave your best {noun} right now from what you \
already know.
Reply with a single JSON object and nothing else: {{"p_continue": number, "p_answer_now": number, "prefer": \
one of "continue", "answer_now", "unsure", "reason": one short sentence}}"""

_PLACEHOLDER = (
    "Your Action Input was a placeholder, not an answer. Respond again in the required format (Thought / "
    "Action / Action Input) with Action: finish and your actual final answer to the original question as the "
    "Action Input."
)

#: (style, kind of task) -> wording of the probes. Usefulness turns and claims: wording ours.
PROBES: dict[tuple[str, str], ProbeWording] = {
    ("react", "question"): ProbeWording(
        usefulness=_USEFULNESS.format(task="answering the original question"),
        continuation=_CONTINUATION.format(
            right="answering the original question correctly", answer="answer correctly", noun="answer"
        ),
        repair=_PLACEHOLDER,
    ),
    ("react", "claim"): ProbeWording(
        usefulness=_USEFULNESS.format(task="verifying the original claim"),
        continuation=_CONTINUATION.format(
            right="giving the correct verdict on the original claim",
            answer="give the correct verdict",
            noun="verdict",
        ),
        repair=_PLACEHOLDER.replace(
            "your actual final answer to the original question",
            "your actual final verdict on the original claim",
        ),
    ),
}
PROBES["search-r1", "question"] = ProbeWording(
    usefulness=PROBES["react", "question"].usefulness,
    continuation=PROBES["react", "question"].continuation,
    repair=(
        "What you gave was a placeholder, not an answer. Respond again with your actual final answer to the "
        "original question inside <answer> and </answer>."
    ),
)


def get_probe_wording(style: str, kind: str) -> ProbeWording:
    """Look the wording of the probes up; arguments and errors as for :func:`get_wording`."""
    get_wording(style, kind)
    return PROBES[style, kind]
