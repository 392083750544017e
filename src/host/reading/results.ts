import type {
  CallToolResult,
  CompleteResult,
  GetPromptResult,
  PromptMessage,
  ReadResourceResult,
} from '@modelcontextprotocol/client';
import { attempt } from '../../base/errors';
import { isObject } from '../../base/json';
import { isPlainTextResult } from './answers';
import { type Note, respelled, spellingsOf, unknownRoles } from './carried';
import { readBlock, readBlocks, readEmbedded, textOfValue } from './contentBlocks';
import { flag, listOf, number, object, required, shape, single, text } from './shapes';

type Members = Record<string, unknown>;

const CALL = spellingsOf('content', 'structuredContent', 'isError', '_meta', 'resultType');
const NO_RESULT = 'it is taken as content';

/** The result of a tool call, out of whatever a server answered: the call was carried out. */
export function readToolResult(given: unknown, note: Note): CallToolResult {
  if (isPlainTextResult(given)) return given;
  const whole = single(given, 'result', note);
  if (!isObject(whole)) {
    note('result', NO_RESULT);
    return { content: readBlocks(whole, 'result', () => {}) };
  }
  // The type belongs to the modern era; the SDK drops it.
  const { resultType: _, content: sent, isError: failed, _meta: meta, ...others } = respelled(whole, CALL, '', note);
  const { structuredContent } = others;
  let content = readBlocks(sent, 'content', note);
  if (sent === undefined || sent === null) {
    const rest = Object.entries(others).filter(([name, value]) => name !== 'structuredContent' && value !== null);
    if (sent === null || structuredContent === undefined)
      note('content', rest.length > 0 ? 'the other members are taken as text' : undefined);
    if (structuredContent === undefined && rest.length > 0)
      content = readBlocks(
        textOfValue(rest.length === 1 ? rest[0]![1] : Object.fromEntries(rest)),
        'content',
        () => {},
      );
  }
  if (typeof structuredContent === 'string') content = content.map(block => unquoted(block, structuredContent));
  const isError = failed === undefined || failed === null ? undefined : flag(failed, 'isError', note);
  if (failed !== undefined && failed !== null && isError === undefined) note('isError');
  const _meta = metaOf(meta, note);
  return { ...others, content, ...(isError !== undefined && { isError }), ...(_meta && { _meta }) } as CallToolResult;
}

/** A text that repeats structured content, which is a text itself, as JSON: it has quotes around it, and no line breaks. */
function unquoted<T extends CallToolResult['content'][number]>(block: T, structured: string): T {
  if (block.type !== 'text' || !block.text.startsWith('"')) return block;
  return attempt(() => JSON.parse(block.text)) === structured ? { ...block, text: structured } : block;
}

function metaOf(value: unknown, note: Note): Members | undefined {
  if (isObject(value)) return value;
  if (value !== undefined && value !== null) note('_meta');
  return undefined;
}

const PROMPT = spellingsOf('messages', 'description', '_meta');
const MESSAGE = spellingsOf('role', 'content');
/** Roles of other protocols, and who speaks there. */
const ROLES: Readonly<Record<string, 'user' | 'assistant'>> = {
  assistant: 'assistant',
  model: 'assistant',
  ai: 'assistant',
  bot: 'assistant',
};

/** The messages of a prompt. Other roles than user and assistant are the user's: they say what is wanted. */
export function readPrompt(given: unknown, note: Note): GetPromptResult {
  const whole = single(given, 'result', note);
  const {
    resultType: _,
    messages: sent,
    description,
    _meta: meta,
    ...others
  } = isObject(whole) ? respelled(whole, PROMPT, '', note) : { messages: whole };
  if (!isObject(whole)) note('result', 'it is taken as messages');
  const roles = new Set<string>();
  const messages = readMessages(sent, 'messages', note, role => roles.add(role)) as PromptMessage[];
  const _meta = metaOf(meta, note);
  if (description !== undefined && description !== null && typeof description !== 'string') note('description');
  return {
    ...others,
    ...(typeof description === 'string' && { description }),
    messages,
    ...(_meta && { _meta }),
    ...(roles.size > 0 && { [unknownRoles]: [...roles] }),
  };
}

