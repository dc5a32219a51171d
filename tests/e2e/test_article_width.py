"""Whatever an article holds, its page is as wide as the screen: code, tables and long words, in lists and quotations too."""

import pytest
from playwright.sync_api import Browser

from agency_site.content.markdown import render
from agency_site.settings import ROOT

pytestmark = pytest.mark.thorough

WORD = "averyverylongwordthatneverendsandhasnoplacetobreak" * 3
CODE = "SELECT account, receipt, amount FROM payments WHERE account LIKE 'EN%' AND paid_at > '2026-01-01';"
STYLES = "".join(
    (ROOT / "assets/styles" / f"{name}.css").read_text(encoding="utf-8")
    for name in ("tokens", "site", "articles", "legal")
)
PIECES = {
    "code": f"```\n{CODE}\n```",
    "code in a sentence": f"Look at `{WORD}` here.",
    "code in a list": f"- One\n\n  ```\n  {CODE}\n  ```",
    "code in steps": f"1. One\n\n   ```\n   {CODE}\n   ```",
    "code in a quotation": f"> ```\n> {CODE}\n> ```",
    "table": f"| {' | '.join(['Amount'] * 9)} |\n|{'---|' * 9}\n| {' | '.join(['1,234,567.00'] * 9)} |",
    "table in a list": f"- One\n\n  | {' | '.join(['Amount'] * 9)} |\n  |{'---|' * 9}\n  | {' | '.join(['1,234,567.00'] * 9)} |",
    "word": WORD,
    "word in a heading": f"## {WORD}",
    "word in a list": f"- One\n  - {WORD}",
    "word in steps": f"1. **{WORD}**",
    "address in a link": f"[https://example.com/{WORD}](https://example.com/)",
    "word in a quotation": f"> {WORD}",
}


CONTENTS = f'<ol class="contents-list"><li><a class="contents-link" href="#a">{WORD}</a></li></ol>'
RESET = "@layer base { * { box-sizing: border-box; margin: 0; } }"
WIDTHS = (320, 390, 1280)


def excess(browser: Browser, html: str, width: int) -> int:
    """Return by how many pixels a page with this text is wider than the screen."""
    page = browser.new_page(viewport={"width": width, "height": 800})
    page.set_content(f"<style>{RESET}{STYLES}</style><main class='wrap'>{html}</main>")
    over: int = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    page.close()
    return over


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("markup", PIECES)
def test_no_piece_of_an_article_widens_its_page(browser: Browser, markup: str, width: int) -> None:
    assert excess(browser, f"<div class='article-body'>{render(PIECES[markup])[0]}</div>", width) == 0


@pytest.mark.parametrize("width", WIDTHS)
def test_no_entry_of_the_contents_widens_its_page(browser: Browser, width: int) -> None:
    assert excess(browser, CONTENTS, width) == 0
