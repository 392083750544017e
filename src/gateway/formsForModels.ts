import type { Progress } from '@modelcontextprotocol/client';
import type { Implementation, Result, Tool } from '@modelcontextprotocol/server';
import { getOrInsert } from '../base/events';
import { inlineIcons } from '../base/inlineIcon';
import { isDeeper, isObject, ownMember } from '../base/json';
import { withoutColours } from '../base/markdownCode';
import { linkLabel, revealed, startOf } from '../base/text';
import { appOf, isFor } from '../host/catalog';

/** What a client gets in the place of a value, which is the same if it is good. Undefined: nothing. */
type Form = (value: unknown) => unknown;

/** An object with these members and no others. */
const members =
  (forms: Readonly<Record<string, Form>>): Form =>
  value => {
    if (!isObject(value)) return undefined;
    const made = Object.entries(forms).map(([key, form]) => [key, form(ownMember(value, key))] as const);
    const kept = made.filter(([, member]) => member !== undefined);
    const isSame = kept.length === Object.keys(value).length && kept.every(([key, member]) => value[key] === member);
    return isSame ? value : Object.fromEntries(kept);
  };

const list =
  (form: Form, most?: number): Form =>
  value => {
    if (!Array.isArray(value)) return undefined;
    const made = value.slice(0, most).map(form);
    const kept = made.filter(item => item !== undefined);
    return kept.length === value.length && kept.every((item, at) => item === value[at]) ? value : kept;
  };

/** A text that is read as markdown, for which the time may grow with the square of its length. */
const upTo =
  (length: number): Form =>
  value =>
    typeof value === 'string' ? withoutColours(boundedText(value, length)) : undefined;

/** Clients put titles into markdown that draws pictures from anywhere, also before a call is allowed. */
const title: Form = value => (typeof value === 'string' ? titleOf(value) || undefined : undefined);
/** On one line, and no beginning of code. */
const titleOf = (text: string): string =>
  linkLabel(boundedText(text, MAX_TITLE)).replace(/\s+/g, ' ').replace(/~+/g, '~');
const MAX_TITLE = 200;

/** A name or an address means nothing if it is cut. */
const MAX_NAME = 10_000;
const name: Form = value => (typeof value === 'string' && value.length <= MAX_NAME ? value : undefined);
const flag: Form = value => (typeof value === 'boolean' ? value : undefined);
const number: Form = value => (typeof value === 'number' ? value : undefined);
const asItIs: Form = value => value;

/** Clients give up a whole answer, and some their connection, for JSON that is nested deeper than a limit of their own. */
export const MAX_DEPTH = 100;
/** JSON that the client neither draws nor acts on. */
export const data: Form = value => (isDeeper(value, MAX_DEPTH) ? undefined : value);

const common = { name, title, description: upTo(8_000), icons: inlineIcons };
const resource = members({ ...common, uri: name, mimeType: name, size: number });
const tool = members({
  ...common,
  inputSchema: data,
  outputSchema: data,
  annotations: members({
    title,
    readOnlyHint: flag,
    destructiveHint: flag,
    idempotentHint: flag,
    openWorldHint: flag,
  }),
});

const prompt = members({ ...common, arguments: list(members({ ...common, required: flag }), 100) });
const template = members({ ...common, uriTemplate: name, mimeType: name });
const contents = members({ uri: name, mimeType: name, text: asItIs, blob: asItIs, _meta: data });

/** The members of a result, by its method. Content blocks have forms of their own. */
const RESULTS: Readonly<Record<string, Form>> = {
  'tools/list': members({ tools: list(once(withApp)) }),
  'tools/call': members({ content: asItIs, structuredContent: data, isError: flag, _meta: data }),
  'prompts/list': members({ prompts: list(once(prompt)) }),
  'prompts/get': members({
    description: common.description,
    messages: list(members({ role: name, content: asItIs })),
  }),
  'resources/list': members({ resources: list(once(resource)), nextCursor: asItIs }),
  'resources/templates/list': members({ resourceTemplates: list(once(template)), nextCursor: asItIs }),
  'resources/read': members({ contents: list(contents, 1_000), ttlMs: number, cacheScope: name }),
  'completion/complete': members({
    completion: members({ values: list(name, 100), total: number, hasMore: flag }),
  }),
};

const annotations = members({ audience: list(name, 2), priority: number, lastModified: name });
const media = members({ type: name, data: asItIs, mimeType: name, annotations });

const BLOCKS: Readonly<Record<string, Form>> = {
  text: members({ type: name, text: asItIs, annotations }),
  image: media,
  audio: media,
  resource: members({ type: name, resource: contents, annotations }),
  resource_link: members({ ...common, type: name, uri: name, mimeType: name, size: number, annotations }),
};

/** A content block. Undefined if its type is unknown. */
export const blockForModels = (block: Readonly<Record<string, unknown>>): Record<string, unknown> | undefined =>
  ownMember(BLOCKS, String(block.type))?.(block) as Record<string, unknown> | undefined;

/**
 * A result for a client that draws it in the page of its window: the members that the specification names, at a length that can be drawn
 * at once. Nothing else passes, because a client may act on more than that.
 */
export const formForModels = (method: string, result: Result): Result => RESULTS[method]!(result) as Result;

/** What a server says about itself. */
export const implementationForModels = members({
  ...common,
  version: title,
  websiteUrl: name,
}) as (said: Implementation) => Implementation;

/** A server's instructions, which are in each request to a model. */
export const instructionsForModels = (said: string | undefined): string | undefined =>
  said === undefined ? undefined : boundedText(revealed(said), 20_000);

export const progressForModels = members({ progress: number, total: number, message: upTo(1_000) }) as (
  progress: Progress,
) => Progress;

/** The data of a log message. */
export function logDataForModels(said: unknown): unknown {
  if (typeof said === 'string') return boundedText(said, MAX_LOGGED);
  if (isDeeper(said, MAX_DEPTH)) return '…';
  const json = JSON.stringify(said) ?? '';
  return json.length > MAX_LOGGED ? boundedText(json, MAX_LOGGED) : said;
}

const MAX_LOGGED = 10_000;

/** One object for one item, which clients get again and again. */
function once(form: Form): Form {
  const made = new WeakMap<object, object>();
  return item => (isObject(item) ? getOrInsert(made, item, () => form(item) as object) : undefined);
}

/** With the address of its app, and who may call it, as we read both: a client draws what another address names, in any place. */
function withApp(item: unknown): unknown {
  const said = titled(item as Tool);
  const resourceUri = appOf(said);
  const isLimited = ownMember(said._meta?.ui, 'visibility') !== undefined;
  if (resourceUri === undefined && !isLimited) return tool(said);
  const visibility = isLimited && (['model', 'app'] as const).filter(who => isFor(who, said));
  const ui = { ...(visibility && { visibility }), ...(resourceUri !== undefined && { resourceUri }) };
  return { ...(tool(said) as Tool), _meta: { ui } };
}

/** With a title, if its name, which a client would show instead, is none. */
function titled(said: Tool): Tool {
  const shown = titleOf(said.name);
  return shown === said.name || title(said.title ?? said.annotations?.title) ? said : { ...said, title: shown || '?' };
}

/** The beginning of a longer text. */
export const boundedText = (text: string, length: number): string =>
  text.length > length ? `${startOf(text, length - 1)}…` : text;
