"""Amounts in Kenya shillings, as people read them."""

from decimal import Decimal


def kes(amount: int) -> str:
    """Return an amount such as `KES 15,000`."""
    return f"KES {amount:,}"


def kes_stated(stated: str) -> str:
    """Return an amount that M-Pesa wrote, such as `KES 1,500` or `KES 1,500.50`; an empty one is 0."""
    try:
        amount = Decimal(stated or 0).normalize()
        digits = -int(amount.as_tuple().exponent)
    except (ArithmeticError, ValueError):
        return f"KES {stated}"
    return f"KES {amount:,.{max(2, digits) if digits > 0 else 0}f}"
