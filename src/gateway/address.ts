import { randomBytes } from 'node:crypto';
import { lstat, mkdtemp, readdir, rmdir, unlink } from 'node:fs/promises';
import * as net from 'node:net';
import { tmpdir } from 'node:os';
import * as path from 'node:path';

/** Where a gateway listens. */
export type ListeningPlace =
  | { readonly kind: 'unix'; readonly path: string; readonly folder: string }
  | { readonly kind: 'pipe'; readonly path: string }
  /** Loopback only. */
  | { readonly kind: 'tcp' };

const PREFIX = 'mcp-host-gateway-';
const SOCKET = 's';
/** `sun_path` has 108 bytes on Linux and 104 on macOS, with the closing zero. */
const MAX_PATH_BYTES = 103;
/** A folder without a socket belongs to a window that is just starting, or to one that crashed long ago. */
const STARTING_MS = 60_000;
const MAX_STALE = 50;

/**
 * A place for this window alone: a socket in a new folder that only this user may enter, or on Windows a named pipe with an
 * unguessable name. `tcp` if no folder has a path that is short enough.
 */
export async function newPlace(): Promise<ListeningPlace> {
  if (process.platform === 'win32') {
    return { kind: 'pipe', path: `\\\\.\\pipe\\${PREFIX}${randomBytes(16).toString('hex')}` };
  }
  for (const base of folders()) {
    const longest = path.join(base, `${PREFIX}XXXXXX`, SOCKET);
    if (Buffer.byteLength(longest) > MAX_PATH_BYTES) continue;
    try {
      // Made with mode 0700.
      const folder = await mkdtemp(path.join(base, PREFIX));
      void removeStale(base);
      return { kind: 'unix', path: path.join(folder, SOCKET), folder };
    } catch {
      // Not writable; try the next one.
    }
  }
  return { kind: 'tcp' };
}

/** Removes what is left of a place once nothing listens there. Never rejects. */
export async function leavePlace(place: ListeningPlace): Promise<void> {
  if (place.kind === 'unix') await removePlace(place.folder).catch(() => {});
}

/**
 * Removes a socket and the folder around it, and nothing else: if the folder contains anything more, it is not ours alone.
 */
async function removePlace(folder: string): Promise<void> {
  const socket = path.join(folder, SOCKET);
  const isThere = await lstat(socket).then(
    found => found.isSocket(),
    () => false,
  );
  if (isThere) await unlink(socket);
  await rmdir(folder);
}

function folders(): string[] {
  const bases = [process.env.XDG_RUNTIME_DIR, tmpdir(), '/tmp'];
  return [...new Set(bases.filter((base): base is string => !!base))];
}

/** Removes folders of windows that crashed: those whose socket does not answer. Never rejects. */
async function removeStale(base: string): Promise<void> {
  try {
    const names = (await readdir(base)).filter(name => name.startsWith(PREFIX)).slice(0, MAX_STALE);
    await Promise.all(names.map(name => removeIfStale(path.join(base, name))));
  } catch {
    // Leftovers must not make it fail.
  }
}

async function removeIfStale(folder: string): Promise<void> {
  try {
    const { uid, mtimeMs } = await lstat(folder);
    if (uid !== process.getuid?.()) return;
    const answer = await knock(path.join(folder, SOCKET));
    const isStale = answer === 'ECONNREFUSED' || (answer === 'ENOENT' && Date.now() - mtimeMs > STARTING_MS);
    if (isStale) await removePlace(folder);
  } catch {
    // It is gone already, or is not ours.
  }
}

/** The error code of a connection; undefined when the socket is in use. */
function knock(socketPath: string): Promise<string | undefined> {
  return new Promise(resolve => {
    const socket = net.connect(socketPath, () => {
      socket.destroy();
      resolve(undefined);
    });
    socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? 'unknown'));
  });
}
