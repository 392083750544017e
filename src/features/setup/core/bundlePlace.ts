/** Whether a path or an address ends like that of a bundle. */
export const isBundle = (place: string): boolean => /\.(mcpb|dxt)$/i.test(place.replace(/[?#].*$/, ''));

/** The path or address of a bundle that a whole text is, without quotation marks. */
export function bundlePlace(text: string): string | undefined {
  const isPath = /^([\\/]|[A-Za-z]:[\\/])[^\n"]*$/.test(text);
  const isAddress = /^https?:\/\/\S+$/i.test(text) && URL.canParse(text);
  return (isPath || isAddress) && isBundle(text) ? text : undefined;
}

/** The bundle that a package of a registry is: one file at an address, with its SHA-256. Else its server could change it. */
export function publishedBundle(place: string, sha256: unknown): { place: string; sha256: string } | undefined {
  const isWhole = /^https?:/i.test(place) && typeof sha256 === 'string' && /^[\da-f]{64}$/i.test(sha256);
  return isWhole ? { place, sha256 } : undefined;
}
