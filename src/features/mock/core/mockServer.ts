import { INVALID_PARAMS, METHOD_NOT_FOUND } from '../../../base/errors';
import { isObject, parsedJson } from '../../../base/json';
import { Turns } from '../../../base/turns';
import { REDACTED, type TraceRecord } from '../../../host';

/** A mock server generated from a trace, with its counts. */
interface MockServer {
  /** A program for Node without dependencies. */
  readonly program: string;
  readonly answers: number;
  /** Answers that the trace has only in part. */
  readonly cut: number;
  /** Secrets that were struck out. */
  readonly struckOut: number;
}

type Json = Record<string, unknown>;

/** A request without the parts that change each time, and its answer: an error or a result. */
type RecordedExchange = readonly [
  method: string,
  params: string,
  answer: { readonly result: unknown } | { readonly error: unknown },
];

/** Of the extension host: striking secrets out of large messages takes long. */
const TURN_MS = 50;
/** A large file opens slowly, and a session repeats itself. */
const MAX_ANSWERS = 20_000;

/**
 * Makes a server that answers as the one in a trace did: by method and arguments, the same question in the order of its answers.
 * @param records of one server, oldest first.
 * @param readable the text of a record without secrets.
 * @param name what it is made of, on one line.
 */
export async function mockServer(
  records: readonly TraceRecord[],
  readable: (record: TraceRecord) => string,
  name: string,
): Promise<MockServer> {
  const waiting = new Map<string, { method: string; params: string }>();
  const recorded: RecordedExchange[] = [];
  let cut = 0;
  const turns = new Turns(TURN_MS);
  for (const record of records) {
    if (turns.isOver) await turns.next();
    if (record.size > record.text.length) {
      if (record.direction === 'received') cut++;
      continue;
    }
    for (const message of messagesOf(readable(record))) {
      const id = JSON.stringify(message.id);
      if (record.direction === 'sent' && typeof message.method === 'string' && message.id !== undefined)
        waiting.set(id, { method: message.method, params: asJson(message.params) });
      const asked = record.direction === 'received' && !('method' in message) ? waiting.get(id) : undefined;
      if (!asked || recorded.length >= MAX_ANSWERS) continue;
      waiting.delete(id);
      // Halfway: the question comes again with what the server wanted to know first.
      if (isObject(message.result) && 'inputRequests' in message.result) continue;
      if ('result' in message) recorded.push([asked.method, asked.params, { result: message.result }]);
      else if ('error' in message) recorded.push([asked.method, asked.params, { error: message.error }]);
    }
  }
  const lines = recorded.map(entry => `  ${JSON.stringify(entry)},`).join('\n');
  const struckOut = lines.split(JSON.stringify(REDACTED).slice(1, -1)).length - 1;
  const program = PROGRAM.replace('{{name}}', () => name.replace(/[\r\n\u2028\u2029]+/g, ' ')).replace(
    '{{recorded}}',
    () => lines,
  );
  return { program, answers: recorded.length, cut, struckOut };
}

const messagesOf = (text: string): Json[] => [parsedJson(text)].flat().filter(isObject);

/** Without what a person answered, and what differs each time. The program compares arguments in any order. */
function asJson(params: unknown): string {
  const { inputResponses, requestState, ...asked } = isObject(params) ? params : {};
  return JSON.stringify(asked, (key, value) => (key === '_meta' ? undefined : value));
}

const PROGRAM = `// A mock MCP server, made of the trace of a session with: {{name}}
// It answers over stdio what that server answered to the same method and arguments; anything else is an error.
// Run it with Node: { "command": "node", "args": ["this file"] }. Read it before you share it: it has what was said.
import { stdin, stdout } from 'node:process';

const recorded = [
{{recorded}}
];

const sorted = value => {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([key]) => key !== '_meta');
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, item]) => [key, sorted(item)]));
};
const keyOf = (method, { inputResponses, requestState, ...asked }) => method + '\\n' + JSON.stringify(sorted(asked));
const answers = new Map();
for (const [method, params, answer] of recorded) {
  const key = keyOf(method, JSON.parse(params));
  if (!answers.has(key)) answers.set(key, []);
  answers.get(key).push(answer);
}
const first = method => recorded.find(([name]) => name === method)?.[2];

/** The answers to a question in their order; the last of them again and again. */
function answerTo(method, params) {
  const list = answers.get(keyOf(method, params ?? {}));
  if (list) return list.length > 1 ? list.shift() : list[0];
  if (method === 'initialize') return initialized(params);
  if (method === 'server/discover') return first(method);
  if (['ping', 'logging/setLevel', 'resources/subscribe', 'resources/unsubscribe'].includes(method)) return { result: {} };
  return undefined;
}

/** The client differs from the one in the trace, and may use another era. */
function initialized(params) {
  const result = first('initialize')?.result ?? first('server/discover')?.result ?? {};
  const { capabilities = {}, serverInfo = { name: 'mock', version: '0' }, instructions } = result;
  const { protocolVersion = params?.protocolVersion } = result;
  return { result: { protocolVersion, capabilities, serverInfo, ...(instructions && { instructions }) } };
}

function take(line) {
  let message;
  try {
    message = JSON.parse(line);
  } catch {
    return;
  }
  for (const { id, method, params } of [message].flat()) {
    if (id === undefined || method === undefined) continue;
    const error = { code: first(method) ? ${INVALID_PARAMS} : ${METHOD_NOT_FOUND}, message: 'There is no such request in the recorded session' };
    stdout.write(JSON.stringify({ jsonrpc: '2.0', id, ...(answerTo(method, params) ?? { error }) }) + '\\n');
  }
}

let rest = '';
stdin.setEncoding('utf8').on('data', chunk => {
  const lines = (rest + chunk).split('\\n');
  rest = lines.pop();
  for (const line of lines) take(line);
});
`;
