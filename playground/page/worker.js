"use strict";
// The worker: runs one command of the program at a time. Ending the worker ends what it does.
let program = null;

const answer = ({ id, args, files }) => {
  const decoder = new TextDecoder(), complaints = new TextDecoder();
  let out = "", notes = "", line = "";
  const write = (stream, bytes) => {
    if (stream === 1) {
      out += decoder.decode(bytes, { stream: true });
      return;
    }
    // A line that begins with a carriage return is progress (src/progress/lines.rs); the others are warnings.
    line += complaints.decode(bytes, { stream: true });
    const lines = line.split("\n");
    line = lines.pop();
    for (const one of lines) {
      if (one.startsWith("\r")) postMessage({ id, progress: one.slice(1) });
      else notes += `${one}\n`;
    }
  };
  const encoder = new TextEncoder();
  const system = {
    args: ["margay", ...args],
    env: { MARGAY_PROGRESS: "lines", COLUMNS: "100", NO_COLOR: "1" },
    files: new Map(Object.entries(files).map(([name, text]) => [name, encoder.encode(text)])),
    write,
  };
  const begin = performance.now();
  const { code, crash } = Wasi.run(program, system);
  return { id, code, crash, out, notes: notes + line, milliseconds: performance.now() - begin };
};

onmessage = ({ data }) => {
  if (data.module) program = data.module;
  else postMessage(answer(data));
};
