import { opendir } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '../../../base/errors';
import { readBounded } from '../../../base/files';
import { isObject } from '../../../base/json';
import type { Phrase, PhraseError } from '../../../base/phrase';
import { readServers } from './hostDialects';
import type { ImportPlace } from './importPlaces';
import { readContent } from './readText';
import type { ServerDraft } from './serverDraft';

/** A larger file is no settings. `~/.claude.json` keeps histories too. */
const MAX_BYTES = 32 * 1024 * 1024;
/** The largest file from a workspace: anybody may have written it, and it contains settings only. */
const MAX_WORKSPACE_BYTES = 1024 * 1024;
const MAX_FILES = 100;
/** More names of one folder are not looked at. */
const MAX_NAMES = 10_000;

/** The servers in one file. */
export interface FoundServers {
  place: ImportPlace;
  /** Path of the file. */
  path: string;
  /** A folder that these servers are for, where the file has some for each. */
  project?: string;
  servers: readonly ServerDraft[];
}

/** A file that is there and could not be read. */
export interface Unreadable {
  path: string;
  reason: Phrase | string;
}

export interface Findings {
  found: readonly FoundServers[];
  unreadable: readonly Unreadable[];
}

/** Looks into all places. One file that cannot be read takes no other down. */
export async function findServers(places: readonly ImportPlace[]): Promise<Findings> {
  const found: FoundServers[] = [];
  const unreadable: Unreadable[] = [];
  for (const place of places) {
    for (const path of await filesOf(place)) {
      try {
        found.push(...(await readPlace(place, path)));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT')
          unreadable.push({ path, reason: (error as Partial<PhraseError>).phrase ?? messageOf(error, 200) });
      }
    }
  }
  return { found: found.filter(({ servers }) => servers.length > 0), unreadable };
}

/** The servers of one file. Rejects when it is not there, no regular file, too large, or not what its name says. */
export async function readPlace(place: ImportPlace, path: string): Promise<FoundServers[]> {
  const text = await readBounded(path, place.inWorkspace ? MAX_WORKSPACE_BYTES : MAX_BYTES);
  const content = text.trim() === '' ? {} : readContent(text.replace(/^\ufeff/, ''), path);
  const serversIn = (part: unknown) => readServers(part, place.dialect).filter(({ entry }) => !isOwnBridge(entry));
  const own = { place, path, servers: serversIn(content) };
  if (place.dialect !== 'claudeCode' || !isObject(content) || !isObject(content.projects)) return [own];
  const projects = Object.entries(content.projects).map(([project, of]) => ({
    place,
    path,
    project,
    servers: serversIn(of),
  }));
  return [own, ...projects];
}

async function filesOf({ path, each }: ImportPlace): Promise<string[]> {
  if (!each) return [path];
  const names = await namesIn(path).catch(() => []);
  if ('file' in each) return names.slice(0, MAX_FILES).map(name => join(path, name, each.file));
  return names
    .filter(name => each.suffixes.some(suffix => name.endsWith(suffix)))
    .slice(0, MAX_FILES)
    .map(name => join(path, name));
}

async function namesIn(folder: string): Promise<string[]> {
  const names: string[] = [];
  for await (const { name } of await opendir(folder)) {
    if (names.push(name) >= MAX_NAMES) break;
  }
  return names.sort();
}

const BRIDGE = /[\\/]\.mcp-host[\\/]bridge\.js$/;

/** Whether an entry of another host starts our own bridge: as a server of ours it would lead back to us. */
function isOwnBridge(entry: unknown): boolean {
  if (!isObject(entry)) return false;
  const words = [entry.command, entry.args].flat();
  return words.some(word => typeof word === 'string' && BRIDGE.test(word));
}
