import { closeSync } from 'node:fs';
import { isObject, type JsonObject, type Message, type RequestId } from '../raw/messages';
import { plainTool } from '../raw/offer';
import type { RawSession } from '../raw/session';
import { type Flag, plain, withNumber, withText } from './flag';

const mega = 1024 * 1024;
const deep = (levels: number) => `${'['.repeat(levels)}0${']'.repeat(levels)}`;

/** Writes bytes to a pipe piece by piece, never holding more than the pipe takes. */
async function pour(stream: NodeJS.WriteStream, megabytes: number, piece: Buffer): Promise<void> {
  for (let i = 0; i < megabytes; i++) {
    if (!stream.write(piece)) await new Promise<void>(resolve => void stream.once('drain', resolve));
  }
}

/** Without stdin nothing else keeps the process up. It is still to end some day, should a test forget it. */
const liveOn = () => void setTimeout(() => process.exit(0), 10 * 60_000);

const filled = (byte: number) => Buffer.alloc(mega, byte);

/** A hook for the messages of one method. It is run before the server sees them; 'handled' keeps them from it. */
type Act = (message: Message, session: RawSession) => unknown;

function at(does: string, act: Act): Flag {
  return withText('method', does, ({ incoming }, method) => {
    incoming.push((message, session) =>
      message.method === method && act(message, session) === 'handled' ? 'handled' : undefined,
    );
  });
}

const whenInitialized = (
  act: (session: RawSession) => void,
): ((message: Message, session: RawSession) => undefined) => {
  return (message, session) => {
    if (message.method === 'notifications/initialized') act(session);
    return undefined;
  };
};

/** One line for the log of what came of requests to the client: how many results, how many errors of each code. */
function tally(session: RawSession, what: string, asked: Promise<unknown>[]): void {
  void Promise.allSettled(asked).then(outcomes => {
    const counts: Record<string, number> = {};
    for (const outcome of outcomes) {
      const key = outcome.status === 'fulfilled' ? 'results' : String((outcome.reason as { code: number }).code);
      counts[key] = (counts[key] ?? 0) + 1;
    }
    session.log('info', what, counts);
  });
}

/** Answers that nobody waits for: ids that were never asked, and ids that are none. */
const strayIds = ['999999', '"nobody"', '""', '-1', '1.5', 'null', 'true', '{}', '[]', '[1]', '1e400'];

/** Faults of the pipes: what is read, what is written, and when a pipe ends. */
const pipeFaults: Readonly<Record<string, Flag>> = {
  'half-line-at': at('write half of the answer to this method, without a line end, and exit', ({ id }) => {
    process.stdout.write(`{"jsonrpc":"2.0","id":${id},"result":{"content":[{"ty`, () => process.exit(1));
    return 'handled';
  }),
  'stall-line-at': at('write half of the answer to this method, without a line end, and nothing more', ({ id }) => {
    process.stdout.write(`{"jsonrpc":"2.0","id":${id},"result":{"content":[{"ty`);
    process.stdin.pause();
    liveOn();
    return 'handled';
  }),
  'close-stdout-at': at('close stdout at this method, and live on', () => {
    closeSync(1);
    return 'handled';
  }),
  'close-stdin-at': at('close stdin at this method, answer nothing more, and live on', () => {
    process.stdin.destroy();
    closeSync(0); // which Node leaves open
    console.error('hostile: stdin is closed');
    liveOn();
    return 'handled';
  }),
  'stop-reading-at': at('answer this method, then read nothing more, and live on', () => {
    process.stdin.pause();
    liveOn();
  }),
  'huge-line-at': at('answer this method with a line of 200 MB', ({ id }, session) => {
    process.stdout.write(`{"jsonrpc":"2.0","id":${id},"result":{"content":[{"type":"text","text":"`);
    void pour(process.stdout, 200, filled(120)).then(() => {
      session.send('"}]}}');
      console.error('hostile: the long line has ended');
    });
    return 'handled';
  }),
  'nul-flood': withNumber('mb', 'at the start, write a line of so many MB of NUL to stdout', ({ beforeOpen }, mb) => {
    beforeOpen.push(async () => {
      await pour(process.stdout, mb, filled(0));
      process.stdout.write('\n');
    });
  }),
  'noise-flood': withNumber('n', 'once initialized, write n lines that are no messages', ({ incoming }, n) => {
    incoming.push(
      whenInitialized(session => {
        for (let i = 1; i <= n; i++) session.send(`noise ${i}`);
      }),
    );
  }),
  'stderr-flood': withNumber('mb', 'at the start, write so many MB to stderr without a line end', (behaviour, mb) => {
    behaviour.beforeOpen.push(() => void pour(process.stderr, mb, filled(101)));
  }),
  'bad-utf8': plain('write bytes that are no UTF-8 between the messages, and inside the texts of tools', behaviour => {
    const bad = Buffer.from([0xff, 0xfe, 0xc0, 0x80]);
    behaviour.outgoing.push(outgoing => {
      const [before, after] = JSON.stringify(outgoing).split('"text":"', 2);
      process.stdout.write(Buffer.concat([bad, Buffer.from('\n')]));
      if (after === undefined) return [outgoing];
      process.stdout.write(Buffer.concat([Buffer.from(`${before}"text":"`), bad, Buffer.from(`${after}\n`)]));
      return [];
    });
  }),
};

