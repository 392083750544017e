import assert from 'node:assert/strict';
import type { HostError } from '../../../../src/base/errors';
import type { ServerConnection } from '../../../../src/host';
import { waitFor } from '../../../servers/spawn';
import { raw } from '../../../setup/raw';
import { faultyHosts } from '../faultyHost';

/** An answer to one method that is not as specified, and how the error of whoever waits for it ends. */
interface BadAnswer {
  is: string;
  members: string;
  says: RegExp;
}

const notSpecified = (what: string) =>
  new RegExp(`its response does not follow the specification \\(${what}.*\\)\\. This is a bug in the server`);

const badCalls: BadAnswer[] = [
  { is: 'an error without a code', members: '"error":{"message":"no!"}', says: notSpecified('.*: no!') },
  { is: 'an error that is a string', members: '"error":"no!"', says: notSpecified('.*: no!') },
  {
    is: 'an error that is empty',
    members: '"error":{}',
    says: notSpecified('its error does not follow the specification'),
  },
  { is: 'an error with a code in words', members: '"error":{"code":"E","message":"no!"}', says: notSpecified('.*no!') },
  { is: 'an error of a megabyte', members: '"error":{"code":1,"message":"<x*1000000>"}', says: /xxx…/ },
];

/** What other requests of a person get when their answer is of the wrong type. */
const badResults: {
  method: string;
  members: string;
  send(server: ServerConnection): Promise<unknown>;
  read: unknown;
}[] = [
  {
    method: 'prompts/get',
    members: '"result":{"messages":"hello"}',
    send: server => raw(server).getPrompt('hello', {}),
    read: { messages: [{ role: 'user', content: { type: 'text', text: 'hello' } }] },
  },
  {
    method: 'resources/read',
    members: '"result":{"contents":null}',
    send: server => raw(server).readResource('hostile://notes/readme.md'),
    read: { contents: [] },
  },
  {
    method: 'completion/complete',
    members: '"result":{"completion":5}',
    send: server =>
      raw(server).complete({ ref: { type: 'ref/prompt', name: 'greet' }, argument: { name: 'name', value: 'A' } }),
    read: { values: [] },
  },
];

/** Results that break a rule of JSON-RPC and can be used all the same. */
const usable: { is: string; members: string; content?: unknown[] }[] = [
  { is: 'a result that is a string', members: '"result":"a"', content: [{ type: 'text', text: 'a' }] },
  { is: 'a result that is null', members: '"result":null' },
  { is: 'a result that is an array', members: '"result":["a"]', content: [{ type: 'text', text: 'a' }] },
  {
    is: 'content that is one block',
    members: '"result":{"content":{"text":"a"}}',
    content: [{ type: 'text', text: 'a' }],
  },
  { is: 'content of numbers', members: '"result":{"content":[1,null]}', content: [{ type: 'text', text: '1' }] },
  {
    is: 'a "_meta" that is a number',
    members: '"result":{"content":["a"],"_meta":5}',
    content: [{ type: 'text', text: 'a' }],
  },
  { is: 'content of no known type', members: '"result":{"content":[{"type":"x"}]}', content: [{ type: 'x' }] },
  { is: '"error": null beside the result', members: '"result":{"content":[]},"error":null' },
  { is: 'members that nobody knows', members: '"result":{"content":[]},"extra":1,"time":"now"' },
  {
    is: 'prototype keys',
    members: '"result":{"content":[],"__proto__":{"polluted":1},"constructor":{"prototype":{}}}',
  },
];

const initialize = (members: string) =>
  `--answer-at=initialize "result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"x","version":"1"},${members}}`;

/** Answers in the handshake that no host can work with. */
const badHandshakes = [
  { is: 'a protocolVersion that is a number', flag: initialize('"protocolVersion":5') },
  { is: 'a protocolVersion of the future', flag: initialize('"protocolVersion":"2999-01-01"') },
  { is: 'a result that is a string', flag: '--answer-at=initialize "result":"welcome"' },
  { is: 'an error', flag: '--answer-at=initialize "error":{"code":-32603,"message":"no!"}' },
  { is: 'an error without a code', flag: '--answer-at=initialize "error":{}' },
];

