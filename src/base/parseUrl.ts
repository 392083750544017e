/** An address, undefined when it is none. `URL.canParse` says yes to some, with very long hosts, that the constructor refuses. */
export function parseUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}
