import type { ReadResourceResult } from '@modelcontextprotocol/client';
import { sizePhrase } from '../../../base/numberText';
import { PhraseError, phrase } from '../../../base/phrase';
import { visible } from '../../../base/text';
import { APP_MIME_TYPE } from '../../../host/catalog';
import { type AppDeclaration, declarationOf, policyOf } from './appDeclaration';

/** In characters. The largest of the official examples has 450,000. */
export const MAX_PAGE = 10 * 1024 * 1024;

/** The page of an app, with what it says that it needs. */
export interface AppPage {
  readonly uri: string;
  readonly html: string;
  readonly declaration: AppDeclaration;
}

/**
 * The page in a server's answer to a resource read (spec: ext-apps 2026-01-26, "Content Requirements").
 * @param listed the `_meta` of the resource in the server's list, if it is there.
 * @throws PhraseError when it is no page, or too large.
 */
export function pageOf(uri: string, { contents }: ReadResourceResult, listed?: unknown): AppPage {
  const content = contents.find(item => item.uri === uri) ?? contents[0];
  if (!content) throw new PhraseError(phrase('the server has no page {0}', visible(uri, 200)));
  const type = content.mimeType?.toLowerCase().replaceAll(' ', '') ?? '';
  if (type !== APP_MIME_TYPE) {
    const given = visible(content.mimeType || '–', 100);
    throw new PhraseError(phrase('the page is of the type {0}, not {1}', given, APP_MIME_TYPE));
  }
  const size = 'text' in content ? content.text.length : (content.blob.length * 3) / 4;
  if (size > MAX_PAGE)
    throw new PhraseError(phrase('the page has {0}, and may have {1}', sizePhrase(size), sizePhrase(MAX_PAGE)));
  const html = 'text' in content ? content.text : Buffer.from(content.blob, 'base64').toString('utf8');
  if (!/^[\s\ufeff]*<[a-z!]/i.test(html)) throw new PhraseError(phrase('the page is not HTML'));
  return { uri, html, declaration: declarationOf(content._meta, listed) };
}

/**
 * Tells a page that goes away without notice, as when its tab is closed, by the message that the host would have sent (spec:
 * ext-apps 2026-01-26, "Cleanup"). The stable API reports a closed tab only when the page is gone, and no message to it would
 * still arrive. Its answer can't be received, and what it sends to the host is lost; what is sent with `keepalive` is not. A
 * page that the host has never addressed is not ready, and one that was torn down knows.
 */
const TEARDOWN = `<script>(() => {
  let last;
  addEventListener('message', ({ source, data }) => { if (source === parent && data?.method) last = data.method; });
  addEventListener('pagehide', () => {
    if (!last || last === 'ui/resource-teardown') return;
    const data = { jsonrpc: '2.0', id: 'teardown', method: 'ui/resource-teardown', params: {} };
    dispatchEvent(new MessageEvent('message', { data, source: parent }));
  });
  document.currentScript.remove();
})()</script>`;

/**
 * The displayed page. Its policy comes first, before anything of the page: a second `doctype`, `html` and `head` are ignored,
 * and a policy of the page's own can only remove more.
 */
export function guardedHtml({ html, declaration }: Pick<AppPage, 'html' | 'declaration'>): string {
  const policy = policyOf(declaration).replace(/[&<>"]/g, character => `&#${character.charCodeAt(0)};`);
  return `<!DOCTYPE html><html><head><meta http-equiv="Content-Security-Policy" content="${policy}">${TEARDOWN}${html}`;
}
