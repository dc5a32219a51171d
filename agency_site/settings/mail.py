"""Mail: the SMTP server, the sender, limits."""

from pydantic import Field, SecretStr

from agency_site.settings.theme import Theme


class MailSettings(Theme):
    """How mail is sent."""

    smtp_host: str = Field("", description="SMTP server; empty: mail is kept in the outbox and listed")
    smtp_port: int = Field(587, ge=1, le=65535, description="SMTP port")
    smtp_user: str = Field("", description="SMTP user")
    smtp_password: SecretStr = Field(SecretStr(""), description="SMTP password")
    smtp_security: str = Field("starttls", pattern="^(starttls|tls|none)$")
    """starttls, tls or none"""
    mail_from: str = Field("", description="sender address; empty: the brand's")
    mail_staff: str = Field("", description="address that gets staff notices; empty: the brand's")
