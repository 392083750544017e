import { essence, extensionsOf, mediaKindOf, mediaKindOfExtension } from './mimeTypes';

/** The parts of a resource that make its file name. */
export interface Named {
  uri: string;
  name?: string;
  mimeType?: string | undefined;
}

const MAX_LENGTH = 100;
/** Control, format (bidi, zero width) and private characters, halves of surrogate pairs, separators, blank letters. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0]|\u034f/gu;
/** Characters that some file system forbids: "Save a Copy…" suggests the name too. */
const FORBIDDEN = /[\\/:*?"<>|]/g;
const EXTENSION = /\.([A-Za-z0-9_+-]{1,12})$/;
/** Names that tell an editor more without an extension than with `.txt`: `.env`, `LICENSE`, `Makefile`. */
const CONVENTIONAL = /^\.|^[A-Z]{3,}$|file$/;

/**
 * A file name from which the editor picks language, icon and preview. It is what the server calls the resource, or the
 * last part of its URI when only that has an extension; made safe and bounded. The extension follows the MIME type where
 * the name has none, or one that would open the wrong kind of editor.
 */
export function resourceFileName({ uri, name, mimeType }: Named): string {
  const candidates = [clean(name ?? ''), clean(lastSegment(uri))].filter(Boolean);
  const chosen = candidates.find(candidate => extensionOf(candidate)) ?? candidates[0] ?? 'resource';
  const added = missingExtension(chosen, mimeType);
  return added ? `${bound(chosen, MAX_LENGTH - added.length - 1)}.${added}` : boundBeforeExtension(chosen);
}

/** The extension of a file name without its dot; undefined for `README`, `.env`, `v1.2` and `Mr. Smith`. */
export function extensionOf(fileName: string): string | undefined {
  const extension = EXTENSION.exec(fileName.slice(1))?.[1];
  return extension && /[a-z]/i.test(extension) ? extension : undefined;
}

function missingExtension(fileName: string, mimeType: string | undefined): string | undefined {
  const [usual, ...others] = extensionsOf(mimeType);
  if (!usual) return undefined;
  const extension = extensionOf(fileName)?.toLowerCase();
  if (!extension) return essence(mimeType) === 'text/plain' && CONVENTIONAL.test(fileName) ? undefined : usual;
  if (extension === usual || others.includes(extension)) return undefined;
  const kinds = [mediaKindOf(mimeType), mediaKindOfExtension(extension)];
  return kinds[0] === kinds[1] || !kinds.some(kind => kind && kind !== 'text' && kind !== 'binary') ? undefined : usual;
}

/** The last part of the path, decoded where it can be; without a path, the last part of the URI. */
function lastSegment(uri: string): string {
  const path = uri.slice(0, 10_000).replace(/[?#].*$/s, '');
  const segment = path.split(/[\\/:]+/).findLast(part => part !== '') ?? '';
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

function clean(text: string): string {
  return text
    .slice(0, 1_000)
    .replace(HIDDEN, '_')
    .replace(FORBIDDEN, '-')
    .replace(/\s+/g, ' ')
    .replace(/^ +|[ .]+$/g, '');
}

function boundBeforeExtension(fileName: string): string {
  const extension = extensionOf(fileName);
  if (fileName.length <= MAX_LENGTH || !extension) return bound(fileName, MAX_LENGTH);
  return `${bound(fileName.slice(0, -extension.length - 1), MAX_LENGTH - extension.length - 1)}.${extension}`;
}

/** Never half a surrogate pair, never a space or a dot at the end. */
function bound(text: string, length: number): string {
  return text.length <= length
    ? text
    : text
        .slice(0, length)
        .replace(/[\ud800-\udbff]$/, '')
        .replace(/[ .]+$/, '');
}
