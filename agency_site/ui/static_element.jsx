// An element that keeps the HTML of the served page (`static_markup.py`).
import { createElement, memo, useMemo } from "react";

export const StaticElement = memo(({ element, content, ...rest }) => {
  // In development the content of an open page changes.
  const html = useMemo(() => ({ __html: content }), [content]);
  return createElement(element, { ...rest, dangerouslySetInnerHTML: html, suppressHydrationWarning: true });
});
