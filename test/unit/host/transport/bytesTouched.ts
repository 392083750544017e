/** How many bytes buffers look through, join, copy and decode while `run` runs: work that no other program slows down. */
export function bytesTouched(run: () => void): number {
  const { concat, prototype } = Buffer;
  const { indexOf, toString: decode, copy } = prototype;
  let bytes = 0;
  Buffer.concat = (...args) => {
    const joined = concat(...args);
    bytes += joined.length;
    return joined;
  };
  Object.assign(prototype, {
    indexOf(this: Buffer, ...args: Parameters<typeof indexOf>) {
      const found = indexOf.apply(this, args);
      bytes += (found < 0 ? this.length : found + 1) - Number(args[1] ?? 0);
      return found;
    },
    toString(this: Buffer, ...args: Parameters<typeof decode>) {
      const text = decode.apply(this, args);
      bytes += text.length;
      return text;
    },
    copy(this: Buffer, ...args: Parameters<typeof copy>) {
      const copied = copy.apply(this, args);
      bytes += copied;
      return copied;
    },
  });
  try {
    run();
  } finally {
    Buffer.concat = concat;
    Object.assign(prototype, { indexOf, toString: decode, copy });
  }
  return bytes;
}
