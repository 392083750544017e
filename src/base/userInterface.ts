import { isObject } from './json';
import { visible } from './text';

/** A page in a result, as MCP-UI sends it (`@mcp-ui/server`), or the address of a website that stands in its place. */
export type UserInterface =
  | { readonly kind: 'page'; readonly uri: string; readonly html: string; readonly _meta: unknown }
  | { readonly kind: 'website'; readonly uri: string; readonly url: string };

/** As of an app (`APP_MIME_TYPE`), and before that. */
const HTML = /^text\/html(;|$)/i;
/** A website has the type of a page since version 6. */
const WEBSITE = /^\s*(https?:\/\/\S+)\s*$/i;
/** Larger pages are not shown. */
const MAX_BLOB = 15_000_000;

/** The user interface in a block of a result; undefined for any other block. Never throws: a server sent it. */
export function interfaceIn(block: unknown): UserInterface | undefined {
  if (!isObject(block) || block.type !== 'resource' || !isObject(block.resource)) return undefined;
  const { uri, mimeType, text, blob, _meta } = block.resource;
  if (typeof uri !== 'string' || !uri.startsWith('ui://') || typeof mimeType !== 'string') return undefined;
  if (!HTML.test(mimeType) && mimeType !== 'text/uri-list') return undefined;
  const isBlob = typeof blob === 'string' && blob.length <= MAX_BLOB;
  const body = typeof text === 'string' ? text : isBlob ? Buffer.from(blob, 'base64').toString('utf8') : undefined;
  if (body === undefined) return undefined;
  const url = body.length < 10_000 ? WEBSITE.exec(body)?.[1] : undefined;
  if (url !== undefined && URL.canParse(url)) return { kind: 'website', uri, url };
  return HTML.test(mimeType) ? { kind: 'page', uri, html: body, _meta } : undefined;
}

/** The page of a result that is shown as an app; undefined if it has none. */
export function pageIn({ content }: { readonly content?: unknown }): (UserInterface & { kind: 'page' }) | undefined {
  const all: readonly unknown[] = Array.isArray(content) ? content : [];
  return all.map(interfaceIn).find(one => one?.kind === 'page');
}

/** What a model gets in its place: the page is for the person. */
export const interfaceInWords = (shown: UserInterface): string =>
  shown.kind === 'page'
    ? `[page ${visible(shown.uri, 500)}, which is for the user]`
    : `[website ${visible(shown.url, 500)}, which the user can open]`;
