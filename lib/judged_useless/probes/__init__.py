"""What is asked afterwards of recorded trajectories, on copies of their conversations (paper, Appendix C)."""

from judged_useless.probes.registry import PROBES, Probe, get_probe
from judged_useless.probes.replaying import replay
from judged_useless.probes.replies import is_placeholder
from judged_useless.runs.history import history_at

__all__ = ["PROBES", "Probe", "get_probe", "history_at", "is_placeholder", "replay"]
