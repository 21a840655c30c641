"use strict";
// The program in the page: unpacked once, run in a worker, ended by ending the worker.
const Program = (() => {
  const source = (id) => document.getElementById(id).textContent;
  let module = null, worker = null, count = 0;
  const waiting = new Map();

  /** What base64 says: by the browser, where it can; else by a loop (16 ms, where `Uint8Array.from` with a function takes 260). */
  const bytes = (base64) => {
    if (Uint8Array.fromBase64) return Uint8Array.fromBase64(base64);
    const text = atob(base64), out = new Uint8Array(text.length);
    for (let i = 0; i < text.length; i++) out[i] = text.charCodeAt(i);
    return out;
  };

  /**
   * The program, which the page carries as base64 of gzip. It is compiled while it is unpacked: neither waits for the other's end, and it is nowhere
   * in one piece (100 ms for the ten million bytes; unpacked first, 180).
   */
  const unpack = () => {
    const gzip = new DecompressionStream("gzip"), writer = gzip.writable.getWriter();
    // What goes wrong here is what the reader gets.
    writer.write(bytes(source("program").trim())).then(() => writer.close()).catch(() => {});
    return WebAssembly.compileStreaming(new Response(gzip.readable, { headers: { "content-type": "application/wasm" } }));
  };

  const start = () => {
    const url = URL.createObjectURL(new Blob([source("worker")], { type: "text/javascript" }));
    const made = new Worker(url);
    URL.revokeObjectURL(url);
    made.onmessage = ({ data }) => {
      const one = waiting.get(data.id);
      if (data.progress !== undefined) one?.progress(data.progress);
      else if (waiting.delete(data.id)) one?.resolve(data);
    };
    made.onerror = (event) => {
      event.preventDefault();
      stop(`the worker failed: ${event.message}`);
      worker = null;
    };
    return made;
  };

  /** Ends whatever runs; the next command gets a new worker. One that is idle is kept. */
  const stop = (why = "stopped") => {
    if (waiting.size === 0) return;
    worker?.terminate();
    worker = null;
    for (const { resolve } of waiting.values()) resolve({ code: null, out: "", notes: "", crash: null, stopped: why });
    waiting.clear();
  };

  /** Has a worker with the program ready, so that the first question does not wait for it. */
  const ready = async () => {
    module ??= unpack();
    const compiled = await module;
    if (worker) return;
    worker = start();
    worker.postMessage({ module: compiled });
  };

  /** Runs `margay` with these arguments and files, by their names. The answer has `code`, `out`, `notes`, `crash` or `stopped`. */
  const ask = async (args, files = {}, progress = () => {}) => {
    try {
      await ready();
    } catch (error) {
      return { code: null, out: "", notes: "", crash: `it cannot be started: ${error}` };
    }
    const id = ++count;
    return new Promise((resolve) => {
      waiting.set(id, { resolve, progress });
      worker.postMessage({ id, args, files });
    });
  };

  /** What a command prints as JSON: one object, or one on each line. */
  const objects = (text) => {
    try {
      return [JSON.parse(text)];
    } catch {
      return text.split("\n").filter((line) => line.trim() !== "").map((line) => JSON.parse(line));
    }
  };

  return { ask, ready, stop, objects };
})();
