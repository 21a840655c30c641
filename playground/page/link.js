"use strict";
// The link: everything that was entered, compressed, after the `#`, which no browser sends to anybody.
const Link = (() => {
  const through = async (bytes, stream) => new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());

  /** A state as the part of an address after the `#`. */
  const write = async (state) => {
    const packed = await through(new TextEncoder().encode(JSON.stringify(state)), new CompressionStream("deflate-raw"));
    const text = btoa(Array.from(packed, (byte) => String.fromCharCode(byte)).join(""));
    return `#1.${text.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")}`;
  };

  /** The state in the part of an address after the `#`; null where there is none, an error where it is damaged. */
  const read = async (hash) => {
    if (!hash.startsWith("#1.")) return null;
    const packed = Uint8Array.from(atob(hash.slice(3).replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
    return JSON.parse(new TextDecoder().decode(await through(packed, new DecompressionStream("deflate-raw"))));
  };

  return { write, read };
})();
