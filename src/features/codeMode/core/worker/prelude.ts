/**
 * The globals of a script besides JavaScript itself: `tools` and `console`. It runs inside the isolate before the script, which
 * can change whatever it finds there: that harms only the script, since all limits are enforced outside.
 *
 * The value is a function that gets three functions of the worker, and gives it two: one that takes the results of calls, one
 * that follows the promise of the script.
 */
export const PRELUDE = `(function (call, print, ended) {
  'use strict';
  const { parse, stringify } = JSON;
  const pending = new Map();
  let count = 0;

  function make(name) {
    return (args = {}) => {
      // Made here, so that its stack names the line of the call.
      const failure = new Error();
      failure.name = 'ToolError';
      return new Promise((resolve, reject) => {
        const json = stringify(args);
        if (json === undefined || json[0] !== '{') {
          failure.message = 'A tool takes one object with its arguments.';
          return reject(failure);
        }
        const id = ++count;
        pending.set(id, { resolve, reject, failure });
        call(id, name, json);
      });
    };
  }

  function settle(id, isResult, text) {
    const { resolve, reject, failure } = pending.get(id);
    pending.delete(id);
    if (isResult) return resolve(parse(text));
    failure.message = text;
    reject(failure);
  }

  function withoutCycles() {
    const path = [];
    return function (_key, value) {
      if (typeof value === 'bigint') return String(value);
      if (typeof value === 'function') return '[function]';
      if (value instanceof Map) value = Object.fromEntries(value);
      if (value instanceof Set) value = [...value];
      if (value instanceof Error) return value.name + ': ' + value.message;
      if (typeof value !== 'object' || value === null) return value;
      while (path.length > 0 && path.at(-1) !== this) path.pop();
      if (path.includes(value)) return '[cyclic]';
      path.push(value);
      return value;
    };
  }

  function shown(value) {
    if (typeof value === 'string') return value;
    try {
      return stringify(value, withoutCycles()) ?? String(value);
    } catch (error) {
      return '[cannot be shown: ' + error + ']';
    }
  }

  const log = (...values) => print(values.map(shown).join(' '));
  globalThis.console = Object.freeze({ log, info: log, debug: log, warn: log, error: log });
  globalThis.tools = new Proxy(Object.freeze(Object.create(null)), {
    get: (_target, name) => (typeof name === 'string' && name !== 'then' ? make(name) : undefined),
  });

  function follow(promise) {
    promise.then(
      value => {
        if (value !== undefined) log(value);
        ended(true, '', '');
      },
      error => {
        const isError = error instanceof Error;
        ended(false, isError ? error.name + ': ' + error.message : shown(error), isError ? String(error.stack) : '');
      },
    );
  }

  return { settle, follow };
})`;
