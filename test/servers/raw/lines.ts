/**
 * A listener for a stream's `data` that calls `onLine` with each whole line, without its end. Only `\n` ends a line:
 * `node:readline` also breaks at U+2028, which JSON may hold.
 */
export function eachLine(onLine: (line: string) => void): (chunk: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0);
  return chunk => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
      const line = rest.subarray(0, end).toString().replace(/\r$/, '');
      rest = rest.subarray(end + 1);
      if (line !== '') onLine(line);
    }
  };
}
