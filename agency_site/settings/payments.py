"""M-Pesa, real or simulated, and how payments are polled."""

from datetime import timedelta
from functools import cached_property
from typing import Literal

from pydantic import Field, SecretStr

from agency_site.settings.site import Address, SiteSettings

SIMULATOR_PATH = "/simulator/mpesa"


class PaymentSettings(SiteSettings):
    """Settings of payments."""

    mpesa_consumer_key: SecretStr = Field(SecretStr(""))
    """Daraja app key; if empty, the built-in simulator is used"""
    mpesa_consumer_secret: SecretStr = Field(SecretStr(""), description="Daraja app secret")
    mpesa_passkey: SecretStr = Field(SecretStr(""), description="Lipa na M-Pesa passkey of the shortcode")
    mpesa_shortcode: str = Field("174379", pattern=r"^\d{5,7}$")
    """paybill, or the till's store number"""
    mpesa_party_b: str = Field(
        "", pattern=r"^\d{0,7}$", description="receiving till; if empty, the shortcode"
    )
    mpesa_transaction_type: str = Field("CustomerPayBillOnline", pattern="^Customer(PayBill|BuyGoods)Online$")
    """CustomerPayBillOnline or CustomerBuyGoodsOnline"""
    mpesa_base_url: Address = Field("")
    """Daraja's address; if empty, live in production, the sandbox in development; the simulator without a consumer key"""
    mpesa_callback_url: Address = Field(
        "", description="address that Daraja calls back; if empty, the public URL"
    )
    mpesa_callback_secret: SecretStr = Field(SecretStr(""))
    """secret part of the callback path; if empty, derived from the secret key"""
    mpesa_initiator: str = Field("", max_length=64)
    """API operator who may reverse payments; if empty, staff cannot reverse payments from the back office"""
    mpesa_initiator_password: SecretStr = Field(SecretStr(""), description="password of that operator")
    mpesa_certificate: str = Field("")
    """file of Safaricom's certificate that encrypts this password, PEM or DER"""
    mpesa_simulator_in_production: bool = Field(False, description="let production start with the simulator")
    mpesa_maximum_amount: int = Field(250_000, ge=1, description="maximum of one payment, in KES")
    mpesa_connect_timeout_seconds: float = Field(5.0, gt=0, description="time to reach Daraja")
    mpesa_read_timeout_seconds: float = Field(20.0, gt=0, description="time to wait for Daraja's answer")
    mpesa_query_interval_seconds: float = Field(12.0, ge=0)
    """minimum time between two status queries of the whole system (sandbox: 5 a minute)"""
    mpesa_first_query_seconds: float = Field(75.0, ge=0, description="when the first status query is due")
    mpesa_prompt_window_seconds: float = Field(90.0, ge=0)
    """how long a prompt can stay open on the phone"""
    mpesa_pull_transactions: Literal["auto", "on", "off"] = Field("auto")
    """look up payments without a result in M-Pesa's books (Pull Transactions): on, off, or auto (simulator only)"""
    mpesa_pull_margin_minutes: float = Field(30.0, ge=0)
    """how long after a prompt its payment may still be missing in M-Pesa's books"""
    payment_poll_seconds: float = Field(3.0, gt=0, description="pause between two polls of the payment page")
    payment_poll_retries: int = Field(10, ge=1, description="polls after which the page stops waiting")
    payment_prompts_per_10_minutes: int = Field(3, ge=1)
    """most M-Pesa prompts that one phone gets in 10 minutes, over all orders"""
    payment_prompts_per_day: int = Field(10, ge=1)
    """most M-Pesa prompts that one phone gets in 24 hours, over all orders"""

    invoice_due_days: int = Field(14, ge=0)
    """days after the order until which its invoice is due"""
    vat_percent: int = Field(0, ge=0, le=99)
    """VAT that prices include, stated on invoices and credit notes; 0 states no VAT"""

    @property
    def mpesa_prompt_window(self) -> timedelta:
        """The time for which a prompt can stay open on the phone."""
        return timedelta(seconds=self.mpesa_prompt_window_seconds)

    @property
    def simulator(self) -> bool:
        """Return whether M-Pesa is simulated, because no Daraja credentials are configured."""
        return not self.mpesa_consumer_key.get_secret_value()

    @property
    def can_reverse_payments(self) -> bool:
        """Return whether staff can have M-Pesa reverse a payment."""
        return self.simulator or bool(self.mpesa_initiator)

    @property
    def can_pull_transactions(self) -> bool:
        """Return whether Pull Transactions is enabled for the shortcode."""
        return self.mpesa_pull_transactions == "on" or (
            self.mpesa_pull_transactions == "auto" and self.simulator
        )

    @property
    def daraja_url(self) -> str:
        """Base address of Daraja, or of the simulator that this server carries (addresses: daraja.md, section 1)."""
        if self.mpesa_base_url:
            return self.mpesa_base_url
        if self.simulator:
            return f"http://127.0.0.1:{self.port}{SIMULATOR_PATH}"
        return "https://api.safaricom.co.ke" if self.production else "https://sandbox.safaricom.co.ke"

    @property
    def callback_base_url(self) -> str:
        """The address at which Daraja reaches us; the simulator calls over the loopback."""
        if self.mpesa_callback_url:
            return self.mpesa_callback_url
        return f"http://127.0.0.1:{self.port}" if self.simulator else self.site_url

    @cached_property
    def callback_secret(self) -> str:
        """The secret part of the callback path."""
        return self.mpesa_callback_secret.get_secret_value() or self.derived_key("mpesa-callback")

    @property
    def callback_secrets(self) -> tuple[str, ...]:
        """All accepted secrets: Daraja still calls the old path for payments that began before the secret key changed."""
        chosen = self.mpesa_callback_secret.get_secret_value()
        return (chosen,) if chosen else self.derived_keys("mpesa-callback")

    @property
    def mpesa_query_backoff(self) -> tuple[timedelta, ...]:
        """Pauses between status queries after the first: about 2, 4, 8, 15, 30 min, then hourly (daraja.md, section 6)."""
        return tuple(timedelta(minutes=m) for m in (0.2, 1, 2, 4, 7, 15, 30, 60))
