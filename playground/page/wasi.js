"use strict";
// The system that the program sees: WASI preview 1 with files in memory, two output streams, clocks and random bytes. No network, no threads.
const Wasi = (() => {
  const OK = 0, BADF = 8, EXIST = 20, INVAL = 28, ISDIR = 31, NOENT = 44, NOSYS = 52, NOTDIR = 54, NOTEMPTY = 55, SPIPE = 70;
  const UNKNOWN = 0, DIRECTORY = 3, REGULAR = 4;
  const CREATE = 1, MUST_BE_DIRECTORY = 2, EXCLUSIVE = 4, TRUNCATE = 8;
  const APPEND = 1;
  const ROOT = 3;

  // What Debian's C library for WASI lacks: no thread is ever started, and paths have no other names.
  const ERRNO = 8; // The far end of the stack, which begins at 0: nobody else's place.
  const absent = {
    pthread_create: () => NOSYS, pthread_join: () => NOSYS, pthread_detach: () => NOSYS,
    pthread_attr_init: () => OK, pthread_attr_destroy: () => OK, pthread_attr_setstacksize: () => OK,
    realpath: () => 0, chmod: () => -1, __errno_location: () => ERRNO,
  };

  /** How the program ends. */
  class Exit extends Error {
    constructor(code) { super(`exit ${code}`); this.code = code; }
  }

  /** The files, by their paths without the first slash: bytes, or null for a folder. */
  const clean = (path) => {
    const parts = [];
    for (const part of path.split("/")) {
      if (part === "..") parts.pop();
      else if (part !== "" && part !== ".") parts.push(part);
    }
    return parts.join("/");
  };
  const parent = (path) => path.includes("/") ? path.slice(0, path.lastIndexOf("/")) : "";

  /**
   * The imports of a program that is called with these arguments. `write(stream, bytes)` gets what it prints: stream 1 or 2.
   * @param {{args: string[], env: Record<string, string>, files: Map<string, Uint8Array|null>, write: (stream: number, bytes: Uint8Array) => void}} system
   */
  const make = ({ args, env, files, write }) => {
    const encoder = new TextEncoder(), decoder = new TextDecoder();
    const open = new Map([[0, { stream: true }], [1, { stream: true }], [2, { stream: true }], [ROOT, { path: "" }]]);
    files.set("", null);
    let memory = null;
    let next = ROOT + 1;
    const view = () => new DataView(memory.buffer);
    const bytes = (at, length) => new Uint8Array(memory.buffer, at, length);
    const path = (fd, at, length) => {
      const base = open.get(fd)?.path;
      return base === undefined ? undefined : clean(`${base}/${decoder.decode(bytes(at, length))}`);
    };
    const slices = (at, count) => {
      const v = view();
      return Array.from({ length: count }, (_, i) => bytes(v.getUint32(at + 8 * i, true), v.getUint32(at + 8 * i + 4, true)));
    };
    const strings = (list) => {
      const all = list.map((text) => encoder.encode(`${text}\0`));
      return {
        sizes: (count, size) => {
          view().setUint32(count, all.length, true);
          view().setUint32(size, all.reduce((sum, one) => sum + one.length, 0), true);
          return OK;
        },
        get: (pointers, at) => {
          for (const [i, one] of all.entries()) {
            view().setUint32(pointers + 4 * i, at, true);
            bytes(at, one.length).set(one);
            at += one.length;
          }
          return OK;
        },
      };
    };
    const stat = (at, type, size) => {
      bytes(at, 64).fill(0);
      view().setUint8(at + 16, type);
      view().setBigUint64(at + 24, 1n, true);
      view().setBigUint64(at + 32, BigInt(size), true);
      return OK;
    };
    const statOf = (name, at) => {
      if (!files.has(name)) return NOENT;
      const content = files.get(name);
      return content === null ? stat(at, DIRECTORY, 0) : stat(at, REGULAR, content.length);
    };
    const resize = (name, size) => {
      const grown = new Uint8Array(size);
      grown.set(files.get(name).subarray(0, size));
      files.set(name, grown);
    };
    const read = (file, at, lists) => {
      let done = 0;
      const content = files.get(file.path) ?? new Uint8Array();
      for (const slice of lists) {
        const part = content.subarray(at + done, at + done + slice.length);
        slice.set(part);
        done += part.length;
      }
      return done;
    };
    const append = (file, at, lists) => {
      const total = lists.reduce((sum, slice) => sum + slice.length, 0);
      if ((files.get(file.path)?.length ?? 0) < at + total) resize(file.path, at + total);
      for (const slice of lists) {
        files.get(file.path).set(slice, at);
        at += slice.length;
      }
      return total;
    };
    const argv = strings(args), environ = strings(Object.entries(env).map(([key, value]) => `${key}=${value}`));
    const calls = {
      args_sizes_get: argv.sizes,
      args_get: argv.get,
      environ_sizes_get: environ.sizes,
      environ_get: environ.get,
      clock_res_get: (_, at) => (view().setBigUint64(at, 1000n, true), OK),
      clock_time_get: (clock, _, at) => {
        const now = clock === 0 ? Date.now() : performance.now();
        view().setBigUint64(at, BigInt(Math.round(now * 1e6)), true);
        return OK;
      },
      random_get: (at, length) => {
        // At most 65536 bytes at a time are to be had.
        for (let done = 0; done < length; done += 65536) crypto.getRandomValues(bytes(at + done, Math.min(65536, length - done)));
        return OK;
      },
      sched_yield: () => OK,
      proc_exit: (code) => { throw new Exit(code); },
      fd_prestat_get: (fd, at) => {
        if (fd !== ROOT) return BADF;
        view().setUint32(at, 0, true);
        view().setUint32(at + 4, 1, true);
        return OK;
      },
      fd_prestat_dir_name: (fd, at) => (fd === ROOT ? (bytes(at, 1)[0] = 47, OK) : BADF),
      fd_fdstat_get: (fd, at) => {
        const file = open.get(fd);
        if (!file) return BADF;
        bytes(at, 24).fill(0);
        view().setUint8(at, file.stream ? UNKNOWN : files.get(file.path) === null ? DIRECTORY : REGULAR);
        view().setBigUint64(at + 8, 0xffffffffn, true);
        view().setBigUint64(at + 16, 0xffffffffn, true);
        return OK;
      },
      fd_filestat_get: (fd, at) => {
        const file = open.get(fd);
        return !file ? BADF : file.stream ? stat(at, UNKNOWN, 0) : statOf(file.path, at);
      },
      fd_filestat_set_size: (fd, size) => (open.has(fd) ? (resize(open.get(fd).path, Number(size)), OK) : BADF),
      fd_sync: (fd) => (open.has(fd) ? OK : BADF),
      fd_close: (fd) => (open.delete(fd) ? OK : BADF),
      fd_read: (fd, lists, count, at) => {
        const file = open.get(fd);
        if (!file) return BADF;
        const done = file.stream ? 0 : read(file, file.at, slices(lists, count));
        if (!file.stream) file.at += done;
        view().setUint32(at, done, true);
        return OK;
      },
      fd_write: (fd, lists, count, at) => {
        const file = open.get(fd);
        if (!file) return BADF;
        const parts = slices(lists, count);
        let done = 0;
        if (file.stream) {
          for (const part of parts) {
            write(fd, part.slice());
            done += part.length;
          }
        } else {
          if (file.appends) file.at = files.get(file.path).length;
          done = append(file, file.at, parts);
          file.at += done;
        }
        view().setUint32(at, done, true);
        return OK;
      },
      fd_seek: (fd, offset, whence, at) => {
        const file = open.get(fd);
        if (!file) return BADF;
        if (file.stream) return SPIPE;
        const base = [0, file.at, files.get(file.path).length][whence];
        if (base === undefined || base + Number(offset) < 0) return INVAL;
        file.at = base + Number(offset);
        view().setBigUint64(at, BigInt(file.at), true);
        return OK;
      },
      fd_readdir: (fd, at, length, cookie, used) => {
        const folder = open.get(fd);
        if (!folder || folder.stream) return BADF;
        const inside = [...files.keys()].filter((name) => name !== "" && parent(name) === folder.path).sort();
        let written = 0;
        for (let i = Number(cookie); i < inside.length && written < length; i++) {
          const name = encoder.encode(inside[i].slice(inside[i].lastIndexOf("/") + 1));
          const entry = new Uint8Array(24 + name.length);
          const head = new DataView(entry.buffer);
          head.setBigUint64(0, BigInt(i + 1), true);
          head.setUint32(16, name.length, true);
          head.setUint8(20, files.get(inside[i]) === null ? DIRECTORY : REGULAR);
          entry.set(name, 24);
          const part = entry.subarray(0, length - written);
          bytes(at + written, part.length).set(part);
          written += part.length;
        }
        view().setUint32(used, written, true);
        return OK;
      },
      path_open: (fd, _, at, length, flags, _base, _inheriting, mode, opened) => {
        const name = path(fd, at, length);
        if (name === undefined) return BADF;
        if (files.has(name)) {
          if (flags & EXCLUSIVE) return EXIST;
          if (flags & MUST_BE_DIRECTORY && files.get(name) !== null) return NOTDIR;
          if (flags & TRUNCATE) {
            if (files.get(name) === null) return ISDIR;
            files.set(name, new Uint8Array());
          }
        } else {
          if (!(flags & CREATE) || files.get(parent(name)) !== null) return NOENT;
          files.set(name, new Uint8Array());
        }
        open.set(next, { path: name, at: 0, appends: (mode & APPEND) !== 0 });
        view().setUint32(opened, next++, true);
        return OK;
      },
      path_filestat_get: (fd, _, at, length, out) => {
        const name = path(fd, at, length);
        return name === undefined ? BADF : statOf(name, out);
      },
      path_create_directory: (fd, at, length) => {
        const name = path(fd, at, length);
        if (name === undefined) return BADF;
        if (files.has(name)) return EXIST;
        if (files.get(parent(name)) !== null) return NOENT;
        files.set(name, null);
        return OK;
      },
      path_remove_directory: (fd, at, length) => {
        const name = path(fd, at, length);
        if (files.get(name) !== null) return files.has(name) ? NOTDIR : NOENT;
        if ([...files.keys()].some((other) => other !== "" && parent(other) === name)) return NOTEMPTY;
        files.delete(name);
        return OK;
      },
      path_unlink_file: (fd, at, length) => {
        const name = path(fd, at, length);
        if (files.get(name) === null) return ISDIR;
        return files.delete(name) ? OK : NOENT;
      },
      path_rename: (fd, at, length, toFd, toAt, toLength) => {
        const [name, to] = [path(fd, at, length), path(toFd, toAt, toLength)];
        if (!files.has(name) || to === undefined) return NOENT;
        files.set(to, files.get(name));
        files.delete(name);
        return OK;
      },
    };
    // What the program never needs here is there, and says that it is not.
    const refuse = () => NOSYS;
    const complete = new Proxy(calls, { get: (all, name) => all[name] ?? refuse });
    return {
      imports: { wasi_snapshot_preview1: complete, env: absent },
      attach: (exports) => { memory = exports.memory; },
    };
  };

  /**
   * Runs the program once. Every run has a memory of its own.
   * @returns {{code: number, crash: string|null}} the exit code; where the program itself is at fault, 101 and what happened
   */
  const run = (module, system) => {
    const { imports, attach } = make(system);
    try {
      const instance = new WebAssembly.Instance(module, imports);
      attach(instance.exports);
      instance.exports._start();
      return { code: 0, crash: null };
    } catch (error) {
      return error instanceof Exit ? { code: error.code, crash: null } : { code: 101, crash: String(error) };
    }
  };

  return { run };
})();
