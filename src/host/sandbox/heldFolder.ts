import {
  chmodSync,
  closeSync,
  constants,
  openSync,
  readdirSync,
  realpathSync,
  rmdirSync,
  rmSync,
  unlinkSync,
} from 'node:fs';
import { join, relative } from 'node:path';

/** A name as it stands on the disk, where it need not be text. */
export const nameInBytes = (held: string, name: string): string | Buffer =>
  (name.includes('\ufffd') && readdirSync(held, { encoding: 'buffer' }).find(entry => String(entry) === name)) || name;

export const inBytes = (held: string, name: string | Buffer): string | Buffer =>
  typeof name === 'string' ? join(held, name) : Buffer.concat([Buffer.from(`${held}/`), name]);

/** Opens only the name of something, which needs no right to read it. */
const O_PATH = 0o10000000;
const ALONE = constants.O_DIRECTORY | constants.O_NOFOLLOW;
const isLinux = process.platform === 'linux';

/**
 * Calls a function with a path of a folder that leads to nothing else, even if a hostile program replaces a folder on the way by
 * a link meanwhile. Where the system has no such paths, links are looked for just before.
 * @param top that program can't replace it.
 * @throws Node's error if there is a link on the way, or no such folder.
 */
export function inHeldFolder<T>(top: string, folder: string, use: (held: string) => T): T {
  if (!isLinux) {
    if (realpathSync.native(folder) === folder) return use(folder);
    throw Object.assign(new Error(`ELOOP: a link leads elsewhere, '${folder}'`), { code: 'ELOOP' });
  }
  const opened: number[] = [];
  const hold = (path: string) => {
    opened.push(openSync(path, O_PATH | ALONE));
    return `/proc/self/fd/${opened.at(-1)}`;
  };
  try {
    let held = hold(top);
    for (const part of relative(top, folder).split('/').filter(Boolean)) held = hold(`${held}/${part}`);
    return use(held);
  } finally {
    for (const fd of opened) closeSync(fd);
  }
}

/** Gives the owner back all rights to a folder, from which a program may have taken them. */
export function reopenFolder(top: string, folder: string): void {
  inHeldFolder(top, folder, held => chmodSync(held, 0o700));
}

/** Removes something in a held folder with all that is in it. A program may still hold it open, and put links there. */
export function removeHeld(held: string, name: string | Buffer): void {
  const path = inBytes(held, Buffer.from(name));
  if (!isLinux) {
    rmSync(join(held, String(name)), { recursive: true, force: true });
    return;
  }
  let fd: number;
  try {
    fd = openSync(path, constants.O_RDONLY | ALONE);
  } catch {
    unlinkSync(path); // No folder.
    return;
  }
  try {
    const inside = `/proc/self/fd/${fd}`;
    for (const entry of readdirSync(inside, { encoding: 'buffer' })) removeHeld(inside, entry);
  } finally {
    closeSync(fd);
  }
  rmdirSync(path);
}
