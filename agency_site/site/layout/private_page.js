// On a private page: updates while it waits for a result.
(() => {
  const main = document.querySelector("main");
  let served = main.innerHTML;
  const isBusy = () => document.hidden || main.querySelector("input:focus,textarea:focus,select:focus,:active");
  const exchange = (page) => {
    const fresh = new DOMParser().parseFromString(page, "text/html").querySelector("main");
    // The captive portal of a network may respond with its own page.
    if (!fresh) return;
    main.dataset.refresh = fresh.dataset.refresh ?? "";
    if (fresh.innerHTML === served || isBusy()) return;
    const focused = main.contains(document.activeElement) && document.activeElement.textContent;
    served = main.innerHTML = fresh.innerHTML;
    main.querySelectorAll("time.own-time").forEach(window.showOwnTime);
    const same = [...main.querySelectorAll("a,button")].find(({ textContent }) => textContent === focused);
    if (focused !== false) (same ?? main).focus({ preventScroll: true });
    const news = [...main.querySelectorAll("h1,[role=status]")].map(({ textContent }) => textContent);
    document.getElementById("news").textContent = news.filter(Boolean).join(": ");
  };
  let timer;
  const refresh = async () => {
    clearTimeout(timer);
    // Without a network, or if the server fails, the page is not changed.
    const answer = isBusy() ? undefined : await fetch(location.href, { cache: "no-store" }).catch(() => undefined);
    if (answer?.ok) exchange(await answer.text());
    if (main.dataset.refresh) timer = setTimeout(refresh, 1000 * main.dataset.refresh);
  };
  if (!main.dataset.refresh) return;
  timer = setTimeout(refresh, 1000 * main.dataset.refresh);
  addEventListener("visibilitychange", () => { if (!document.hidden && main.dataset.refresh) refresh(); });
})();
