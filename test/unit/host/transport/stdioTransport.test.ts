import assert from 'node:assert/strict';
import type { JSONRPCMessage, Progress } from '@modelcontextprotocol/client';
import { Client } from '@modelcontextprotocol/client';
import type { LogMessage } from '../../../../src/host/reading/framing';
import { readyProgram } from '../../../../src/host/sandbox/launcher';
import { StdioTransport } from '../../../../src/host/transport/stdioTransport';
import { waitFor } from '../../../servers/spawn';
import { assertKept } from '../../keptMemory';

/** A transport to a script that runs in a process of its own, and what came over it. */
class Wire {
  readonly messages: JSONRPCMessage[] = [];
  readonly logs: LogMessage[] = [];
  readonly noise: string[] = [];
  readonly stderr: string[] = [];
  readonly leftOut: string[] = [];
  readonly errors: string[] = [];
  readonly wire: [string, string][] = [];
  closed = false;
  readonly transport: StdioTransport;

  constructor(script: string, maxMessageBytes?: number) {
    const say =
      'const say = (...m) => process.stdout.write(m.map(x => JSON.stringify({jsonrpc:"2.0",...x})+"\\n").join(""));';
    const launch = {
      command: process.execPath,
      args: ['-e', `${say}${script}`],
      env: { ...process.env, ELECTRON_RUN_AS_NODE: '1' },
      cwd: process.cwd(),
    };
    this.transport = new StdioTransport(
      { ready: () => readyProgram(launch) },
      {
        stderr: line => this.stderr.push(line),
        noise: line => this.noise.push(line.slice(0, 200)),
        log: message => this.logs.push(message),
        leftOut: what => this.leftOut.push(what),
        wire: (...message) => this.wire.push(message),
      },
      maxMessageBytes,
    );
    this.transport.onmessage = message => this.messages.push(message);
    this.transport.onerror = error => this.errors.push(error.message);
    this.transport.onclose = () => {
      this.closed = true;
    };
  }

  /** Waits for the notification `done`. */
  async done(): Promise<void> {
    await waitFor(() => this.messages.some(m => 'method' in m && m.method === 'done'), {
      what: () => `the end; messages ${this.messages.length}, errors ${this.errors}, stderr ${this.stderr}`,
    });
  }
}

const ping = (id: number): JSONRPCMessage => ({ jsonrpc: '2.0', id, method: 'ping' });
/** Keeps a script's process alive until its stdin ends. */
const stay = 'process.stdin.resume();';