/** Answers in the handshake that a host can work with, and whether tools are declared in them. */
const oddHandshakes = [
  { is: 'capabilities that are null', members: '"capabilities":null', tools: true },
  { is: 'capabilities that are a list', members: '"capabilities":["tools"]', tools: true },
  { is: 'tools that are true', members: '"capabilities":{"tools":true}', tools: true },
  { is: 'tools that are false', members: '"capabilities":{"tools":false}', tools: false },
  {
    is: 'tools in an object of another shape',
    members: '"capabilities":{"tools":{"supported":true,"available":["a"]}}',
    tools: true,
  },
  { is: 'tools that are a list', members: '"capabilities":{"tools":[]}', tools: true },
  { is: 'a serverInfo without a name', members: '"serverInfo":{},"capabilities":{"tools":{}}', tools: true },
];

/** Answers to the question for the era that make no sense; the handshake is tried then. */
const badDiscoveries = [
  '"result":"text"',
  '"result":{}',
  '"result":{"protocolVersions":5,"supportedVersions":"all"}',
  '"error":"no"',
  '"error":{"code":"E"}',
  '"error":{"code":-32600,"message":"no"}',
  '"error":{"code":-32000,"message":"no"}',
  '"error":{"code":-32022,"message":"no","data":{"supported":7}}',
];

