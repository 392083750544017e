import { ErrorCode, errorAnswer, type JsonObject, type Message, RpcError } from '../raw/messages';
import { plainTool, type RawResource, textResource } from '../raw/offer';
import type { RawSession } from '../raw/session';
import { type Flag, plain, withNumber, withText } from './flag';

function die(why: string): never {
  console.error(`hostile: dying at ${why}`);
  process.exit(1);
}

/** Exactly `n` items: the ordinary ones first, then made ones. */
function resized<T>(ordinary: T[], n: number, make: (index: number) => T): T[] {
  return Array.from({ length: n }, (_, i) => ordinary[i] ?? make(i + 1));
}

/** A hundred to a folder, so that a tree has folders to show. */
function madeResource(index: number): RawResource {
  return textResource(`hostile://made/${Math.floor(index / 100)}/${index}.txt`, 'text/plain', `Resource ${index}`);
}

const kinds = ['tools', 'prompts', 'resources'] as const;
const floodLevels = ['debug', 'info', 'notice', 'warning', 'error'] as const;

/** Asks for the roots and says through a log message, as `{roots}`, `{error}` or `{unsupported}`, what came of it. */
async function reportRoots(session: RawSession): Promise<void> {
  const got: JsonObject = session.clientCapabilities?.roots
    ? await session.request('roots/list').then(
        result => result as JsonObject,
        (error: RpcError) => ({ error: { code: error.code, message: error.message } }),
      )
    : { unsupported: true };
  session.log('info', 'roots', got);
}