/** Faults of the messages themselves. */
const messageFaults: Readonly<Record<string, Flag>> = {
  'answer-at': withText(
    'method members',
    'answer this method with these JSON members, for instance `ping "result":"text"`; `<x*9>` is nine times x',
    ({ incoming }, value) => {
      const [, method, written] = /^(\S+) (.+)$/s.exec(value) ?? [];
      if (!method || !written) throw new Error('needs a method and JSON members');
      // A long one fits into no argument.
      const members = written.replace(/<(.)\*(\d+)>/gs, (_, sign: string, times: string) => sign.repeat(Number(times)));
      incoming.push((message, session) => {
        if (message.method !== method) return undefined;
        session.send(`{"jsonrpc":"2.0","id":${JSON.stringify(message.id)},${members}}`);
        return 'handled';
      });
    },
  ),
  'nameless-error-at': withText(
    'method,id',
    'answer this method with an error whose id is null, or missing',
    (behaviour, value) => {
      const [method, id] = value.split(',');
      behaviour.incoming.push((message, session) => {
        if (message.method !== method) return undefined;
        const error = { code: -32700, message: 'What is that?' };
        session.send({ jsonrpc: '2.0', ...(id === 'null' && { id: null }), error });
        return 'handled';
      });
    },
  ),
  'answer-as': withNumber('id', 'answer each request with this id', ({ outgoing }, id) => {
    outgoing.push(message => [
      typeof message !== 'string' && 'id' in message && !('method' in message) ? { ...message, id } : message,
    ]);
  }),
  'answer-twice': plain('send each answer twice', ({ outgoing }) => {
    outgoing.push(message => (isAnswer(message) ? [message, message] : [message]));
  }),
  'stray-answers': plain('send answers with unknown ids, and with ids that are none, before each answer', behaviour => {
    const stray = strayIds.map(id => `{"jsonrpc":"2.0","id":${id},"result":{"content":[],"stray":true}}`);
    behaviour.outgoing.push(message => (isAnswer(message) ? [...stray, message] : [message]));
  }),
  'deep-at': at('at this method, send 100,000 levels as a notification, as params, as a log, as an answer', message => {
    const nested = deep(100_000);
    const lines = [
      `"method":"notifications/tools/list_changed","params":{"_meta":{"a":${nested}}}`,
      `"method":"notifications/message","params":{"level":"info","data":${nested}}`,
      `"method":"notifications/unknown","params":{"a":${nested}}`,
      `"id":"deep-1","method":"roots/list","params":{"_meta":{"a":${nested}}}`,
      `"id":"deep-2","method":"unknown","params":${nested}`,
      `"id":"stray","result":{"a":${nested}}`,
      `"id":${JSON.stringify(message.id)},"result":{"content":[{"type":"text","text":"deep"}],"_meta":{"a":${nested}}}`,
    ];
    for (const line of lines) process.stdout.write(`{"jsonrpc":"2.0",${line}}\n`);
    return 'handled';
  }),
};

/** Faults of what is asked of the client, and how often. */
const requestFaults: Readonly<Record<string, Flag>> = {
  ask: withText(
    'method',
    'once initialized, ask the client for this, and log the results and errors',
    (behaviour, method) => {
      behaviour.incoming.push(whenInitialized(session => tally(session, method, [session.request(method, {})])));
    },
  ),
  'ask-storm': withNumber('n', 'once initialized, send n pings and n roots/list at once', ({ incoming }, n) => {
    incoming.push(
      whenInitialized(session => {
        const methods = Array.from({ length: 2 * n }, (_, i) => (i % 2 === 0 ? 'ping' : 'roots/list'));
        tally(
          session,
          'storm',
          methods.map(method => session.request(method)),
        );
      }),
    );
  }),
  'ask-same-id': withNumber('n', 'once initialized, send n pings with one id, and log the answers', (behaviour, n) => {
    let answers = 0;
    behaviour.incoming.push((message, session) => {
      if (message.id === 'same' && message.method === undefined && ++answers === n)
        session.log('info', 'same', answers);
      return undefined;
    });
    behaviour.incoming.push(
      whenInitialized(session => {
        for (let i = 0; i < n; i++) session.send({ jsonrpc: '2.0', id: 'same', method: 'ping' });
      }),
    );
  }),
  'paced-storm': withNumber(
    'n',
    'once initialized, send n list_changed of tools over one second, with a tool "paced-…" added each 100 ms',
    ({ offer, incoming }, n) => {
      incoming.push(
        whenInitialized(session => {
          let sent = 0;
          const started = performance.now();
          const timer = setInterval(() => {
            const elapsed = performance.now() - started;
            const due = Math.min(n, Math.ceil((elapsed / 1_000) * n));
            const added = Math.min(10, Math.floor(elapsed / 100));
            for (let i = pacedTools(offer.tools); i < added; i++) offer.tools.push(plainTool(`paced-${i + 1}`));
            for (; sent < due; sent++) session.notify('notifications/tools/list_changed');
            if (sent === n && added === 10) clearInterval(timer);
          }, 5);
        }),
      );
    },
  ),
};

const pacedTools = (tools: readonly { definition: JsonObject }[]): number =>
  tools.filter(({ definition }) => String(definition.name).startsWith('paced-')).length;

function isAnswer(outgoing: unknown): outgoing is Message & { id: RequestId } {
  return isObject(outgoing) && outgoing.method === undefined && 'id' in outgoing;
}

/** Faults of which each hits a host in another place: pipes, messages, requests. */
export const faultFlags: Readonly<Record<string, Flag>> = { ...pipeFaults, ...messageFaults, ...requestFaults };
