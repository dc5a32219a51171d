"""Staff accounts, their sessions and one-time links, the audit log, saved views."""

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, CheckConstraint, Index, UniqueConstraint
from sqlmodel import Field, SQLModel

from agency_site.auth.rules import LinkPurpose, Role, SessionEnd
from agency_site.db.columns import choice
from agency_site.db.record_versions import Versioned


class StaffAccount(Versioned, table=True):
    """One member of staff."""

    __tablename__ = "staff_accounts"

    id: int | None = Field(default=None, primary_key=True)
    email: str = Field(max_length=254, unique=True)
    """In lower case."""
    name: str = Field(max_length=120)
    role: Role = choice(Role, "role")
    password_hash: str = Field(default="", max_length=255)
    """Argon2id in its own notation; empty until a password is chosen, so the account cannot sign in."""
    disabled_at: datetime | None = None
    """Since when the account is disabled; accounts are never deleted, because histories name them."""
    totp_seed: str = Field(default="", max_length=64)
    """Random; the TOTP secret is derived from it and the secret key, which is not in the database. Empty without TOTP."""
    totp_next_seed: str = Field(default="", max_length=64)
    """The seed of an offered authenticator that has not sent a code yet; the present one works until then."""
    totp_confirmed_at: datetime | None = None
    """When the present authenticator sent its first code."""
    totp_step: int = 0
    """The last time step whose code was used, because a code works once."""
    calendar_token_hash: str | None = Field(default=None, max_length=64, unique=True)
    """SHA-256 of the token in the private link of the calendar feed."""
    created_at: datetime
    updated_at: datetime


class StaffRecoveryCode(SQLModel, table=True):
    """A code that replaces the authenticator once."""

    __tablename__ = "staff_recovery_codes"

    id: int | None = Field(default=None, primary_key=True)
    account_id: int = Field(foreign_key="staff_accounts.id", index=True)
    code_hash: str = Field(max_length=64, unique=True)
    used_at: datetime | None = None


class StaffSession(SQLModel, table=True):
    """One signed-in browser."""

    __tablename__ = "staff_sessions"

    id: int | None = Field(default=None, primary_key=True)
    account_id: int = Field(foreign_key="staff_accounts.id", index=True)
    token_hash: str = Field(max_length=64, unique=True)
    """SHA-256 of the cookie's token; the token itself is not stored."""
    address: str = Field(default="", max_length=64)
    browser: str = Field(default="", max_length=200)
    created_at: datetime
    seen_at: datetime
    """The last activity."""
    ended_at: datetime | None = None
    end_reason: SessionEnd | None = choice(SessionEnd, "end_reason", default=None, nullable=True)
    """Why it ended; None also if a new sign-in of the same browser replaced it."""


class StaffLink(SQLModel, table=True):
    """A link for choosing a password, once."""

    __tablename__ = "staff_links"
    __table_args__ = (CheckConstraint("account_id IS NOT NULL OR purpose = 'setup'", name="account"),)

    id: int | None = Field(default=None, primary_key=True)
    account_id: int | None = Field(default=None, foreign_key="staff_accounts.id", index=True)
    """None for the set-up of the first owner, whose account does not exist yet."""
    purpose: LinkPurpose = choice(LinkPurpose, "purpose")
    token_hash: str = Field(max_length=64, unique=True)
    created_at: datetime
    expires_at: datetime
    used_at: datetime | None = None


class SignInAttempt(SQLModel, table=True):
    """An attempt to sign in that was not right, or is being checked; counted per account and address, deleted by retention."""

    __tablename__ = "staff_sign_in_attempts"
    __table_args__ = (Index("ix_staff_sign_in_attempts_recent", "account_key", "address", "at"),)

    id: int | None = Field(default=None, primary_key=True)
    account_key: str = Field(max_length=64)
    """SHA-256 of the kind of attempt and the e-mail address as it was typed, so that strangers' typing errors are not stored."""
    address: str = Field(max_length=64, index=True)
    """The source as `attempts` counts it: an address, a network, or a known browser."""
    at: datetime = Field(index=True)


class AuditEntry(SQLModel, table=True):
    """An action of a member of staff on a record. The database refuses to change or delete it."""

    __tablename__ = "audit_entries"
    __table_args__ = (
        Index("ix_audit_entries_record", "reference", "kind"),
        Index("ix_audit_entries_actor_id", "actor", "id"),
        Index("ix_audit_entries_action_id", "action", "id"),
    )

    id: int | None = Field(default=None, primary_key=True)
    at: datetime = Field(index=True)
    actor: str = Field(max_length=254)
    """The e-mail address of the member of staff, or `shell`."""
    address: str = Field(default="", max_length=64)
    action: str = Field(max_length=64)
    """For example `booking.cancelled`."""
    kind: str = Field(max_length=24)
    """The kind of record: `booking`, `order`, `staff` …"""
    reference: str = Field(max_length=80)
    """The record as staff know it. Never personal data of visitors, so that erasing need not change this table."""
    detail: str = Field(default="", max_length=500)


class StaffSubmission(SQLModel, table=True):
    """A submit of a staff form that was applied; retention deletes it."""

    __tablename__ = "staff_submissions"
    __table_args__ = (UniqueConstraint("account_id", "key"),)

    id: int | None = Field(default=None, primary_key=True)
    account_id: int = Field(foreign_key="staff_accounts.id")
    key: str = Field(max_length=32)
    """Random; the browser makes one for each submit."""
    at: datetime = Field(index=True)


class SavedView(SQLModel, table=True):
    """A list view of a member of staff: filters, sort and columns under a name."""

    __tablename__ = "staff_saved_views"
    __table_args__ = (UniqueConstraint("account_id", "list_name", "name"),)

    id: int | None = Field(default=None, primary_key=True)
    account_id: int = Field(foreign_key="staff_accounts.id", index=True)
    list_name: str = Field(max_length=40)
    name: str = Field(max_length=60)
    query: str = Field(max_length=1000)
    """The query string of the address."""


class BackOfficeSetting(SQLModel, table=True):
    """What owners decide for the whole back office, by name, such as `require_totp`."""

    __tablename__ = "back_office_settings"

    name: str = Field(primary_key=True, max_length=40)
    value: Any = Field(sa_type=JSON)
    updated_at: datetime
