/**
 * The URI of a root as servers get it. The editor writes `file:///c%3A/work`: some servers take that for no folder, and some
 * compare it with a path that they know as `C:\work`. Shares (`file://server/share`) are as they should be.
 * @param uri as the editor writes it.
 */
export function rootUri(uri: string, platform: NodeJS.Platform = process.platform): string {
  if (platform !== 'win32') return uri;
  return uri.replace(/^file:\/\/\/([a-z])(?:%3a|:)(?=\/|$)/i, (_, drive: string) => `file:///${drive.toUpperCase()}:`);
}
