// The router of all pages. From a public page others are loaded as a whole; screens of the back office replace one another.
import { lazy, useEffect, useState } from "react";
import { BrowserRouter, Outlet, useRoutes } from "react-router";

/** Loads the page at the new address. */
function OtherPage() {
  useEffect(() => window.location.reload(), []);
  return null;
}

// A script that is missing belongs to an earlier version of the site.
const loadScreen = ({ path, module }) => {
  const Screen = lazy(() => import(/* @vite-ignore */ module).catch(() => ({ default: OtherPage })));
  return { path, element: <Screen /> };
};

function readRoutes() {
  const { root, ...opened } = window.__reactRouterRouteModules;
  const [{ default: Opened }] = Object.values(opened);
  // Public pages have no list of routes.
  const listed = Object.values(window.__reactRouterManifest?.routes ?? {});
  const screens = listed.filter(({ path }) => path?.split("/")[0] === "admin").map(loadScreen);
  const first = { path: window.location.pathname, element: <Opened /> };
  return [{ element: <root.Layout><Outlet /></root.Layout>, children: [first, ...screens, { path: "*", element: <OtherPage /> }] }];
}

function Page() {
  const [routes] = useState(readRoutes);
  return useRoutes(routes);
}

/** Draws the page, instead of React Router's component of this name. */
export function HydratedRouter() {
  return <BrowserRouter><Page /></BrowserRouter>;
}
