"""The Wilson score interval of a share, which holds for few tries, too. Pure.

Wilson, E. B. (1927): Probable inference, the law of succession, and statistical
inference. Journal of the American Statistical Association 22 (158), 209-212.
"""

_NORMAL95 = 1.959964  # standard deviations on either side


def wilson95(hits: float, tries: int) -> tuple[float, float]:
    """Return the 95 % interval of a share of independent tries, at least one.

    `hits` has a fraction where a try is itself a share.
    """
    share, spread = hits / tries, _NORMAL95**2 / tries
    middle = share + spread / 2
    half = _NORMAL95 * ((share * (1 - share) + spread / 4) / tries) ** 0.5
    low, high = (middle - half) / (1 + spread), (middle + half) / (1 + spread)
    return max(0.0, low), min(1.0, high)  # rounding may lead out by a hair
