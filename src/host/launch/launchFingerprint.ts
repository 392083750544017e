import { fingerprint } from '../../base/fingerprint';
import { isLoopback } from '../../base/text';
import { isSocket } from '../settings/entryTexts';
import { fieldsWith } from '../settings/fields';
import type { InputDefinition } from '../settings/inputs';
import type { ServerEntry } from '../settings/schema';
import { fetchedBy, programsOf } from './runChain';

/** The parts of an entry that need new consent when they change. Roots are left out: only folders of the workspace are shared. */
function launchOf(entry: ServerEntry): Record<string, unknown> {
  // Of what its author does with it, only these start something.
  const { build, sandbox, debug } = (entry.type === 'stdio' && entry.dev) || {};
  return {
    ...fieldsWith(entry, 'program', 'rights'),
    ...(build !== undefined && { build, ...(sandbox && { buildSandbox: sandbox }) }),
    ...(debug !== undefined && { debug }),
  };
}

/** SHA-256 of all that would be launched: the reviewed entry and its inputs. Salted, as it may hold secrets. */
export function launchFingerprint(reviewed: ServerEntry, inputs: readonly InputDefinition[], salt: string): string {
  return fingerprint({ salt, launch: launchOf(reviewed), inputs });
}

const RELATIVE = /(^|=|^file:)\.{1,2}([\\/]|$)/;

/** Whether the working folder decides which program runs, by a relative path or a file among its arguments. */
export function runsByFolder(entry: ServerEntry): boolean {
  if (entry.type !== 'stdio') return false;
  const { command, args } = entry;
  if (/[\\/]/.test(command) && !/^([\\/]|[a-z]:)/i.test(command)) return true;
  if (args.some(argument => RELATIVE.test(argument))) return true;
  const chain = programsOf(command, args);
  if (!('programs' in chain)) return true;
  const { programs } = chain;
  if (programs.some(({ known }) => known?.kind === 'shell')) return true;
  const readsIt = programs.some(({ known }) => known && known.kind !== 'elsewhere');
  return readsIt && !programs.some(program => fetchedBy(program));
}

const PINNED = /^(@[\w.~-]+\/)?[\w.~-]+(\[[\w,-]+\])?(@v?|==)\d+\.\d[\w.+-]*$/;

/** Whether a program fetches a package of a fixed version, and no argument is a relative path. */
export function fetchesPinned(entry: ServerEntry): boolean {
  if (entry.type !== 'stdio' || entry.args.some(argument => RELATIVE.test(argument))) return false;
  const chain = programsOf(entry.command, entry.args);
  const fetched = 'programs' in chain ? chain.programs.map(fetchedBy).find(Boolean) : undefined;
  return fetched?.words.some(({ text }) => PINNED.test(text)) === true;
}

/** Whether traffic to this address is unencrypted. Unknown counts as unencrypted. */
export function isClearText(url: string): boolean {
  if (/^https:/i.test(url) || isSocket(url)) return false;
  if (!URL.canParse(url)) return true;
  const address = new URL(url);
  return address.protocol !== 'https:' && !isLoopback(address);
}
