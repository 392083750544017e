import * as assert from 'node:assert/strict';
import { mock } from 'node:test';
import * as vscode from 'vscode';
import { appRequests, PersonsAnswers } from '../../src/features/apps/appRequests';
import { LoopGuard } from '../../src/features/chat/core/turnLimits';
import { SkillReader } from '../../src/features/chat/skillReader';
import { ToolCaller } from '../../src/features/chat/toolCaller';
import type { ScalePictures } from '../../src/features/languageModel/core';
import { LanguageModelTools } from '../../src/features/languageModelTools/languageModelTools';
import { Skills } from '../../src/features/skills/skills';
import { ToolCommands } from '../../src/features/tools/runTool';
import { sendAgain } from '../../src/features/trace/panelActions';
import type { Origin } from '../../src/features/trust/core/approvals';
import { Trail } from '../../src/features/trust/core/flow';
import { PassThrough } from '../../src/gateway';
import type { ServerConnection } from '../../src/host';
import { forgetTestFiles, run as runTests, testFile } from './testFiles';
import { api, configure, fixture, loads, setting } from './window';

const SECRET = 'sk-hunter2hunter2hunter2hunter2hunter2';
const RESOURCE = 'hostile://notes/readme.md';
const UNLISTED = 'skill://internal-notes/SKILL.md';
/** What everybody calls, with a secret among the arguments. */
const CALL = { name: 'echo', arguments: { text: SECRET } };

/** Comes in where the caller does, calls the tool, and reads if it can. Rejects for nothing that is refused. */
type Door = (server: ServerConnection) => Promise<unknown>;

