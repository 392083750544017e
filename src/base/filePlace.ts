import { lstatSync, realpathSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** What may be a separator, a dot or an end to somebody who decodes it once more. */
const ENCODED = /%(25)*(2e|2f|5c|00)/i;
/** Longer than any path that an operating system takes. */
const MAX_LENGTH = 32_768;
/** Windows knows more kinds of absolute paths (devices, shares, streams of a file): none of these is in a folder. */
const ON_A_DRIVE = /^[a-z]:[\\/][^:]*$/i;

/**
 * The file or folder that a text names beyond doubt: an absolute path or a `file:` URI of this machine. Undefined for all
 * that could name another one to somebody else: a relative path, `..` (which goes elsewhere after a link), encoded
 * separators.
 */
export function pathOf(text: string): string | undefined {
  if (text.length > MAX_LENGTH || text.includes('\0') || ENCODED.test(text)) return undefined;
  const path = /^file:/i.test(text) ? ofUri(text) : text;
  if (path === undefined || !isAbsolute(path)) return undefined;
  if (process.platform === 'win32' && !ON_A_DRIVE.test(path)) return undefined;
  // Both separators everywhere, and as Windows does without the spaces and dots at the end.
  if (path.split(/[\\/]/).some(part => /^\.\.[. ]*$/.test(part))) return undefined;
  return path;
}

/**
 * Where a path leads with every link in it resolved; what is not there yet lies in what is. Undefined when that can't be
 * told, as of a link that leads nowhere.
 */
export function realPlace(path: string): string | undefined {
  const missing: string[] = [];
  for (let at = path; ; at = dirname(at)) {
    try {
      return join(realpathSync.native(at), ...missing);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      // What is there, but leads nowhere, is a link: writing to it would make a file elsewhere.
      if (code !== 'ENOENT' || isThere(at) || dirname(at) === at) return undefined;
      missing.unshift(basename(at));
    }
  }
}

/** Whether a file is the folder or in it, at whatever depth. Both as `realPlace` gives them. */
export function isWithin(folder: string, file: string): boolean {
  const way = relative(folder, file);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

function ofUri(text: string): string | undefined {
  // With a host it is a file of another machine; the rest is no part of a path, but some take it for one.
  if (!/^file:\/\/(localhost)?\/[^?#]*$/i.test(text)) return undefined;
  // `URL` would resolve these, a server that takes the text for a path would not.
  if (text.split(/[\\/]/).some(part => part === '..')) return undefined;
  try {
    return fileURLToPath(text);
  } catch {
    return undefined;
  }
}

function isThere(path: string): boolean {
  try {
    lstatSync(path);
    return true;
  } catch {
    return false;
  }
}
