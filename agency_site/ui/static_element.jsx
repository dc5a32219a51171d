// An element that keeps the HTML of the served page (`static_markup.py`).
import { createElement, memo, useMemo } from "react";

// If React redraws the whole page, because something has changed its markup, the present HTML is kept.
const findContent = (mark) => (typeof document === "object" && document.querySelector(`[data-static="${mark}"]`)?.innerHTML) || "";

export const StaticElement = memo(({ element, content, ...rest }) => {
  const mark = rest["data-static"];
  // In development the mark changes with the content of an open page.
  const html = useMemo(() => ({ __html: content || findContent(mark) }), [mark]);
  return createElement(element, { ...rest, dangerouslySetInnerHTML: html, suppressHydrationWarning: true });
});
