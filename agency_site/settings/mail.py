"""Mail: the SMTP server, the sender, limits."""

from pydantic import Field, SecretStr

from agency_site.settings.base import SettingsBase


class MailSettings(SettingsBase):
    """Settings of outgoing mail."""

    smtp_host: str = Field("", description="SMTP server; if empty, mail stays in the outbox")
    smtp_port: int = Field(587, ge=1, le=65535, description="SMTP port")
    smtp_user: str = Field("", description="SMTP user")
    smtp_password: SecretStr = Field(SecretStr(""), description="SMTP password")
    smtp_security: str = Field("starttls", pattern="^(starttls|tls|none)$")
    """starttls, tls or none"""
    mail_from: str = Field("", description="sender address; if empty, the brand's")
    weekly_mail: bool = Field(
        True, description="send owners the figures of the last week on Mondays at 07:00"
    )
    mail_staff: str = Field("", description="address for staff notices; if empty, the brand's")