describe('every caller', () => {
  const { signal } = new AbortController();
  const { token } = new vscode.CancellationTokenSource();
  const refused = () => undefined;
  const never = () => assert.fail('nobody is to be asked about what is denied');
  let server: ServerConnection;

  before(async () => {
    await configure({ doors: fixture('hostile', '--skills') });
    server = await loads('doors');
  });
  beforeEach(() => {
    for (const show of ['showWarningMessage', 'showInformationMessage', 'showErrorMessage'] as const)
      mock.method(vscode.window, show, async (_: string, ...rest: unknown[]) =>
        rest.find(button => button === 'Send Faults…' || button === 'Send' || button === 'Allow'),
      );
  });
  afterEach(() => mock.restoreAll());
  after(async () => {
    await setting('approvals.deny', undefined);
    await configure(undefined);
    forgetTestFiles();
  });

  const tool = () => server.catalog.tools.find(({ name }) => name === CALL.name) ?? assert.fail();
  const chatStream = new Proxy({} as vscode.ChatResponseStream, { get: () => () => undefined });

  /** A turn of `@mcp` in which the model makes these calls. */
  async function turn(...calls: [name: string, input: object][]): Promise<void> {
    const { servers, trust, context } = await api();
    const { calls: toolCalls, requests, flow } = trust();
    const skills = new Skills(servers, context, { show: async () => undefined } as never, trust());
    const named = { serverId: server.id, tool: tool(), definition: { ...tool(), description: '' } };
    const caller = new ToolCaller({
      ...{ servers, calls: toolCalls, requests, flow, approval: { ask: never }, results: { add: () => [] } },
      ...{ questions: { in: () => ({ stopped: signal, end: () => {} }) }, apps: { inChat: () => undefined } },
      ...{ skills: new SkillReader(servers, () => skills), kept: {}, scripts: {}, maxResultLength: () => 1_000 },
    } as never);
    const made = calls.map(([name, input], at) => new vscode.LanguageModelToolCallPart(`${at}`, name, input));
    try {
      await caller.callAll(made, {
        ...{ tools: { byName: new Map([['doors__echo', named]]) }, stream: chatStream, token },
        ...{ chat: 'chat 1', trail: new Trail(), loops: new LoopGuard() },
      } as never);
    } finally {
      skills.dispose();
    }
  }

  /** Agents and extensions come in where a test needs their programs: `agents.test.ts`, `extensionApi.test.ts`. */
  const DOORS: Record<Exclude<Origin, 'agent' | 'extension'>, Door> = {
    chat: () =>
      turn(
        ['doors__echo', CALL.arguments],
        ['mcp_read_resource', { server: server.id, uri: RESOURCE }],
        ['mcp_read_skill', { server: server.id, skill: UNLISTED }],
      ),
    async languageModelTool() {
      const { servers, trust, offered } = await api();
      const scale: ScalePictures = async pictures => pictures;
      const more = { asksLess: () => false, maxResultLength: () => 1_000, scale };
      const options = { servers, trust: trust(), offered: offered(), ...more };
      const tools = new LanguageModelTools(options);
      await tools.invoke('callTool', { server: server.id, tool: CALL.name, arguments: CALL.arguments }, token);
      await tools.invoke('readResource', { server: server.id, uri: RESOURCE }, token);
    },
    async gateway() {
      const trust = { ...(await api()).trust().forModels, ask: never, asker: () => 'client' as const };
      const door = new PassThrough(server, trust, { refused, noteList: refused });
      const ask = (method: string, params: Record<string, unknown>) =>
        door.handle({ jsonrpc: '2.0', id: 1, method, params }, { mcpReq: { signal } } as never).catch(refused);
      await ask('tools/call', CALL);
      await ask('resources/read', { uri: RESOURCE });
    },
    async app() {
      const { trust } = await api();
      const app = { server, tool: tool(), title: 'App', tellModels: refused, setHeight: refused, close: refused };
      const services = { trust: trust(), log: { log: refused }, openLink: async () => false, sampling: refused };
      const requests = appRequests({ ...app, takeGesture: () => false }, new PersonsAnswers(), services);
      await requests.callTool(CALL.name, CALL.arguments, signal).catch(refused);
      await requests.readResource(RESOURCE, signal).catch(refused);
    },
    async test() {
      const steps = `[{ call: echo, arguments: { text: ${SECRET} } }]`;
      const reading = `[{ read: '${RESOURCE}' }]`;
      const text = `server: doors\ntests: [{ name: a, steps: ${steps} }, { name: b, steps: ${reading} }]`;
      const { counts } = await runTests([await testFile('doors.mcptest.yaml', text, 2)]);
      assert.deepEqual(counts, { passed: 0, failed: 2, skipped: 0 });
    },
    async palette() {
      const { servers, trust } = await api();
      const commands = new ToolCommands(trust().calls, never);
      assert.equal(await commands.approve({ server, tool: tool() }, CALL.arguments), undefined);
      await servers.byHand(server).readResource(RESOURCE);
    },
    async trace() {
      const { trust } = await api();
      const { calls, requests } = trust();
      const edited = async ({ value }: { value: unknown }) => value;
      const services = { trust: { calls, requests, askForCall: never }, editOnPage: edited as never };
      await sendAgain(services, { server, method: 'tools/call', params: CALL }, () => assert.fail('it is sent'));
      await sendAgain(services, { server, method: 'resources/read', params: { uri: RESOURCE } }, refused);
    },
    check: () => Promise.resolve(vscode.commands.executeCommand('mcpHost.checkServer', { server, way: 'problems' })),
    async skills() {
      const { trust } = await api();
      await trust().requests.as({ origin: 'skills' })(server).readResource(RESOURCE);
    },
  };
  /** Their requests are made by the person's own hand, which no denial stops. */
  const BY_HAND: readonly string[] = ['palette', 'trace', 'check', 'skills'];

  for (const [origin, enter] of Object.entries(DOORS)) {
    it(`is refused denied calls and requests, and logged without secrets: ${origin} @callers.refused-denied-calls`, async () => {
      const { trust, servers } = await api();
      const before = (await trust().audit.read()).length;
      await setting('approvals.deny', ['doors/*']);
      try {
        await enter(server);
      } finally {
        await setting('approvals.deny', undefined);
      }
      const log = (await trust().audit.read()).slice(before);
      const lines: Record<string, unknown>[] = log
        .trim()
        .split('\n')
        .map(line => JSON.parse(line))
        .filter(line => line.origin === origin && line.server === 'doors');
      const of = (type: string, what: string) => lines.filter(line => line.type === type).map(line => line[what]);
      const calls = of('call', 'answer');
      const uses = of('use', 'outcome');
      if (origin !== 'skills') assert.ok(calls.length > 0 && calls.every(answer => answer === 'deny'), log);
      // The chat reads resources as calls.
      assert.ok(uses.length > 0, log);
      if (!BY_HAND.includes(origin))
        assert.ok(
          uses.every(outcome => outcome === 'DENIED'),
          log,
        );
      assert.ok(!log.includes(SECRET), log);
      const sent = servers.trace
        ?.records()
        .filter(({ direction, text }) => direction === 'sent' && text.includes(SECRET));
      assert.deepEqual(sent, [], 'the server got nothing of it');
    });
  }
});
