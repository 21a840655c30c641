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
  const words = new DOMParser().parseFromString(svg, "image/svg+xml").documentElement.getAttribute("aria-label");
  const alt = words ? `${caption}: ${words}` : caption;
  return element("figure", {},
    element("img", { src: `data:image/svg+xml,${encodeURIComponent(svg)}`, alt }),
    element("figcaption", {}, caption));
};

/** A block of code that can be scrolled by keyboard. */
const code = (text, label) => element("pre", { tabindex: "0", role: "region", "aria-label": label }, text);

/** A sentence of the program's: what stands in backticks is code. */
const sentence = (text) => text.split(/`([^`]*)`/).map((part, i) => (i % 2 === 1 ? element("code", {}, part) : part));
