"use strict";
// Elements, made without any text being read as markup.

/** An element with attributes and children; a property that is null or false is left out, a function is a listener. */
const element = (name, properties = {}, ...children) => {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (typeof value === "function") made.addEventListener(key, value);
    else if (value === true) made.setAttribute(key, "");
    else if (value !== null && value !== undefined && value !== false) made.setAttribute(key, value);
  }
  made.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return made;
};

/** A picture of the program's. As an image it runs nothing, and keeps its own styles for light and dark. */
const picture = (svg, caption) => {
  const drawn = new DOMParser().parseFromString(svg, "image/svg+xml").documentElement;
  const words = drawn.getAttribute("aria-label");
  const alt = words ? `${caption}: ${words}` : caption;
  const img = element("img", { src: `data:image/svg+xml,${encodeURIComponent(svg)}`, alt });
  // A picture shrinks as far as its words can be read; then it is scrolled.
  img.style.minWidth = `${Math.round(0.75 * (parseFloat(drawn.getAttribute("width")) || 0))}px`;
  return element("figure", {},
    element("div", { class: "wide", tabindex: "0", role: "region", "aria-label": caption }, img),
    element("figcaption", {}, caption));
};

/** A block of code that can be scrolled by keyboard. */
const code = (text, label) => element("pre", { tabindex: "0", role: "region", "aria-label": label }, text);

/** Words of the program's with its pages, `docs/kernels.md`, as links. */
const linked = (text) => text.split(/\b(docs\/[\w-]+\.md)\b/).map((part, i) => (i % 2 === 1
  ? element("a", { href: `${document.querySelector("meta[name=docs]").content}/${part}` }, part) : part));

/** A sentence of the program's: what stands in backticks is code. */
const sentence = (text) => text.split(/`([^`]*)`/).flatMap((part, i) => (i % 2 === 1 ? element("code", {}, part) : linked(part)));
