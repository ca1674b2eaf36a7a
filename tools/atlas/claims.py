"""Claims that the pages support or refute: as many of the one as of the other in every family."""

from collections import Counter
from collections.abc import Iterable, Mapping

from judged_useless._io.seeds import stable_seed

from atlas.claim_families import CLAIM_FAMILIES, Claim
from atlas.contexts import PAGES, shuffled_pages
from atlas.pages import Page
from atlas.text import mentions, shuffled
from atlas.world import World

#: Claims of each verdict in every family.
EACH = 13
#: How often one entity is named in a family's claims of one verdict.
_SAME_NAME = 2


def choose_claims(world: World, pages: Mapping[str, Page]) -> list[Claim]:
    """Choose as many true as false claims of every family.

    Parameters
    ----------
    world : World
        The facts.
    pages : mapping of str to Page
        All pages; a claim without its evidence page is not made.

    Returns
    -------
    list of Claim

    Raises
    ------
    ValueError
        If a family has too few.
    """
    chosen: list[Claim] = []
    for family, make in CLAIM_FAMILIES.items():
        made = sorted(make(family, world), key=lambda claim: stable_seed("choose", claim.text))
        possible = [claim for claim in made if _is_plain(claim, pages)]
        for true in (True, False):
            taken = _spread(claim for claim in possible if claim.true is true)
            if len(taken) < EACH:
                raise ValueError(f"claims {family}: {len(taken)} that are {true} instead of {EACH}")
            chosen += taken
    return chosen


def _is_plain(claim: Claim, pages: Mapping[str, Page]) -> bool:
    """Whether the evidence is there, and does not name what is falsely claimed in some other meaning."""
    if any(key not in pages for key in claim.evidence):
        return False
    return claim.true or claim.stated is None or not mentions(pages[claim.evidence[0]].text, claim.stated)


def _spread(claims: Iterable[Claim]) -> list[Claim]:
    # Counted for each verdict by itself: names used up by the true claims would be missing in the false ones.
    names: Counter[str] = Counter()
    taken: list[Claim] = []
    for claim in claims:
        if len(taken) < EACH and all(names[name] < _SAME_NAME for name in claim.names):
            taken.append(claim)
            names.update(claim.names)
    return taken


def claim_rows(claims: list[Claim], pages: Mapping[str, Page]) -> list[dict[str, object]]:
    """Write the claims in the form of the released FEVER file.

    Parameters
    ----------
    claims : list of Claim
        All claims.
    pages : mapping of str to Page
        All pages.

    Returns
    -------
    list of dict
        By identifier. A knowledge base holds the claim's evidence and evidence pages of other claims, half
        of them from the same family.
    """
    return sorted((_claim_row(claim, claims, pages) for claim in claims), key=lambda row: str(row["id"]))


def _claim_row(claim: Claim, claims: list[Claim], pages: Mapping[str, Page]) -> dict[str, object]:
    family = [key for other in claims if other.family == claim.family for key in other.evidence]
    others = [key for other in claims if other.family != claim.family for key in other.evidence]
    near = [key for key in shuffled(set(family), "near", claim.text) if key not in claim.evidence]
    far = [key for key in shuffled(set(others), "far", claim.text) if key not in {*claim.evidence, *near}]
    missing = PAGES - len(claim.evidence)
    keys = [*claim.evidence, *near[: missing // 2], *far[: missing - missing // 2]]
    context = shuffled_pages((pages[key] for key in keys), claim.text)
    return {
        "id": claim.identifier,
        "question": claim.text,
        "answer": "SUPPORTS" if claim.true else "REFUTES",
        "type": "one page" if len(claim.evidence) == 1 else "two pages",
        "level": "easy" if len(claim.evidence) == 1 else "medium",
        "knowledge_base": {page.title: page.text for page in context},
        "supporting_titles": [pages[key].title for key in claim.evidence],
    }
