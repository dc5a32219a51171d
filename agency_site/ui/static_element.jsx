// An element that keeps the HTML with which the page came (`static_markup.py`).
import { createElement, memo, useState } from "react";

// Should React draw the whole page anew, because something has changed its markup, then what is there is kept.
const findContent = (mark) => (typeof document === "object" && document.querySelector(`[data-static="${mark}"]`)?.innerHTML) || "";

export const StaticElement = memo(({ element, content, ...rest }) => {
  const [html] = useState(() => ({ __html: content || findContent(rest["data-static"]) }));
  return createElement(element, { ...rest, dangerouslySetInnerHTML: html, suppressHydrationWarning: true });
});
