"""The integration step: stop after k results in a row that were judged useless."""

from dataclasses import dataclass
from numbers import Integral

from judged_useless.protocol.vocabulary import JUDGMENTS


@dataclass
class IntegrationRule:
    """Counts judgments and says when to stop (paper §5 and Appendix B.1, "Rule").

    ``run`` is the number of USELESS judgments since the last other one, and the rule says stop as long as
    ``run >= k``. It asks no model anything and holds no history, so it fits into any agent's loop.

    Parameters
    ----------
    k : int, default 5
        Run length at which to stop, at least 1; the paper's value was chosen on development questions.
    run : int, default 0
        Run to begin with.

    Examples
    --------
    In a loop of your own, five lines:

    >>> from judged_useless import parse_side_channel
    >>> rule = IntegrationRule(k=2)
    >>> for reply in ["useful", "Useless.", "USELESS", "USELESS"]:
    ...     judgment = parse_side_channel(reply)  # ask your model after each result
    ...     if rule.observe(judgment):
    ...         break  # now let it answer, and nothing else
    >>> rule.run
    2
    """

    k: int = 5
    run: int = 0

    def __post_init__(self) -> None:
        given: list[object] = [self.k, self.run]
        whole = all(isinstance(n, Integral) and not isinstance(n, bool) for n in given)
        if not whole or self.k < 1 or self.run < 0:
            raise ValueError(
                f"k is {self.k!r} and run {self.run!r}, expected whole numbers, k >= 1 and run >= 0"
            )

    @property
    def should_stop(self) -> bool:
        """Whether the run has reached k."""
        return self.run >= self.k

    def observe(self, judgment: str | None) -> bool:
        """Take one judgment in and return `should_stop`.

        Parameters
        ----------
        judgment : str or None
            ``USELESS`` adds one to the run; ``USEFUL`` and ``UNPARSED`` end it; None (no judgment was asked
            for or given) leaves the run as it is.

        Raises
        ------
        ValueError
            For any other word, such as a reply that was not parsed; the run is left as it is.
        """
        if judgment is not None and judgment not in JUDGMENTS:
            raise ValueError(f"judgment is {judgment!r}, expected {', '.join(JUDGMENTS)} or None")
        if judgment is not None:
            self.run = self.run + 1 if judgment == "USELESS" else 0
        return self.should_stop

    def reset(self) -> None:
        """Begin a new run, as after a change of source."""
        self.run = 0
