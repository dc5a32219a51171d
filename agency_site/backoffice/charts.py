"""Charts of the back office: bars of plain HTML without a chart library. Screen readers skip them, because a table has the same
values."""

from dataclasses import dataclass

import reflex as rx

_MOST_MARKS = 14
"""Bars side by side that all have their label below them; of more bars only some have it, so that it stays legible."""
_MARKS = 7


@dataclass
class Bar:
    """A bar of a chart."""

    label: str
    value: float
    text: str
    """The value in words, such as `KES 30,000`."""
    share: int = 0
    """Percent of the longest bar; filled in by `chart`."""
    is_marked: bool = True
    """Its label is below it; filled in by `chart`."""


@dataclass
class Chart:
    """Bars with a table of their values."""

    title: str
    total: str
    heads: list[str]
    """The headings of the table's two columns."""
    upright: bool
    """Bars are vertical for days and horizontal for names."""
    bars: list[Bar]


def chart(title: str, total: str, heads: tuple[str, str], bars: list[Bar], *, upright: bool) -> Chart:
    """Return a chart whose longest bar has 100 percent. A value below 0, as of a month with more refunds, has no bar."""
    most = max((bar.value for bar in bars), default=0)
    every = 1 if len(bars) <= _MOST_MARKS else -(-len(bars) // _MARKS)
    for number, bar in enumerate(bars):
        bar.share = round(100 * max(bar.value, 0) / most) if most > 0 else 0
        bar.is_marked = number % every == 0
    return Chart(title, total, list(heads), upright, bars)


def chart_card(chart: Chart) -> rx.Component:
    """A chart in a card, with its table behind a disclosure."""
    return rx.el.section(
        chart_figure(chart),
        rx.el.details(
            rx.el.summary("View as table"),
            rx.el.table(
                rx.el.caption(chart.title, class_name="sr-only"),
                rx.el.thead(
                    rx.el.tr(rx.foreach(chart.heads, lambda head: rx.el.th(head, scope="col", key=head)))
                ),
                rx.el.tbody(
                    rx.foreach(
                        chart.bars,
                        lambda bar: rx.el.tr(rx.el.td(bar.label), rx.el.td(bar.text), key=bar.label),
                    )
                ),
            ),
            class_name="office-behind",
        ),
        class_name="office-card",
        key=chart.title,
    )


def chart_figure(chart: Chart) -> rx.Component:
    """A chart alone, for a page that shows its values in a table."""
    return rx.el.figure(
        rx.el.figcaption(rx.el.strong(chart.title), rx.el.span(chart.total)),
        rx.cond(
            chart.upright,
            rx.el.div(rx.foreach(chart.bars, _column), class_name="office-bars", aria_hidden="true"),
            rx.el.div(rx.foreach(chart.bars, _strip), class_name="office-strips", aria_hidden="true"),
        ),
        class_name="office-chart",
        key=chart.title,
    )


def _column(bar: Bar) -> rx.Component:
    return rx.el.div(
        rx.el.div(
            custom_attrs={"style": rx.Var.create({"height": bar.share.to_string() + "%"})},  # type: ignore[attr-defined]
            title=bar.label + ": " + bar.text,
            class_name=rx.cond(bar.value == 0, "office-none", ""),
        ),
        rx.el.span(bar.label, class_name=rx.cond(bar.is_marked, "", "office-unmarked")),
        key=bar.label,
    )


def _strip(bar: Bar) -> rx.Component:
    return rx.el.div(
        rx.el.span(bar.label),
        rx.el.strong(bar.text),
        rx.el.div(custom_attrs={"style": rx.Var.create({"width": bar.share.to_string() + "%"})}),  # type: ignore[attr-defined]
        key=bar.label,
    )
