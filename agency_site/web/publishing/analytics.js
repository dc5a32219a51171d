// Loads the counting services that the page names: those without cookies at once, the others once the visitor agrees.
(() => {
  const services = JSON.parse(document.currentScript.dataset.services);
  const answer = "analytics";
  // A browser that stores nothing would be asked on every page.
  const stored = () => (localStorage instanceof Storage ? localStorage.getItem(answer) : "no");
  const starts = {
    google(identity) {
      window.dataLayer ||= [];
      // Google reads the arguments object itself.
      window.gtag = function () { window.dataLayer.push(arguments); };
      window.gtag("js", new Date());
      window.gtag("config", identity);
    },
    meta(identity) {
      const queue = (...call) => (queue.callMethod ? queue.callMethod(...call) : queue.queue.push(call));
      window.fbq = window._fbq = Object.assign(queue, { push: queue, loaded: true, version: "2.0", queue: [] });
      queue("init", identity);
      queue("track", "PageView");
    },
  };
  const load = ({ src, attributes, start, identity }) => {
    starts[start]?.(identity);
    const script = Object.assign(document.createElement("script"), { src, defer: true });
    for (const [name, value] of Object.entries(attributes)) script.setAttribute(name, value);
    document.head.append(script);
  };
  const asking = services.filter(({ name }) => name);
  const element = (name, text, properties = {}) => Object.assign(document.createElement(name), { textContent: text }, properties);
  const decide = (word) => {
    const was = stored();
    localStorage.setItem(answer, word);
    document.querySelector(".consent").remove();
    if (word === "yes" && was !== "yes") asking.forEach(load);
    if (word === "yes" || was !== "yes") return;
    // The services run until the page ends; their cookies may be set for the whole domain.
    const domains = ["", ...location.hostname.split(".").map((_, place, parts) => `; domain=${parts.slice(place).join(".")}`)];
    for (const [name] of document.cookie.split("; ").map((cookie) => cookie.split("=")))
      if (/^_(ga|gid|fb)/.test(name)) for (const domain of domains) document.cookie = `${name}=; max-age=0; path=/${domain}`;
    location.reload();
  };
  // On the window, because a page on which React fails is replaced (`site/layout/plain_page.js`).
  const onSubmit = (event) => {
    if (event.target.matches(".consent")) event.preventDefault(), decide(event.submitter.value);
  };
  const ask = () => {
    addEventListener("submit", onSubmit);
    document.head.append(element("link", "", { rel: "stylesheet", href: "/styles/consent.css" }));
    const names = asking.map(({ name }) => name).join(" and ");
    const question = element("p", `May ${names} record which pages you open, with cookies? The site works the same either way. `);
    question.append(element("a", "Privacy notice", { href: "/privacy" }));
    // A form, because a click on any other button would load the page's scripts first (`web/build/hydration.js`).
    const region = element("form", "", { className: "consent", role: "region", ariaLabel: "Counting visits" });
    const no = element("button", "Do not allow", { className: "button button-small button-ink", value: "no" });
    const yes = element("button", "Allow", { className: "button button-small", value: "yes" });
    region.append(question, no, yes);
    document.body.append(region);
  };
  if (navigator.globalPrivacyControl) return;
  services.filter(({ name }) => !name).forEach(load);
  if (!asking.length) return;
  if (stored() === "yes") asking.forEach(load);
  // On the privacy notice the answer can always be changed.
  if (!stored() || location.pathname === "/privacy") addEventListener("load", ask);
})();
