/**
 * The parsed address, or undefined if it is not one. `URL.canParse` accepts some with very long hosts that the constructor
 * refuses.
 */
export function parseUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}
