import { lstatSync, realpathSync } from 'node:fs';
import * as nodePath from 'node:path';
import { fileURLToPath } from 'node:url';
import { attempt } from './errors';
import { lazy } from './events';
import { normalized } from './normalized';
import { firstNotBefore } from './sorted';

/** Characters that become a separator, a dot or an end when decoded once more. */
const ENCODED = /%(25)*(2e|2f|5c|00)/i;
/** The rules that paths follow; those of this machine where none are given. */
export interface PathSystem {
  platform: NodeJS.Platform;
  path: Pick<typeof nodePath, 'isAbsolute' | 'relative' | 'sep'>;
}
const here: PathSystem = { platform: process.platform, path: nodePath };

/** No program decodes codes within codes that often. */
const MAX_READINGS = 8;
/** Longer than any path that an operating system accepts. */
const MAX_LENGTH = 32_768;
/** Windows paths to devices, shares and streams of a file. None of them counts as being in a folder. */
const ON_A_DRIVE = /^[a-z]:[\\/][^:]*$/i;

// Compiled when first needed, as every window loads this file at its start.

/** Two dots by themselves, whatever punctuation is around them: `..`, `..;`, `{a,..}`. */
const upwards = lazy(() => /(^|[^\p{L}\p{N}_.])\.\.[. ]*($|[^\p{L}\p{N}_. ])/u);
/** Characters that some program reads as several paths, a pattern or a command, including line breaks. */
const compound = lazy(() => /[\p{Cc}\u2028\u2029;|&<>`*?]|\$\(|\{[^{}]*,|\s--?\w|[\s,:=]~/u);
/** The folder before another path: `/in/a,/out`, `/in/a /out`, `/in/a --to=/out`. */
const BEFORE_NEXT = /[\s,:="'([]$/;

/**
 * The file or folder that a text names unambiguously: an absolute path or a `file:` URI of this machine. Undefined for
 * anything that another program could read as a different place, or as several: a relative path, `..` (which goes elsewhere
 * after a link), encoded separators, lists, patterns, commands.
 */
export function pathOf(text: string, { platform, path: { isAbsolute } } = here): string | undefined {
  if (text.length > MAX_LENGTH || text.includes('\0') || ENCODED.test(text)) return undefined;
  const path = /^file:/i.test(text) ? ofUri(text, platform === 'win32') : text;
  if (path === undefined || !isAbsolute(path)) return undefined;
  if (platform === 'win32' && !ON_A_DRIVE.test(path)) return undefined;
  // Elsewhere a backslash is part of a name, but many programs take it for a separator.
  if (platform !== 'win32' && path.includes('\\')) return undefined;
  const parts = partsOf(path);
  if (compound().test(path) || parts.slice(1, -1).some(part => BEFORE_NEXT.test(part))) return undefined;
  // Characters that look like separators or dots become these when they are normalized.
  const plain = partsOf(normalized(path, 'NFKC'));
  return plain.length !== parts.length || [...parts, ...plain].some(part => upwards().test(part)) ? undefined : path;
}

/** Every path that a text with a `pathOf` may stand for, with `%20` and the like decoded and not. */
export function readingsOf(text: string, system = here): string[] | undefined {
  const path = pathOf(text, system);
  if (path === undefined) return undefined;
  const readings = [path];
  const written = text.replace(/^file:\/\/(localhost)?/i, '');
  const isDrive = system.platform === 'win32';
  let [before, at] = ['', isDrive ? written.replace(/^\/([a-z])(:|%3a)(?=\/)/i, '$1:') : written];
  for (; at !== before; [before, at] = [at, decoded(at)]) {
    if (pathOf(at, system) === undefined || readings.length > MAX_READINGS) return undefined;
    readings.push(at);
  }
  return readings.every(reading => !reading.includes('[') || isThere(reading)) ? readings : undefined;
}

/** Resolves every link in a path, also above a part that does not exist. Undefined when a link leads nowhere. */
export function realPlace(path: string): string | undefined {
  const { dirname, join, relative } = nodePath;
  const real = realOrMissing(path);
  if (real !== null) return real;
  const above: string[] = [];
  let at = path;
  for (; dirname(at) !== at; at = dirname(at)) above.push(at);
  // A path may have thousands of levels, so not each of them is looked at.
  const folder = above[firstNotBefore(above, one => !isThere(one))] ?? at;
  // What exists but leads nowhere is a link: writing to it would create a file elsewhere.
  const place = isThere(path) ? undefined : realOrMissing(folder);
  return place ? join(place, relative(folder, path)) : undefined;
}

/** Null: there is nothing. Undefined: it can't be told. */
function realOrMissing(path: string): string | null | undefined {
  try {
    return realpathSync.native(path);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? null : undefined;
  }
}

/** Whether a file is the folder or in it, at whatever depth: by their names, on Windows in any case. Both are absolute. */
export function isWithin(folder: string, file: string, { path: { isAbsolute, relative, sep } } = here): boolean {
  const way = relative(folder, file);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** A path as Windows programs write it, with a capital drive letter: some programs take `c:\` and `C:\` for different drives. */
export const withDrive = (path: string): string => path.replace(/^[a-z](?=:[\\/])/, letter => letter.toUpperCase());

/**
 * The URI of a root as servers get it. The editor writes `file:///c%3A/work`: some servers take that for no folder, and some
 * compare it with a path that they know as `C:\work`. Shares (`file://server/share`) are as they should be.
 * @param uri as the editor writes it.
 */
export function rootUri(uri: string, platform: NodeJS.Platform = process.platform): string {
  if (platform !== 'win32') return uri;
  return uri.replace(/^file:\/\/\/([a-z])(?:%3a|:)(?=\/|$)/i, (_, drive: string) => `file:///${drive.toUpperCase()}:`);
}

function ofUri(text: string, windows: boolean): string | undefined {
  // A host means a file on another machine. A query or fragment is not part of the path, but some programs think so.
  if (!/^file:\/\/(localhost)?\/[^?#]*$/i.test(text)) return undefined;
  // `URL` would resolve these; a server that reads the text as a path would not.
  if (partsOf(text).some(part => part === '..')) return undefined;
  return attempt(() => fileURLToPath(text, { windows }));
}

/** Decodes each valid code, even next to invalid ones: not every program gives up at those. */
const decoded = (text: string) =>
  text.replace(/(%[\da-f]{2})+/gi, codes => Buffer.from(codes.replaceAll('%', ''), 'hex').toString());

/** Split at both separators, on every system. */
const partsOf = (path: string) => path.split(/[\\/]/);

function isThere(path: string): boolean {
  try {
    lstatSync(path);
    return true;
  } catch {
    return false;
  }
}
