import { isUtf8 } from 'node:buffer';
import type { ReadResourceResult } from '@modelcontextprotocol/client';
import { PhraseError, phrase } from '../../../base/phrase';
import { extensionOf, resourceFileName } from './fileName';
import { formatJson } from './formatJson';
import { isJson, type MediaKind, mediaKindOf, mediaKindOfExtension } from './mimeTypes';

/** The content of a resource as it was read. */
export interface ResourceContent {
  readonly mimeType: string | undefined;
  readonly kind: MediaKind;
  /** As the server sent it. */
  readonly bytes: Uint8Array;
  /** As an editor shows it: minified JSON is spread over lines. */
  readonly shown: Uint8Array;
  /** All contents, where the answer has several: such a resource is a directory. */
  readonly parts?: readonly ResourcePart[];
}

/** One of several contents. */
export interface ResourcePart extends ResourceContent {
  /** Unique among the parts without regard to case, and safe as a file name. */
  readonly name: string;
  /** The server's own. */
  readonly uri: string;
}

/**
 * The content of the resource that was asked for. A server may answer with several: the one with the asked URI counts,
 * else the first. Throws a `PhraseError` that completes "could not read …: " when the answer can't be used.
 */
export function contentOf({ contents }: ReadResourceResult, uri: string, listedMimeType?: string): ResourceContent {
  if (contents.length > 1) {
    const parts = partsOf(contents);
    const { name: _, uri: __, ...chosen } = parts.find(part => part.uri === uri) ?? parts[0]!;
    return { ...chosen, parts };
  }
  const [chosen] = contents;
  if (!chosen) throw new PhraseError(phrase('its response has no contents'));
  return decoded(chosen, uri, listedMimeType);
}

type Contents = ReadResourceResult['contents'];

/** Those that can be used; one that can't takes the others down only when it is the last. */
function partsOf(contents: Contents): ResourcePart[] {
  const taken = new Map<string, number>();
  const parts: ResourcePart[] = [];
  let problem: unknown;
  for (const one of contents) {
    try {
      const content = decoded(one, one.uri);
      parts.push({ ...content, uri: one.uri, name: uniqueName(one.uri, content.mimeType, taken) });
    } catch (error) {
      problem = error;
    }
  }
  if (parts.length === 0) throw problem;
  return parts;
}

function uniqueName(uri: string, mimeType: string | undefined, taken: Map<string, number>): string {
  // The editor may normalise a path; the name has to be found again.
  const name = resourceFileName({ uri, mimeType }).normalize();
  const extension = extensionOf(name);
  const stem = extension ? name.slice(0, -extension.length - 1) : name;
  let unique = name;
  let count = taken.get(name.toLowerCase()) ?? 1;
  while (taken.has(unique.toLowerCase())) unique = `${stem} (${++count})${extension ? `.${extension}` : ''}`;
  // So that thousands of one name are not counted from the start each time.
  taken.set(name.toLowerCase(), count);
  if (!taken.has(unique.toLowerCase())) taken.set(unique.toLowerCase(), 1);
  return unique;
}

function decoded(chosen: Contents[number], uri: string, listedMimeType?: string): ResourceContent {
  const mimeType = chosen.mimeType ?? listedMimeType;
  if ('text' in chosen) {
    const bytes = Buffer.from(chosen.text, 'utf8');
    return { mimeType, kind: 'text', bytes, shown: isJson(mimeType) ? spread(chosen.text, bytes) : bytes };
  }
  const bytes = decodeBase64(chosen.blob);
  const kind = blobKind(bytes, uri, mimeType);
  const shown = kind === 'text' && isJson(mimeType) ? spread(bytes.toString('utf8'), bytes) : bytes;
  return { mimeType, kind, bytes, shown };
}

/** Size in bytes of what an editor will show, if the listing determines it: JSON may be formatted. */
export function listedSize(resource: { size?: number | undefined; mimeType?: string | undefined }): number | undefined {
  const { size, mimeType } = resource;
  return size !== undefined && Number.isSafeInteger(size) && size >= 0 && !isJson(mimeType) ? size : undefined;
}

function spread(text: string, bytes: Uint8Array): Uint8Array {
  const formatted = formatJson(text);
  return formatted === text ? bytes : Buffer.from(formatted, 'utf8');
}

/** The kind by type, else by extension, else by the bytes: many servers call everything octets. */
function blobKind(bytes: Uint8Array, uri: string, mimeType: string | undefined): MediaKind {
  const kind = mediaKindOf(mimeType) ?? mediaKindOfExtension(extensionOf(resourceFileName({ uri })) ?? '');
  if (kind && kind !== 'binary') return kind;
  return isUtf8(bytes) && !bytes.includes(0) ? 'text' : 'binary';
}

/** `Buffer.from` would skip what is no base64 and hand out something else than was sent. */
function decodeBase64(blob: string): Buffer {
  const base64 = blob.replace(/\s+/g, '');
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(base64) || base64.replace(/=+$/, '').length % 4 === 1) {
    throw new PhraseError(phrase('its response is not valid base64'));
  }
  return Buffer.from(base64, 'base64');
}
