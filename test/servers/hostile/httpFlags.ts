import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { constants, createBrotliCompress, createDeflate, createGzip } from 'node:zlib';
import type { Behaviour } from '../raw/behaviour';
import type { Message } from '../raw/messages';
import { type Flag, plain, withNumber, withText } from './flag';

const EVENTS = { 'content-type': 'text/event-stream' };
const JSON_TYPE = { 'content-type': 'application/json' };

interface Exchange {
  message: Message;
  request: IncomingMessage;
  response: ServerResponse;
}

/** Runs `answer` for each POST of a request with this method. `answer` returns false to leave one to the server. */
function at(behaviour: Behaviour, method: string | undefined, answer: (exchange: Exchange) => unknown): void {
  if (!method) throw new Error('needs a method');
  behaviour.httpRequests.push((message, request, response) => {
    if (message?.method !== method) return undefined;
    return answer({ message, request, response }) === false ? undefined : 'handled';
  });
}

/** The result of `tools/call` as JSON text, with `megabytes` of text in it, made as it is read. */
async function* largeAnswer({ id }: Message, megabytes: number, isEvent: boolean): AsyncGenerator<string> {
  if (isEvent) yield 'data: ';
  yield `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"content":[{"type":"text","text":"`;
  const megabyte = 'x'.repeat(1024 * 1024);
  for (let i = 0; i < megabytes; i++) yield megabyte;
  yield '"}]}}';
  if (isEvent) yield '\n\n';
}

// The fastest way to pack is good enough for letters that are all the same.
const packers = {
  gzip: () => createGzip({ level: 1 }),
  deflate: () => createDeflate({ level: 1 }),
  br: () => createBrotliCompress({ params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }),
};

const textAnswer = (id: Message['id'], text: string) =>
  JSON.stringify({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text }] } });

const event = (message: object) => `event: message\ndata: ${JSON.stringify(message)}\n\n`;

function progress({ params }: Message): string {
  const meta = params?._meta as { progressToken?: number } | undefined;
  const done = { progressToken: meta?.progressToken, progress: 1, total: 2 };
  return event({ jsonrpc: '2.0', method: 'notifications/progress', params: done });
}

/** How an answer is cut: what is sent before the connection breaks. */
const cuts: Readonly<Record<string, (exchange: Exchange) => string>> = {
  nothing: () => '',
  headers: () => '',
  event: ({ message: { id } }) => `event: message\ndata: {"jsonrpc":"2.0","id":${id},"resu`,
  progress: ({ message }) => progress(message),
};

