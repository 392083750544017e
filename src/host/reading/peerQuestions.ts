import { isObject, withoutNulls } from '../../base/json';
import { type Note, original } from './carried';
import { readBlocks, textOfValue } from './contentBlocks';
import { offeredTool } from './listItems';
import { readMessages, withMeta } from './results';
import { listOf, number, object, oneOf, type Reader, required, shape, share, text } from './shapes';

type Members = Record<string, unknown>;

const numeral: Reader<number> = (value, place, note) => {
  const read = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  if (typeof read !== 'number' || Number.isNaN(read)) return undefined;
  if (read !== value) note(place, 'a text is taken as a number');
  return read;
};

const token: Reader<string | number> = value =>
  typeof value === 'string' || typeof value === 'number' ? value : undefined;
const envelope = {
  task: shape({ ttl: number }),
  _meta: shape({ progressToken: token, 'io.modelcontextprotocol/related-task': shape({ taskId: required(text) }) }),
};

const elicitation = shape({
  message: text,
  requestedSchema: object,
  url: text,
  elicitationId: text,
  mode: oneOf('form', 'url'),
  ...envelope,
});

const sampling = shape({
  systemPrompt: text,
  temperature: numeral,
  maxTokens: numeral,
  stopSequences: listOf(text),
  includeContext: oneOf('none', 'thisServer', 'allServers'),
  metadata: object,
  modelPreferences: shape({
    hints: listOf(shape({ name: text })),
    costPriority: share,
    speedPriority: share,
    intelligencePriority: share,
  }),
  tools: listOf(offeredTool),
  toolChoice: shape({ mode: oneOf('auto', 'required', 'none') }),
  ...envelope,
});

/** The most that a model may answer where a server does not say. */
const MAX_TOKENS = 1_000;

/** Whether a message says who speaks as the specification allows it, or not at all. */
const hasKnownRole = (message: unknown): boolean =>
  !isObject(message) || message.role === undefined || message.role === 'user' || message.role === 'assistant';

/** Questions of a server for a person or a model, by method: how their parameters are read. */
const QUESTIONS: Readonly<Record<string, (params: Members, note: Note) => Members>> = {
  'elicitation/create': (params, note) => {
    const read = elicitation(params, '', note) ?? {};
    if (typeof read.message === 'string') return read;
    note('message', 'it is taken as text');
    return { ...read, message: params.message === undefined ? '' : textOfValue(params.message) };
  },
  'sampling/createMessage': (params, note) => {
    const read = sampling(params, '', note) ?? {};
    if (params.maxTokens === undefined && params.messages === undefined) return { messages: [] };
    const given = Array.isArray(params.messages) ? params.messages : [params.messages ?? []].flat();
    // Who said something decides what a model does with it, so a role is never guessed here.
    if (!given.every(hasKnownRole)) return { messages: [] };
    // A message may have several blocks here: tools are used side by side.
    const messages = given.flatMap(message => {
      const { role, content } = Object(message) as Members;
      const isGood = (role === 'user' || role === 'assistant') && content !== undefined && content !== null;
      if (!isGood || !Array.isArray(content)) return readMessages([message], 'messages', note);
      return [{ ...withMeta(message as Members, note), content: readBlocks(content, 'messages[].content', note) }];
    });
    if (read.maxTokens === undefined) note('maxTokens', `it is taken as ${MAX_TOKENS}`);
    return { ...read, messages, maxTokens: read.maxTokens ?? MAX_TOKENS };
  },
};

/**
 * The parameters of a question as the SDK accepts them. Those for a model carry what the server really asks (`carriedIn`); what
 * the SDK decides by, whether there are tools, stays. What can't be shown at all is returned as it is, for the SDK to refuse.
 */
export function questionStandIn(method: string, given: unknown, note: Note): Members {
  const params = QUESTIONS[method]!(withoutNulls(isObject(given) ? given : {}), note);
  if (method !== 'sampling/createMessage') return params.message === '' ? (given as Members) : params;
  if ((params.messages as readonly unknown[]).length === 0) return given as Members;
  const { tools, toolChoice, _meta } = params;
  return {
    messages: [],
    maxTokens: 1,
    ...(tools !== undefined && { tools: [] }),
    ...(toolChoice !== undefined && { toolChoice: {} }),
    ...(isObject(_meta) && { _meta }),
    [original]: params,
  };
}
