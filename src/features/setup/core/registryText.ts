import { lookup } from 'node:dns';
import { literalOf, placeOf } from '../../../base/networkAddress';
import { parseUrl, visibleLines } from '../../../base/text';

/** Who may publish under the namespace of a server, as its name says. */
export interface Publisher {
  /** `anonymous`: everybody. `unknown`: it has no namespace that says anything. */
  readonly kind: 'github' | 'domain' | 'anonymous' | 'unknown';
  /** The account, or the domain. Empty for the others. */
  readonly who: string;
  /** Whether the registry is known to check that. */
  readonly isChecked: boolean;
}

/** Registries that document checks: `io.github.<account>` takes a sign-in, others a proof for the domain. */
const CHECKING = ['registry.modelcontextprotocol.io'];
const GITHUB = 'io.github.';
const ANONYMOUS = 'io.modelcontextprotocol.anonymous';
const LABEL = /^[a-z\d]([a-z\d-]*[a-z\d])?$/i;

export function publisherOf(name: string, registry: string): Publisher {
  const [namespace = '', ...rest] = name.split('/');
  const labels = namespace.split('.');
  const isSaid = rest.length === 1 && rest[0] !== '' && labels.length >= 2 && labels.every(label => LABEL.test(label));
  if (!isSaid) return { kind: 'unknown', who: '', isChecked: false };
  if (namespace === ANONYMOUS) return { kind: 'anonymous', who: '', isChecked: false };
  // Only over https: else anybody on the way could answer.
  const { protocol, host = '' } = parseUrl(registry) ?? {};
  const isChecked = protocol === 'https:' && CHECKING.includes(host);
  if (namespace.startsWith(GITHUB) && labels.length === 3)
    return { kind: 'github', who: namespace.slice(GITHUB.length), isChecked };
  return { kind: 'domain', who: labels.reverse().join('.').toLowerCase(), isChecked };
}

export interface Block {
  readonly kind: 'heading' | 'item' | 'code' | 'text';
  readonly text: string;
}

const MAX_LENGTH = 20_000;
const MAX_BLOCKS = 400;
const FENCE = /^ {0,3}(```|~~~)/;
const HEADING = /^ {0,3}#{1,6}[ \t](.*)/;
const ITEM = /^[ \t]*(?:[-*+]|\d{1,3}[.)])[ \t]+(.*)/;
/** Lines below headings, between paragraphs and in tables. */
const RULE = /^[ \t]*[-=*_|:][-=*_|: \t]*$/;

/**
 * Reads markdown of strangers as plain text: nothing in it becomes a link, a picture or HTML. Pictures are left out but for their
 * descriptions, HTML tags are left out, and a link is its text with its address.
 */
export function plainBlocks(markdown: string): Block[] {
  const blocks: Block[] = [];
  let paragraph: string[] = [];
  let code: string[] | undefined;
  const add = (kind: Block['kind'], text: string) => {
    if (text.trim() !== '' && blocks.length < MAX_BLOCKS) blocks.push({ kind, text: visibleLines(text, MAX_LENGTH) });
  };
  const endParagraph = () => {
    add('text', inline(paragraph.join(' ')));
    paragraph = [];
  };
  for (const line of withoutComments(markdown.slice(0, MAX_LENGTH)).split(/\r\n?|\n/)) {
    if (FENCE.test(line)) {
      if (code) add('code', code.join('\n'));
      else endParagraph();
      code = code ? undefined : [];
    } else if (code) {
      code.push(line);
    } else if (line.trim() === '' || RULE.test(line)) {
      endParagraph();
    } else {
      const [, heading] = HEADING.exec(line.trimEnd()) ?? [];
      const [, item] = ITEM.exec(line) ?? [];
      if (heading === undefined && item === undefined) {
        paragraph.push(line.trim());
        continue;
      }
      endParagraph();
      add(heading === undefined ? 'item' : 'heading', inline(heading?.replace(/(?<!#)#+$/, '').trim() ?? item ?? ''));
    }
  }
  if (code) add('code', code.join('\n'));
  endParagraph();
  return blocks;
}

/** Every repetition is bounded, so that a text of nothing but brackets takes no longer than another. */
function inline(text: string): string {
  return text
    .replace(/!\[([^[\]]{0,300})\](?:\([^()]{0,1000}\)|\[[^[\]]{0,100}\])/g, '$1')
    .replace(
      /\[([^[\]]{0,300})\]\(\s{0,9}<?([^()\s<>]{0,1000})>?(?:\s[^()]{0,300})?\)/g,
      (_all, name: string, to: string) =>
        /^https?:/i.test(to) && name.trim() !== '' && name !== to ? `${name} (${to})` : name,
    )
    .replace(/<(https?:\/\/[^<>\s]{1,1000})>/g, '$1')
    .replace(/<\/?[a-z][^<>]{0,1000}>/gi, '')
    .replace(/(\*\*|__|`+)(?=\S)(.{1,1000}?)\1/g, '$2')
    .trim();
}

function withoutComments(text: string): string {
  let rest = text;
  for (;;) {
    const from = rest.indexOf('<!--');
    if (from < 0) return rest;
    const to = rest.indexOf('-->', from);
    rest = rest.slice(0, from) + (to < 0 ? '' : rest.slice(to + 3));
  }
}

type Resolve = (host: string) => Promise<readonly { readonly address: string }[]>;

/**
 * A `fetch` for addresses that strangers name: only https in the public internet, or at the origin that the person named. Names are
 * resolved before the request, which is enough for what is sent without credentials and whose answer they never see.
 * @param own this origin may also be private.
 */
export function publicFetch(own: string, send: typeof fetch = fetch, resolve: Resolve = addressesOf): typeof fetch {
  return async (input, init) => {
    const url = new URL(String(input));
    if (url.origin !== own && !(await isPublic(url, resolve)))
      throw new TypeError('not an address of the public internet');
    return send(url.href, init);
  };
}

const addressesOf: Resolve = host =>
  new Promise((done, fail) => lookup(host, { all: true }, (error, found) => (error ? fail(error) : done(found))));

async function isPublic(url: URL, resolve: Resolve): Promise<boolean> {
  if (url.protocol !== 'https:' || url.username || url.password) return false;
  const literal = literalOf(url);
  const addresses = literal === undefined ? await resolve(url.hostname) : [{ address: literal }];
  return addresses.length > 0 && addresses.every(({ address }) => placeOf(address) === 'public');
}