describe('StdioTransport', () => {
  let wire: Wire | undefined;
  const start = async (script: string, maxMessageBytes?: number): Promise<Wire> => {
    wire = new Wire(script, maxMessageBytes);
    await wire.transport.start();
    return wire;
  };
  afterEach(() => wire?.transport.close());

  it('writes the messages of one tick at once, in order @stdioTransport.writes-messages-tick', async () => {
    const { transport, stderr } = await start(
      'process.stdin.on("data", d => process.stderr.write(String(d).split("\\n").map(l => l && JSON.parse(l).id).join() + "\\n"))',
    );
    await Promise.all([1, 2, 3].map(id => transport.send(ping(id))));
    await waitFor(() => stderr.length > 0, { what: 'the chunk' });
    assert.deepEqual(stderr, ['1,2,3,']);
  });

  it('makes the sender wait while the server does not read, with bounded memory @stdioTransport.makes-sender-wait', async () => {
    const { transport } = await start('setTimeout(() => {}, 60_000)', 1_000_000);
    const padded = (id: number) => ({ ...ping(id), params: { text: 'x'.repeat(400_000) } });
    let taken = false;
    const first = transport.send(padded(1)).then(() => {
      taken = true;
    });
    first.catch(() => {});
    await new Promise(setImmediate);
    const queued = [2, 3].map(id => transport.send(padded(id)));
    await assert.rejects(transport.send(padded(4)), /does not read/);
    assert.equal(taken, false);
    const settled = Promise.allSettled([first, ...queued]);
    process.kill(transport.pid!, 'SIGKILL');
    assert.deepEqual(new Set((await settled).map(({ status }) => status)), new Set(['rejected']));
  });

  it('rejects messages to a server that is gone', async () => {
    const { transport } = await start('process.exit(0)');
    await waitFor(() => wire?.closed, { what: 'the end' });
    await assert.rejects(transport.send(ping(1)), /not running/);
    assert.deepEqual(transport.exit, { code: 0, signal: null });
  });

  it('knows how a server ended when a message to it is rejected', async () => {
    const { transport } = await start(
      'require("fs").closeSync(0); say({method: "done"}); setTimeout(() => process.exit(7), 100)',
    );
    await wire?.done();
    await assert.rejects(transport.send(ping(1)));
    assert.deepEqual(transport.exit, { code: 7, signal: null });
  });

  it('delivers everything that a server wrote before it ended @stdioTransport.delivers-server-wrote', async () => {
    const { messages, logs } = await start(
      `for (let i = 0; i < 5_000; i++) say({method: i % 2 ? "n" : "notifications/message", params: {level: "error", data: i}});
       process.stdout.write('{"jsonrpc":"2.0","method":"last"}')`,
    );
    await waitFor(() => wire?.closed, { what: 'the end' });
    assert.equal(messages.length, 2_501);
    assert.equal(logs.length, 2_500);
  });

  it('loses no progress that arrives together with the answer', async () => {
    wire = new Wire(`
      process.stdin.on("data", d => {
        for (const line of String(d).split("\\n").filter(Boolean)) {
          const {id, method, params} = JSON.parse(line);
          const progress = n => ({method: "notifications/progress", params: {progressToken: params._meta.progressToken, progress: n}});
          if (method === "initialize") say({id, result: {protocolVersion: params.protocolVersion, capabilities: {tools: {}}, serverInfo: {name: "x", version: "1"}}});
          if (method === "tools/call") say(progress(1), progress(2), progress(3), {id, result: {content: []}});
        }
      })`);
    const client = new Client({ name: 'test', version: '0' });
    await client.connect(wire.transport);
    for (let round = 0; round < 3; round++) {
      const seen: number[] = [];
      const onprogress = ({ progress }: Progress) => seen.push(progress);
      await client.callTool({ name: 'any', arguments: {} }, { onprogress });
      assert.deepEqual(seen, [1, 2, 3]);
    }
  });

  it('separates log messages from the SDK, with every error among them, without blocking', async () => {
    const { logs, messages } = await start(
      `const levels = ["debug", "info", "error"]; let part = "";
       for (let i = 0; i < 100_000; i++) part += JSON.stringify({jsonrpc: "2.0", method: "notifications/message", params: {level: levels[i % 3], logger: "l", data: i}}) + "\\n";
       process.stdout.write(part); say({method: "done"}); ${stay}`,
    );
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    await wire?.done();
    clearInterval(timer);
    assert.equal(messages.length, 1);
    assert.equal(logs.length, 100_000);
    assert.deepEqual(logs[2], { level: 'error', logger: 'l', data: 2 });
    assert.ok(turns >= 5, `${turns} turns for others`);
  });

  it('leaves malformed log messages to the SDK @stdioTransport.leaves-malformed-log', async () => {
    const { logs, messages } = await start(
      `say({method: "notifications/message"}, {method: "notifications/message", params: {level: "constructor"}},
           {method: "notifications/message", params: JSON.parse('{"__proto__":{"level":"info"},"data":1}')},
           {id: 1, method: "notifications/message", params: {level: "info", data: 1}}, {method: "done"}); ${stay}`,
    );
    await wire?.done();
    assert.equal(logs.length, 0);
    assert.equal(messages.length, 5);
  });

  it('survives deep JSON, invalid UTF-8, prototype keys and other noise', async () => {
    const { errors, messages, noise, transport } = await start(
      `const deep = "[".repeat(100_000) + "]".repeat(100_000);
       process.stdout.write('{"jsonrpc":"2.0","id":7,"result":{"a":' + deep + '}}\\n' + deep + "\\n");
       process.stdout.write(Buffer.from([0xff, 0xfe, 0x0a]));
       process.stdout.write('{"__proto__":{"jsonrpc":"2.0","method":"x"}}\\n{"jsonrpc":"2.0"}\\n1\\nnull\\n"2.0"\\n');
       process.stdout.write('{"jsonrpc":"2.0","method":"constructor","params":{"__proto__":{"a":1}}}\\n');
       say({method: "done"}); ${stay}`,
    );
    transport.onmessage = message => {
      messages.push(message);
      // As the SDK does with an answer that nobody waits for.
      if (!('method' in message)) JSON.stringify(message);
    };
    await wire?.done();
    assert.deepEqual(
      messages.map(m => ('method' in m ? m.method : 'answer')),
      ['answer', 'constructor', 'done'],
    );
    assert.equal(errors.length, 1);
    assert.match(errors[0]!, /call stack/i);
    assert.equal(noise.length, 7);
    assert.equal(({} as { a?: number }).a, undefined);
  });

  it('skips a message of 200 MB with an error and little memory, and continues', async function () {
    this.timeout(60_000);
    const { errors, leftOut, noise } = await start(
      `const mega = "x".repeat(1024 * 1024); let n = 200;
       process.stdout.write('{"jsonrpc":"2.0","id":1,"result":"');
       (function more() { while (n-- > 0) if (!process.stdout.write(mega)) return process.stdout.once("drain", more);
         process.stdout.write('"}\\n'); say({method: "done"}); })(); ${stay}`,
    );
    const before = process.memoryUsage.rss();
    let most = 0;
    const timer = setInterval(() => {
      most = Math.max(most, process.memoryUsage.rss() - before);
    }, 5);
    await wire?.done();
    clearInterval(timer);
    assert.ok(most < 150e6, `${Math.round(most / 1e6)} MB`);
    assert.deepEqual(errors, ['a message of more than 67108864 bytes was skipped']);
    assert.equal(leftOut.length, 1);
    assert.equal(noise.length, 0);
  });

  it('keeps the beginnings of long lines that are no messages, and not the lines @stdioTransport.keeps-beginnings', async () => {
    await assertKept(60e6, async () => {
      const {
        transport,
        wire: lines,
        noise,
      } = await start(
        `for (let i = 0; i < 10; i++) process.stdout.write("x".repeat(15e6) + "\\n"); say({method: "done"}); ${stay}`,
      );
      await wire?.done();
      assert.deepEqual(
        transport.noiseTail.map(line => [line.length, line.at(-1)]),
        Array(10).fill([16_001, '…']),
      );
      lines.length = noise.length = 0;
    });
  });

  it('fails a request whose answer has values by the million', async () => {
    const { messages, leftOut } = await start(
      `process.stdout.write('{"jsonrpc":"2.0","id":7,"result":{"content":[' + "{},".repeat(2_100_000) + '{}]}}\\n'); say({method: "done"}); ${stay}`,
    );
    await wire?.done();
    assert.match(JSON.stringify(messages[0]), /"id":7,"error":.*too many values or levels/);
    assert.deepEqual(leftOut, ['a message with too many values or levels']);
  });

  it('fails a request whose answer is too large, wherever its id stands, and no other', async () => {
    const big = `big: "x".repeat(20_000)`;
    const { messages, errors } = await start(
      `const line = m => process.stdout.write(JSON.stringify(m) + "\\n"), jsonrpc = "2.0";
       line({jsonrpc, id: 1, result: {${big}}}); line({id: 2, jsonrpc, result: {${big}}});
       line({result: {${big}}, jsonrpc, id: 3}); line({jsonrpc, result: {${big}}, id: 4});
       line({jsonrpc, id: 5, method: "ask", params: {${big}}}); line({method: "ask", params: {${big}}, jsonrpc, id: 6});
       line({jsonrpc, method: "tell", params: {${big}, result: {id: 7}}}); say({method: "done"}); ${stay}`,
      10_000,
    );
    await wire?.done();
    const answers = messages.filter(message => 'error' in message);
    assert.deepEqual(
      answers.map(({ id }) => id),
      [1, 2, 3, 4],
    );
    assert.match(answers[0]?.error.message ?? '', /^it sent a message of more than 10000 bytes/);
    assert.equal(errors.length, 7);
  });

  it('reads a flood on stderr without blocking the server or the event loop @stdioTransport.reads-flood-stderr', async () => {
    const { stderr } = await start(
      `process.stderr.write("a line of stderr\\n".repeat(200_000)); say({method: "done"}); ${stay}`,
    );
    await wire?.done();
    await waitFor(() => stderr.length === 200_000, { what: 'all of stderr' });
    assert.equal(wire?.transport.stderrTail.length, 200);
  });
});
