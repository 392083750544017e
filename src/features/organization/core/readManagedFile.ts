import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { readBounded } from '../../../base/files';
import { type Phrase, PhraseError, phrase } from '../../../base/phrase';
import { type ManagedPlaces, mayBeThere } from './managedPlaces';

const MAX_BYTES = 1024 * 1024;
/** Others than the owner may write. */
const WRITABLE = 0o022;

/** Reads a managed file. @returns its text, undefined if there is none, or why it does not count. */
export async function readManagedFile(
  path: string,
  owner: ManagedPlaces['owner'],
): Promise<string | undefined | Phrase> {
  try {
    const text = await readBounded(path, MAX_BYTES);
    return (await strangerTo(path, owner)) ?? text;
  } catch (error) {
    if (!(await mayBeThere(path))) return undefined;
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    return error instanceof PhraseError ? error.phrase : phrase("it can't be read ({0})", code);
  }
}

/** Who else may have written a file. Both it and its folder count, as whoever may write the folder may replace the file. */
async function strangerTo(path: string, owner: ManagedPlaces['owner']): Promise<Phrase | undefined> {
  if (owner === undefined) return undefined;
  for (const place of [path, dirname(path)]) {
    if (owner === 'administrators') {
      const stranger = await windowsStranger(place);
      if (stranger) return stranger;
      continue;
    }
    const { uid, mode } = await stat(place);
    if (uid !== owner) return phrase('{0} does not belong to the administrator of this machine', place);
    if (mode & WRITABLE) return phrase('{0} can be written by others than its owner', place);
  }
  return undefined;
}

/** A fixed place: PATH and SystemRoot are the person's to set. */
const POWERSHELL = 'C:\\Windows\\System32\\WindowsPowerShell\\v1.0\\powershell.exe';
const TIMEOUT_MS = 20_000;

/** Administrators, the system, the local and the domain's administrator, and the installer of Windows. */
const TRUSTED = new Set([
  'BA',
  'SY',
  'LA',
  'DA',
  'S-1-5-32-544',
  'S-1-5-18',
  'S-1-5-80-956008885-3418522649-1831038044-1853292631-2271478464',
]);
/** Rights to read and run, as they are written. All others may change something. */
const HARMLESS = new Set(['FR', 'FX', 'GR', 'GX', 'RC']);
/** The bits of these, and to wait for a file (SYNCHRONIZE). */
const HARMLESS_BITS = 0x1200a9 | 0x80000000 | 0x20000000;

/** By path and by when the file or its rights changed last: starting PowerShell takes a moment. */
const checked = new Map<string, Promise<Phrase | undefined>>();

/**
 * Who else than administrators may write a file or folder on Windows, or why that can't be told: then it does not count.
 * @param read the owner and rights of a path, as Windows writes them (SDDL)
 */
export async function windowsStranger(path: string, read = readSddl): Promise<Phrase | undefined> {
  const { ctimeMs, ino } = await stat(path);
  const key = JSON.stringify([path, ctimeMs, ino]);
  const known = checked.get(key);
  if (known !== undefined) return known;
  const verdict = read(path).then(
    sddl => verdictOf(path, sddl),
    () => {
      checked.delete(key);
      return phrase('it cannot be told who may write {0}', path);
    },
  );
  checked.set(key, verdict);
  return verdict;
}

function verdictOf(path: string, sddl: string): Phrase | undefined {
  const { owner, rights } = parseSddl(sddl) ?? {};
  if (owner === undefined || rights === undefined) return phrase('it cannot be told who may write {0}', path);
  if (!TRUSTED.has(owner)) return phrase('{0} does not belong to the administrator of this machine', path);
  return rights.every(isHarmless) ? undefined : phrase('{0} can be written by others than its owner', path);
}

interface Rights {
  readonly type: string;
  readonly flags: string;
  readonly mask: string;
  readonly who: string;
}

/** Undefined: it is not understood. Without a list of rights, everybody has all of them. */
function parseSddl(sddl: string): { readonly owner: string; readonly rights: readonly Rights[] } | undefined {
  const [, owner, list] =
    /^O:([A-Z]{2}|S-[\d-]+)(?:G:(?:[A-Z]{2}|S-[\d-]+))?D:[A-Z]*((?:\([^()]*\))+)(?:S:.*)?$/.exec(sddl.trim()) ?? [];
  if (owner === undefined || list === undefined) return undefined;
  const rights = [...list.matchAll(/\(([^()]*)\)/g)].map(([, text = '']) => {
    const [type = '', flags = '', mask = '', , , who = ''] = text.split(';');
    return { type, flags, mask, who };
  });
  return { owner, rights };
}

function isHarmless({ type, flags, mask, who }: Rights): boolean {
  // A denial gives nothing, and what is only inherited concerns other files.
  if (type === 'D' || pairs(flags).includes('IO')) return true;
  if (TRUSTED.has(who)) return true;
  if (type !== 'A') return false;
  if (/^0x[\da-f]+$/i.test(mask)) return (Number(mask) & ~HARMLESS_BITS) === 0;
  return pairs(mask).every(right => HARMLESS.has(right));
}

const pairs = (text: string): readonly string[] => text.match(/../g) ?? [];

function readSddl(path: string): Promise<string> {
  const quoted = `'${path.replaceAll("'", "''")}'`;
  const script = `(Get-Acl -LiteralPath ${quoted}).Sddl`;
  return new Promise((resolve, reject) => {
    const options = { timeout: TIMEOUT_MS, windowsHide: true, env: { SystemRoot: 'C:\\Windows' } };
    execFile(POWERSHELL, ['-NoProfile', '-NonInteractive', '-Command', script], options, (error, stdout) =>
      error ? reject(error) : resolve(stdout),
    );
  });
}
