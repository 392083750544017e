import { dirname, isAbsolute } from 'node:path';
import { fileURLToPath } from 'node:url';
import type * as vscode from 'vscode';
import { isWithin, realPlace } from '../../base/filePlace';
import { fingerprint } from '../../base/fingerprint';
import type { ClientIdentity } from './core/clients';

/** More frames than lie between a caller and this code. */
const MAX_FRAMES = 50;

type InstalledExtension = Pick<vscode.Extension<unknown>, 'id' | 'extensionPath'>;

/**
 * The extension whose code has called this one: that of the first file on the stack that is not ours. Undefined if that belongs
 * to no extension. The extension is not asked for its name; but all extensions share one process, where malicious code can
 * forge a stack.
 */
export function callerOf<T extends InstalledExtension>(
  extensions: readonly T[],
  own: InstalledExtension,
): T | undefined {
  const places = extensions.map(extension => ({ extension, folder: realPlace(extension.extensionPath) }));
  for (const file of filesOnStack()) {
    const place = file === undefined ? undefined : realPlace(file);
    if (place === undefined) return undefined;
    const found = places.filter(({ folder }) => folder !== undefined && isWithin(folder, place));
    // Of nested folders, the innermost.
    const [innermost] = found.sort((one, other) => other.folder!.length - one.folder!.length);
    if (innermost?.extension.id !== own.id) return innermost?.extension;
  }
  return undefined;
}

/** The files on the stack, innermost first. Undefined for code without a file, such as the text of an `eval`. */
function filesOnStack(): (string | undefined)[] {
  const { prepareStackTrace, stackTraceLimit } = Error;
  try {
    Error.stackTraceLimit = MAX_FRAMES;
    // Not the text of a stack: source maps may have changed what that says.
    Error.prepareStackTrace = (_, sites) => sites;
    const sites = new Error().stack as unknown as NodeJS.CallSite[];
    return sites.map(site => fileOf(site.getFileName()));
  } finally {
    Object.assign(Error, { prepareStackTrace, stackTraceLimit });
  }
}

/** The path of a stack frame; undefined for other names, such as `node:events`. */
function fileOf(name: string | null | undefined): string | undefined {
  try {
    const path = name?.startsWith('file:') ? fileURLToPath(name) : name;
    return path && isAbsolute(path) ? path : undefined;
  } catch {
    return undefined;
  }
}

/** What a person allows: an extension of this id and name, installed here; in any version, to survive updates. */
export function extensionIdentity({ id, extensionPath, packageJSON }: vscode.Extension<unknown>): ClientIdentity {
  const { displayName, name, publisher, version, isBuiltin } = packageJSON as Readonly<Record<string, unknown>>;
  const shown = [displayName, name].find(one => typeof one === 'string' && one !== '');
  const known = { id: id.toLowerCase(), name: String(shown ?? id) };
  // The folder of those that come with the editor is another after each update of that.
  const folder = isBuiltin === true ? '' : dirname(extensionPath);
  return {
    ...known,
    kind: 'extension',
    details: [
      { what: 'publisher', text: String(publisher) },
      { what: 'version', text: String(version) },
      { what: 'folder', text: extensionPath },
    ],
    fingerprint: fingerprint({ ...known, folder }),
  };
}