/** Faults of what is said: requests that are not answered well, floods, odd offers. */
export const protocolFlags: Readonly<Record<string, Flag>> = {
  extensions: plain('declare extensions, and other capabilities that a gateway does not serve', ({ offer }) => {
    const ui = { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } };
    const others = { 'io.modelcontextprotocol/tasks': {}, 'io.modelcontextprotocol/skills': {}, 'com.example/x': {} };
    offer.capabilities.extensions = { ...ui, ...others };
    offer.capabilities.experimental = { odd: {} };
    offer.capabilities.tasks = { list: {}, cancel: {}, requests: { tools: { call: {} } } };
  }),
  'die-on-probe': plain('exit on server/discover before initialize', ({ incoming }) => {
    incoming.push((message, session) => {
      if (message.method === 'server/discover' && !session.clientCapabilities) die('server/discover');
      return undefined;
    });
  }),
  'one-handshake': plain('refuse whichever of server/discover and initialize comes second, as go-sdk does', its => {
    let first: string | undefined;
    its.incoming.push((message, session) => {
      const { id, method = '' } = message;
      if (!/^(server\/discover|initialize)$/.test(method) || id === undefined || id === null) return undefined;
      first ??= method;
      if (first === method) return undefined;
      session.send(errorAnswer(id, new RpcError(0, `duplicate "${method}" received`)), id, true);
      return 'handled';
    });
  }),
  'number-ids': plain('drop requests whose id is a text, as mcp-golang does', ({ incoming }) => {
    incoming.push(({ id, method }) => (method && typeof id === 'string' ? 'handled' : undefined));
  }),
  'hang-at': withText('method', 'never answer this method', ({ incoming }, method) => {
    incoming.push(message => {
      if (message.method !== method) return undefined;
      console.error(`hostile: hanging at ${method}`);
      return 'handled';
    });
  }),
  'die-at': withText('method', 'exit on this method', ({ incoming }, method) => {
    incoming.push(message => (message.method === method ? die(method) : undefined));
  }),
  'error-at': withText('method', 'answer this method with error -32603', ({ incoming }, method) => {
    incoming.push((message, session) => {
      if (message.method !== method || message.id === undefined || message.id === null) return undefined;
      const error = new RpcError(ErrorCode.internal, `Internal error at ${method}`);
      session.send(errorAnswer(message.id, error), message.id, true);
      return 'handled';
    });
  }),
  'no-method': withText(
    'method',
    'do not know this method, and say on stderr that it was asked for',
    (behaviour, method) => {
      behaviour.incoming.push((message, session) => {
        if (message.method !== method || message.id === undefined || message.id === null) return undefined;
        console.error(`hostile: asked for ${method}`);
        const error = new RpcError(ErrorCode.methodNotFound, `Method not found: ${method}`);
        session.send(errorAnswer(message.id, error), message.id, true);
        return 'handled';
      });
    },
  ),
  'no-capability': withText('name', 'serve this without saying so', ({ offer }, name) => {
    delete offer.capabilities[name];
  }),
  tools: withNumber('n', 'offer n tools', ({ offer }, n) => {
    offer.tools = resized(offer.tools, n, i => plainTool(`tool-${i}`));
  }),
  resources: withNumber('n', 'offer n resources', ({ offer }, n) => {
    offer.resources = resized(offer.resources, n, madeResource);
  }),
  'page-size': withNumber('n', 'n items in each page of every list', (behaviour, n) => {
    if (n === 0) throw new Error('needs at least 1');
    behaviour.pageSize = n;
  }),
  'old-protocol': withText('version', 'answer initialize with this version', (behaviour, version) => {
    behaviour.protocolVersion = version;
  }),
  'offers-versions': withText(
    'json',
    'offer these versions in server/discover, and none of ours',
    (behaviour, json) => {
      const supportedVersions = JSON.parse(json) as string[];
      behaviour.incoming.push((message, session) => {
        if (message.method !== 'server/discover' || message.id === undefined || message.id === null) return undefined;
        const result = { resultType: 'complete', supportedVersions, capabilities: {}, ttlMs: 0, cacheScope: 'public' };
        session.send({ jsonrpc: '2.0', id: message.id, result }, message.id, true);
        return 'handled';
      });
    },
  ),
  early: plain(
    'send notifications as soon as it runs, and again on each side of the answer to initialize',
    ({ greeting, incoming, outgoing }) => {
      const early: Message[] = [
        ...kinds.map(kind => ({ jsonrpc: '2.0' as const, method: `notifications/${kind}/list_changed` })),
        { jsonrpc: '2.0', method: 'notifications/message', params: { level: 'error', data: 'too early' } },
        { jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: 1, progress: 1 } },
        { jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri: 'file:///early' } },
        { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } },
      ];
      greeting.push(...early.map(message => JSON.stringify(message)));
      let asked: Message['id'];
      incoming.push(({ method, id }) => {
        if (method === 'initialize') asked = id;
        return undefined;
      });
      outgoing.push(sent => {
        const isAnswer =
          typeof sent !== 'string' && asked !== undefined && sent.method === undefined && sent.id === asked;
        if (isAnswer) asked = undefined;
        return isAnswer ? [...early, sent, ...early] : [sent];
      });
    },
  ),
  'list-changed-storm': withNumber(
    'n',
    'once initialized, add tool "after-storm" and send list_changed n times for each kind of list',
    ({ offer, incoming }, n) => {
      let added = false;
      incoming.push((message, session) => {
        if (message.method !== 'notifications/initialized') return undefined;
        if (!added) offer.tools.push(plainTool('after-storm'));
        added = true;
        for (let i = 0; i < n; i++) for (const kind of kinds) session.notify(`notifications/${kind}/list_changed`);
        return undefined;
      });
    },
  ),
  'log-flood': withNumber('n', 'once initialized, send n log messages "flood 1" to "flood n"', ({ incoming }, n) => {
    incoming.push((message, session) => {
      if (message.method !== 'notifications/initialized') return undefined;
      for (let i = 1; i <= n; i++) session.log(floodLevels[i % floodLevels.length] ?? 'info', 'flood', `flood ${i}`);
      return undefined;
    });
  }),
  roots: plain('ask for the roots, again when they change, and log what came', ({ incoming }) => {
    incoming.push((message, session) => {
      const isTime = ['notifications/initialized', 'notifications/roots/list_changed'].includes(message.method ?? '');
      if (isTime) void reportRoots(session);
      return undefined;
    });
  }),
};
