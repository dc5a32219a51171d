// An e-mail address whose domain looks mistyped is asked about below its field. Nothing changes unless the visitor clicks.
(() => {
  const COMMON = "gmail.com yahoo.com outlook.com hotmail.com icloud.com yahoo.co.uk safaricom.co.ke".split(" ");
  const RIGHT = new Set([...COMMON, "ymail.com", "mail.com", "gmx.com", "email.com", "hotmail.co.uk", "live.com"]);
  // One letter is missing, superfluous or another, or two have changed places.
  const isOneSlip = (typed, right) => {
    let at = 0;
    while (typed[at] === right[at]) at += 1;
    const [a, b] = [typed.slice(at), right.slice(at)];
    const swapped = a[1] + a[0] + a.slice(2);
    return a.slice(1) === b || a === b.slice(1) || a.slice(1) === b.slice(1) || swapped === b;
  };
  const suggest = (domain) => !RIGHT.has(domain)
    && (COMMON.find((right) => isOneSlip(domain, right)) ?? (/\.(con|cmo)$/.test(domain) && domain.replace(/...$/, "com")));
  addEventListener("change", ({ target }) => {
    const place = document.getElementById(`${target.id}-suggestion`);
    if (!place) return;
    const [, name, domain] = target.value.trim().match(/^(.+@)([^@]+)$/) ?? [];
    const better = domain && suggest(domain.toLowerCase());
    place.replaceChildren();
    if (!better) return;
    const button = Object.assign(document.createElement("button"), { type: "button", value: target.id, textContent: name + better });
    place.append("Did you mean ", button, "?");
  });
  // On the window and first, because before hydration clicks on buttons go no further.
  addEventListener("click", ({ target }) => {
    if (!target.matches?.(".field-suggestion button")) return;
    const field = document.getElementById(target.value);
    // React takes an event of a value that it has set itself for none.
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set.call(field, target.textContent);
    for (const kind of ["input", "change"]) field.dispatchEvent(new Event(kind, { bubbles: true }));
    field.focus();
  }, true);
})();
