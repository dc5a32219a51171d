// An element that keeps the HTML of the served page (`static_markup.py`).
import { createElement, memo, useState } from "react";

// If React redraws the whole page, because something has changed its markup, the present HTML is kept.
const findContent = (mark) => (typeof document === "object" && document.querySelector(`[data-static="${mark}"]`)?.innerHTML) || "";

export const StaticElement = memo(({ element, content, ...rest }) => {
  const [html] = useState(() => ({ __html: content || findContent(rest["data-static"]) }));
  return createElement(element, { ...rest, dangerouslySetInnerHTML: html, suppressHydrationWarning: true });
});