/** The messages of a list, one message or a text, one for each block. @param unknown gets roles that become `user`. */
export function readMessages(
  given: unknown,
  place: string,
  note: Note,
  unknown: (role: string) => void = () => {},
): Members[] {
  if (given === undefined || given === null) {
    note(place);
    return [];
  }
  if (!Array.isArray(given)) note(place, 'a single value is taken as a list');
  return [given].flat(5).flatMap(message => readMessage(message, `${place}[]`, note, unknown));
}

function readMessage(given: unknown, place: string, note: Note, unknown: (role: string) => void): Members[] {
  const named = isObject(given) ? respelled(given, MESSAGE, place, note) : undefined;
  const isBlock = named === undefined || (!('content' in named) && !('role' in named));
  if (isBlock) note(place, "it is taken as the user's");
  const { role: said, content, ...others } = isBlock ? { role: 'user', content: given } : named;
  const known = said === 'user' || said === 'assistant' ? said : ROLES[String(said).toLowerCase()];
  if (known === undefined && typeof said === 'string') unknown(said);
  const role = known ?? 'user';
  if (role !== said) note(`${place}.role`, `"${String(said).slice(0, 30)}" is taken as "${role}"`);
  if (content === undefined || content === null) note(`${place}.content`);
  const blocks = Array.isArray(content)
    ? readBlocks(content, `${place}.content`, note)
    : readBlock(content, `${place}.content`, note);
  if (Array.isArray(content)) note(`${place}.content`, 'its blocks are taken one by one');
  return blocks.map(block => ({ ...(isBlock ? {} : withMeta(others, note)), role, content: block }));
}

/** A message without metadata that is no object. */
export function withMeta({ _meta, ...others }: Members, note: Note): Members {
  const meta = metaOf(_meta, note);
  return meta ? { ...others, _meta: meta } : others;
}

/** More than a folder of files that a person or model could look through. */
const MAX_CONTENTS = 10_000;
const CONTENTS = spellingsOf('contents', '_meta');

/** The contents of a resource. @param uri that was asked for: contents without an address have it. */
export function readContents(given: unknown, note: Note, uri: string | undefined): ReadResourceResult {
  const whole = single(given, 'result', note);
  const {
    resultType: _,
    contents: sent,
    ttlMs,
    cacheScope,
    _meta: meta,
    ...others
  } = isObject(whole) ? respelled(whole, CONTENTS, '', note) : { contents: whole };
  if (!isObject(whole)) note('result', 'it is taken as contents');
  const alone = sent ?? ('text' in others || 'blob' in others ? others : 'content' in others ? others.content : []);
  if (sent === undefined || !Array.isArray(sent)) note('contents', 'a single value is taken as a list');
  const all = [alone].flat();
  if (all.length > MAX_CONTENTS) note('contents', `only its first ${MAX_CONTENTS} are taken`);
  const contents = all.slice(0, MAX_CONTENTS).flatMap(one => {
    const parts = readEmbedded(isObject(one) && isObject(one.resource) ? one.resource : one, 'contents[]', note, uri);
    if (parts.length === 0) note('contents[]');
    return parts;
  });
  const _meta = metaOf(meta, note);
  return {
    ...(alone === others ? {} : others),
    contents,
    ...(typeof ttlMs === 'number' && { ttlMs }),
    ...(cacheScope !== undefined && { cacheScope }),
    ...(_meta && { _meta }),
  } as unknown as ReadResourceResult;
}

const completion = shape({ values: required(listOf(text, 100)), total: number, hasMore: flag });
const completed = shape({ completion: required(completion), _meta: object });

/** Suggestions; none if there are no texts among what came. */
export function readCompletion(given: unknown, note: Note): CompleteResult {
  const { resultType: _, ...whole } = Object(given) as Members;
  const read = completed(
    'values' in whole ? { completion: whole } : Array.isArray(given) ? { completion: { values: given } } : whole,
    '',
    note,
  );
  if (!read) note('completion');
  return (read ?? { completion: { values: [] } }) as CompleteResult;
}