/** Faults of Streamable HTTP; they need --http. A value may have parts, with commas between. */
export const httpFlags: Readonly<Record<string, Flag>> = {
  'http-status': withText(
    'method,status,times,after',
    'answer this method with a status, so many times, with Retry-After',
    (behaviour, value) => {
      const [method, status, times = '', ...after] = value.split(',');
      let left = Number(times) || Number.POSITIVE_INFINITY;
      // A date has a comma in it.
      const headers = after.length > 0 ? { 'retry-after': after.join(',') } : undefined;
      at(behaviour, method, ({ response }) => left-- > 0 && response.writeHead(Number(status), headers).end('no'));
    },
  ),
  'http-redirect': withText('method,status,url', 'redirect this method', (behaviour, value) => {
    const [method, status, location] = value.split(',');
    at(behaviour, method, ({ response }) => response.writeHead(Number(status), { location }).end());
  }),
  'http-cut': withText(
    'method,where,times',
    `break the answer off, so many times, after: ${Object.keys(cuts)}`,
    (behaviour, value) => {
      const [method, where = '', times = ''] = value.split(',');
      const sent = cuts[where];
      if (!sent) throw new Error(`knows no ${where}`);
      let left = Number(times) || Number.POSITIVE_INFINITY;
      at(behaviour, method, exchange => {
        if (left-- <= 0) return false;
        if (where === 'nothing') return exchange.response.destroy();
        exchange.response.writeHead(200, EVENTS);
        exchange.response.flushHeaders();
        exchange.response.write(`: hello\n\n${sent(exchange)}`, () => exchange.response.destroy());
        return true;
      });
    },
  ),
  'http-error': withText(
    'method,status',
    'answer this method with a status and a JSON-RPC error in the body',
    (behaviour, value) => {
      const [method, status] = value.split(',');
      at(behaviour, method, ({ message: { id }, response }) => {
        const error = { code: -32_050, message: 'the disk is full' };
        response.writeHead(Number(status), JSON_TYPE).end(JSON.stringify({ jsonrpc: '2.0', id, error }));
      });
    },
  ),
  'http-log': withText(
    'headers',
    'print the method and these headers of each message on stderr',
    (behaviour, names) => {
      behaviour.httpRequests.push((message, { headers }) => {
        const shown = names.split(',').map(name => headers[name] ?? '-');
        console.error(`hostile: ${[message?.method ?? '-', ...shown].join(' | ')}`);
        return undefined;
      });
    },
  ),
  'http-said': withText(
    'method times status body',
    'answer this method so many times with a status and a body, in which $id is the id of the request',
    (behaviour, value) => {
      const [, method, times, status, body = ''] = /^(\S+) (\d+) (\d+) (.+)$/s.exec(value) ?? [];
      let left = Number(times);
      at(behaviour, method, ({ message: { id }, response }) => {
        if (left-- <= 0) return false;
        const type = body.startsWith('{') ? JSON_TYPE : undefined;
        return response.writeHead(Number(status), type).end(body.replace('$id', JSON.stringify(id)));
      });
    },
  ),
  'http-pings': withNumber(
    'count',
    'ping so many times before a tool answers, take none of the answers, and print each on stderr',
    (behaviour, count) => {
      behaviour.httpRequests.push(message => {
        if (!message || message.method !== undefined) return undefined;
        console.error(`hostile: the answer to ${message.id} waits`);
        return 'handled';
      });
      behaviour.incoming.push(({ method }, session) => {
        if (method !== 'tools/call') return undefined;
        for (let n = 1; n <= count; n++) session.send({ jsonrpc: '2.0', id: `ping-${n}`, method: 'ping' });
        session.log('warning', 'hostile', 'all pings are sent');
        return undefined;
      });
    },
  ),
  'http-hints': withText('method', 'answer this method after early hints, with trailers', (behaviour, method) => {
    at(behaviour, method, ({ message: { id }, response }) => {
      response.writeEarlyHints({ link: '</style.css>; rel=preload' });
      response.writeHead(200, { ...JSON_TYPE, trailer: 'x-sum' }).write(textAnswer(id, 'hinted'));
      response.addTrailers({ 'x-sum': '1' });
      response.end();
    });
  }),
  'http-1.0': withText('method', 'answer this method in HTTP/1.0, without a length', (behaviour, method) => {
    at(behaviour, method, ({ message: { id }, response }) =>
      response.socket?.end(`HTTP/1.0 200 OK\r\ncontent-type: application/json\r\n\r\n${textAnswer(id, 'old')}`),
    );
  }),
  'http-end': withText('method', 'end the stream of this method without an answer', (behaviour, method) => {
    at(behaviour, method, ({ message, response }) => response.writeHead(200, EVENTS).end(progress(message)));
  }),
  'http-resume': withText(
    'method',
    'end the stream of this method behind an event id, and answer when it is resumed',
    (behaviour, method) => {
      let asked: Message | undefined;
      at(behaviour, method, ({ message, response }) => {
        asked = message;
        response.writeHead(200, EVENTS).end('id: half-way\nretry: 30\ndata:\n\n');
      });
      behaviour.httpRequests.push((_message, request, response) => {
        if (request.headers['last-event-id'] !== 'half-way') return undefined;
        const result = { content: [{ type: 'text', text: 'resumed' }] };
        response.writeHead(200, EVENTS).end(event({ jsonrpc: '2.0', id: asked?.id ?? null, result }));
        return 'handled';
      });
    },
  ),
  'http-bridge': plain(
    'leave a call of `slow` open; announce changed tools on its stream alone, at each call of `echo`',
    ({ httpRequests }) => {
      let stream: ServerResponse | undefined;
      httpRequests.push((message, _request, response) => {
        if (message?.method !== 'tools/call') return undefined;
        if (message.params?.name !== 'slow') {
          stream?.write(event({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' }));
          return undefined;
        }
        stream ??= response;
        response.writeHead(200, EVENTS).flushHeaders();
        response.on('close', () => console.error('hostile: the stream of slow was let go'));
        return 'handled';
      });
    },
  ),
  'http-trickle': withText('method', 'send a byte of the answer now and then, and never all', (behaviour, method) => {
    at(behaviour, method, ({ response }) => {
      response.writeHead(200, EVENTS).write('data: ');
      const timer = setInterval(() => response.write('x'), 20);
      response.on('close', () => {
        clearInterval(timer);
        console.error('hostile: the trickle was let go');
      });
    });
  }),
  'http-large': withText(
    'method,MB,form',
    'answer with so much: json or event, packed when a coding follows',
    (behaviour, value) => {
      const [method, megabytes, form, coding] = value.split(',');
      at(behaviour, method, ({ message, response }) => {
        const isEvent = form === 'event';
        const answer = Readable.from(largeAnswer(message, Number(megabytes), isEvent));
        const packer = coding && packers[coding as keyof typeof packers];
        response.on('close', () => console.error('hostile: the large answer was let go'));
        response.writeHead(200, { ...(isEvent ? EVENTS : JSON_TYPE), ...(packer && { 'content-encoding': coding }) });
        if (packer) answer.pipe(packer()).pipe(response);
        else answer.pipe(response);
      });
    },
  ),
  'http-coding': withText(
    'method,coding',
    'answer this method with what is not packed, and says so',
    (behaviour, value) => {
      const [method, coding = ''] = value.split(',');
      at(behaviour, method, ({ message: { id }, response }) =>
        response
          .writeHead(200, { ...JSON_TYPE, 'content-encoding': coding })
          .end(`{"jsonrpc":"2.0","id":${id},"result":{}}`),
      );
    },
  ),
  'http-answer': withText(
    'method,status,type,body',
    'answer this method with a status and a body, in which `<id>` is the id of the request',
    (behaviour, value) => {
      const [method, status, type = '', ...body] = value.split(',');
      at(behaviour, method, ({ message: { id }, response }) =>
        response
          .writeHead(Number(status), type === '' ? {} : { 'content-type': type })
          .end(body.join(',').replaceAll('<id>', JSON.stringify(id)).replaceAll('<lf>', '\n')),
      );
    },
  ),
  'http-type': withText('method,type', 'answer this method with a body of another type', (behaviour, value) => {
    const [method, type = ''] = value.split(',');
    at(behaviour, method, ({ response }) => response.writeHead(200, { 'content-type': type }).end('<h1>Hello</h1>'));
  }),
  'http-other-id': withText('method', 'answer this method with the answer to another request', (behaviour, method) => {
    at(behaviour, method, ({ response }) =>
      response.writeHead(200, JSON_TYPE).end('{"jsonrpc":"2.0","id":4711,"result":{}}'),
    );
  }),
  'http-get-ends': plain('end the GET stream again and again, and count', ({ httpRequests }) => {
    let times = 0;
    httpRequests.push((_message, request, response) => {
      if (request.method !== 'GET') return undefined;
      console.error(`hostile: GET ${++times}`);
      response.writeHead(200, EVENTS).end('retry: 30\n\n');
      return 'handled';
    });
  }),
  'http-get-lost': plain('end the GET stream, and refuse it with 503 from then on', ({ httpRequests }) => {
    let opened = false;
    httpRequests.push((_message, request, response) => {
      if (request.method !== 'GET') return undefined;
      if (opened) response.writeHead(503, { 'retry-after': '0' }).end();
      else response.writeHead(200, EVENTS).end('retry: 20\n\n');
      opened = true;
      return 'handled';
    });
  }),
  'http-delete': withText('status', 'answer DELETE with this status, or 0: not at all', ({ httpRequests }, status) => {
    httpRequests.push((_message, request, response) => {
      if (request.method !== 'DELETE') return undefined;
      console.error('hostile: DELETE');
      if (Number(status)) response.writeHead(Number(status)).end();
      return 'handled';
    });
  }),
};
