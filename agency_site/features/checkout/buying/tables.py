"""The idempotency keys of requests."""

from datetime import datetime

from sqlalchemy import UniqueConstraint
from sqlmodel import Field, SQLModel


class IdempotencyKey(SQLModel, table=True):
    """A request that a client may repeat under its own key for 24 hours, with the payment that it created or found."""

    __tablename__ = "idempotency_keys"
    __table_args__ = (UniqueConstraint("route", "key"),)

    id: int | None = Field(default=None, primary_key=True)
    route: str = Field(max_length=80)
    key: str = Field(max_length=255)
    body_digest: str = Field(max_length=64)
    payment_id: int = Field(foreign_key="payments.id", index=True)
    created_at: datetime = Field(index=True)
