/** An HTTP server without a port. */
interface SocketAddress {
  /** The path of a Unix socket, or the name of a Windows pipe. */
  path: string;
  /** The path of requests. */
  url: URL;
}

/** Whether an address is meant to be that of a socket. */
export const isSocket = (address: string): boolean => /^(unix|pipe):/i.test(address);

/**
 * Reads the address of a server on a socket, in the form of VS Code's `mcp.json`: `unix:///path/to/server.sock#/mcp`, or
 * `pipe:///pipe/name#/mcp` for a Windows named pipe. Undefined for any other address.
 */
export function socketOf(address: string, platform = process.platform): SocketAddress | undefined {
  if (!/^\w+:\/\/\/+[^/?#]/.test(address) || !isSocket(address) || !URL.canParse(address)) return undefined;
  const { protocol, pathname, search, hash } = new URL(address);
  const url = new URL(`http://localhost/${hash.replace(/^#\/*/, '')}${search}`);
  const path = decoded(pathname);
  if (platform !== 'win32') return { path, url };
  return { path: protocol === 'pipe:' ? `\\\\.${path.replaceAll('/', '\\')}` : path.slice(1), url };
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    // Its "%" is part of a name.
    return path;
  }
}
