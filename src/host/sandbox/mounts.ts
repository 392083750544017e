import { lstatSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { attempt } from '../../base/errors';
import { isWithin } from '../../base/filePlace';
import { readBounded } from '../../base/files';
import { inHeldFolder } from './heldFolder';
import type { SandboxPlace } from './onDisk';

/** How long mounts may take, and how often it is asked whether all are there, in milliseconds. */
const MOUNTED_MS = 10_000;
const ASKS_MS = 2;
const MAX_MOUNTS_BYTES = 8 * 1024 * 1024;

/**
 * Waits until the places of a policy are mounted for a process. Another program, which may change a folder around a place, can have
 * replaced it by a link when the mount was made: so what is mounted is compared with what is there, following no link.
 * @param folders that other programs may change
 * @returns a place that is not mounted in time, or that something else is mounted on. Undefined: there is none.
 */
export async function misplaced(
  pid: number,
  places: readonly SandboxPlace[],
  folders: readonly string[],
  { mostMs = MOUNTED_MS, isAlive = () => true }: { mostMs?: number; isAlive?: () => boolean } = {},
): Promise<string | undefined> {
  // The outermost: one inside of another may be replaced itself.
  const outermost = [...folders].sort((one, other) => one.length - other.length);
  const checked = places.flatMap(place => {
    const folder = outermost.find(one => one !== place.path && isWithin(one, place.path));
    return folder === undefined ? [] : [{ place, folder }];
  });
  if (checked.length === 0) return undefined;
  const until = performance.now() + mostMs;
  const missing = async () => {
    const points = await mountPoints(pid);
    return checked.find(({ place }) => !points.has(place.path));
  };
  let absent = await missing();
  for (; absent && isAlive() && performance.now() < until; absent = await missing()) await pause(ASKS_MS);
  const isSame = ({ place: { path, access, isMissing }, folder }: (typeof checked)[number]) =>
    // Nothing of the disk is shown there.
    isMissing ||
    access === 'hidden' ||
    attempt(() => identityIn(folder, path) === identityIn(folder, path, `/proc/${pid}/root`), false);
  return (absent ?? checked.find(one => !isSame(one)))?.place.path;
}

/** Tells a file or folder from any other, and from what a link on the way would lead to. @throws Node's error if there is a link */
function identityIn(folder: string, path: string, root = ''): string {
  return inHeldFolder(`${root}${folder}`, `${root}${dirname(path)}`, held => {
    const { dev, ino } = lstatSync(`${held}/${basename(path)}`, { bigint: true });
    return `${dev} ${ino}`;
  });
}

/** Where something is mounted for a process, as it is called there. Empty while it sees the disk by other names. */
async function mountPoints(pid: number): Promise<ReadonlySet<string>> {
  const lines = (await readBounded(`/proc/${pid}/mountinfo`, MAX_MOUNTS_BYTES).catch(() => '')).split('\n');
  const bytes = (name: string) =>
    Buffer.from(name)
      .toString('latin1')
      .replace(/\\([0-7]{3})/g, (_code, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));
  return new Set(lines.map(line => Buffer.from(bytes(line.split(' ')[4] ?? ''), 'latin1').toString()));
}