describe('a server over stdio that answers', () => {
  const host = faultyHosts();

  for (const { is, members, says } of badCalls) {
    it(`a call with ${is}: the call fails immediately with the reason, and the next request is answered @faultsOfMessages.call-call-fails`, async () => {
      await host().start([`--answer-at=tools/call ${members}`], { timeouts: { toolCallMs: 60_000 } });
      const server = await host().loads('bad');
      await assert.rejects(host().call(), { name: 'HostError', code: 'PROTOCOL', server: 'bad', message: says });
      assert.equal((await raw(server).getPrompt('hello', {})).messages.length, 1);
    });
  }

  for (const { method, members, send, read } of badResults) {
    it(`${method} with ${members}: what there is arrives, with a note in the log, and the next is answered`, async () => {
      await host().start([`--answer-at=${method} ${members}`], { timeouts: { requestMs: 60_000 } });
      const server = await host().loads('bad');
      assert.deepEqual(await send(server), read);
      assert.ok(host().logged(new RegExp(`of ${method}.* is not as the specification says|left out .* of ${method}`)));
      await host().answers();
    });
  }

  for (const { is, members, content = [] } of usable) {
    it(`with ${is} is still understood`, async () => {
      await host().start([`--answer-at=tools/call ${members}`]);
      await host().loads('bad');
      const result = await host().call();
      assert.deepEqual(result.content, content);
      assert.equal(({} as { polluted?: number }).polluted, undefined);
    });
  }

  for (const { is, flag } of badHandshakes) {
    it(`the handshake with ${is}: its start fails with a reason and a remedy @faultsOfMessages.handshake-start-fails`, async () => {
      await host().start([flag]);
      const { error } = await host().reaches('bad', 'failed');
      assert.match(error.message, /^MCP server "bad" could not start: .+\. .+/);
      assert.doesNotMatch(error.message, /URL|\n/);
    });
  }

  for (const { is, members, tools } of oddHandshakes) {
    it(`the handshake with ${is}: it is ready`, async () => {
      await host().start([initialize(members)]);
      const { catalog } = await host().loads('bad');
      assert.equal(catalog.tools.length > 0, tools);
    });
  }

  for (const members of badDiscoveries) {
    it(`the probe with ${members} counts as legacy`, async () => {
      await host().start([`--answer-at=server/discover ${members}`]);
      assert.equal((await host().reaches('bad', 'ready')).info.era, 'legacy');
      await host().answers();
    });
  }

  it('twice, each time: the first answer counts @faultsOfMessages.twice-time-first', async () => {
    await host().start(['--answer-twice']);
    await host().loads('bad');
    for (let i = 0; i < 5; i++) await host().answers();
  });

  it('unknown requests, with unknown or missing ids: those answers are ignored @faultsOfMessages.unknown-requests-unknown', async () => {
    await host().start(['--stray-answers']);
    await host().loads('bad');
    for (let i = 0; i < 5; i++) await host().answers();
  });

  it('the handshake among notifications that came too early: its start succeeds, with all lists @faultsOfMessages.handshake-among', async () => {
    await host().start(['--early']);
    const { catalog } = await host().loads('bad');
    assert.ok(catalog.tools.length > 0 && catalog.prompts.length > 0 && catalog.resources.length > 0);
    await host().answers();
  });

  it('with invalid UTF-8: bytes are replaced, and noise between messages is skipped @faultsOfMessages.invalid-utf-8', async () => {
    await host().start(['--bad-utf8']);
    await host().loads('bad');
    const { content } = await host().call();
    assert.deepEqual(content, [{ type: 'text', text: '\ufffd\ufffd\ufffd\ufffdhello' }]);
    assert.ok(host().linesOf('stdout').includes('not an MCP message: \ufffd\ufffd\ufffd\ufffd'));
  });

  it('with 100,000 levels, in notifications, requests, logs and the answer: only that call may fail', async () => {
    await host().start(['--deep-at=tools/call'], { timeouts: { toolCallMs: 2_000 } });
    const server = await host().loads('bad');
    await host()
      .call()
      .catch(error => assert.equal(error.name, 'HostError'));
    assert.equal((await raw(server).getPrompt('hello', {})).messages.length, 1);
    assert.equal(server.state.kind, 'ready');
  });

  it('a result that is nested too deeply to be read: the call fails, and does not wait @faultsOfMessages.result-nested-deeply', async () => {
    await host().start(['--answer-at=tools/call "result":{"content":[{"a":<[*50000><]*50000>}]}']);
    const server = await host().loads('bad');
    await assert.rejects(host().call(), { name: 'HostError' });
    assert.equal((await raw(server).getPrompt('hello', {})).messages.length, 1);
  });

  it('a handshake with texts longer than anybody reads: their beginnings are kept @faultsOfMessages.handshake-texts-longer', async () => {
    const info = '"serverInfo":{"name":"<n*30000>","version":"1","title":"<t*30000>"}';
    await host().start([initialize(`${info},"instructions":"<i*300000>"`)]);
    const { info: known } = await host().loads('bad');
    const { name, title } = known!.implementation!;
    assert.deepEqual([name.length, title?.length, known!.instructions?.length], [10_000, 10_000, 200_000]);
  });

  it('an error with data longer than anybody reads: its message is kept @faultsOfMessages.error-data-longer', async () => {
    await host().start(['--answer-at=tools/call "error":{"code":1,"message":"<x*30000>","data":"<d*100000>"}']);
    await host().loads('bad');
    const error: HostError = await host()
      .call()
      .then(
        () => assert.fail(),
        error => error,
      );
    assert.equal(error.rpcError?.data, undefined);
    assert.ok(error.rpcError!.message.length <= 20_001);
  });

  it('lines that are no messages, and the name of a logger, longer than anybody reads @faultsOfMessages.lines-messages-name', async () => {
    const log =
      '"jsonrpc":"2.0","method":"notifications/message","params":{"level":"error","logger":"<l*5000>","data":1}';
    await host().start([`--answer-at=tools/list "result":{"tools":[]}}\n<n*500000>\n{${log}`]);
    await host().loads('bad');
    await waitFor(() => host().linesOf('server').length > 0, { what: 'the log message' });
    const { logger } = host().logs.find(({ source }) => source === 'server')!;
    assert.equal(logger, `${'l'.repeat(200)}…`);
    assert.equal(host().linesOf('stdout').join(), `not an MCP message: ${'n'.repeat(1_000)}`);
  });

  it('a handshake that is nested too deeply to be read: the server fails, and nothing else', async () => {
    await host().start(['--answer-at=initialize "result":{"capabilities":{"experimental":{"a":<[*20000><]*20000>}}}']);
    const { error } = await host().reaches('bad', 'failed');
    assert.doesNotMatch(error.message, /call stack/);
  });

  it('a list with prototype keys: its items are treated as data', async () => {
    const tool = '{"name":"__proto__","inputSchema":{"type":"object","properties":{"__proto__":{"polluted":1}}}}';
    await host().start([`--answer-at=tools/list "result":{"tools":[${tool}],"constructor":1,"toString":"x"}`]);
    const { catalog } = await host().loads('bad');
    assert.equal(catalog.tools[0]?.name, '__proto__');
    assert.equal(({} as { polluted?: number }).polluted, undefined);
  });
});
