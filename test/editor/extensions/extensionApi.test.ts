import * as assert from 'node:assert/strict';
import { mock } from 'node:test';
import * as vscode from 'vscode';
import type { McpHostApi, McpHostError, McpHostErrorCode, McpServer } from '../../../docs/api';
import type { Clients } from '../../../src/features/clients/core';
import { npmServerPath } from '../../servers/npm';
import { waitFor } from '../../servers/spawn';
import { allow, api, configure, consent, eventually, fixture, loads, raw, reaches, run, setting } from '../window';

const ID = 'mcp-host-test.api-user';
/** A tool that takes as many seconds as it is told. */
const LONG = 'trigger-long-running-operation';
type GetApi = (version: unknown, options?: { silent?: boolean }) => Promise<McpHostApi>;

/** What the second extension exports: ways to get the API. */
interface ApiUser {
  readonly direct: GetApi;
  readonly afterAwait: GetApi;
  readonly fromNowhere: GetApi;
  readonly evaluated: GetApi;
}

describe('the API for extensions', () => {
  let user: ApiUser;
  let clients: Clients;
  /** The dialogs that were shown. */
  let dialogs: { message: string; detail: string; buttons: unknown[] }[];
  /** What the person does with each. */
  let answer: (message: string) => string | undefined | Promise<string | undefined>;
  const fails = (promise: Promise<unknown>, code: McpHostErrorCode, message = /./) =>
    assert.rejects(promise, (error: McpHostError) => {
      assert.equal(error.code, code, error.stack);
      assert.equal(error.name, 'McpHostError');
      assert.match(error.message, message);
      return true;
    });
  const audited = async (pattern: RegExp) => {
    const { audit } = (await api()).trust();
    await eventually(async () => assert.match(await audit.read(), pattern));
  };
  const serverOf = (host: McpHostApi, id: string): McpServer =>
    host.servers.find(server => server.id === id) ?? assert.fail(`no ${id} in ${host.servers.map(({ id }) => id)}`);

  before(async () => {
    clients = (await api()).clients();
    user = await vscode.extensions.getExtension<ApiUser>(ID)!.activate();
    const server = run(npmServerPath('everything'));
    await configure({ everything: server, other: server });
    await loads('everything');
    await loads('other');
  });
  beforeEach(() => {
    dialogs = [];
    answer = () => undefined;
    mock.method(
      vscode.window,
      'showWarningMessage',
      async (message: string, options: vscode.MessageOptions | undefined, ...buttons: unknown[]) => {
        if (!options?.modal) return undefined;
        dialogs.push({ message, detail: options.detail ?? '', buttons });
        return answer(message);
      },
    );
  });
  afterEach(async () => {
    mock.restoreAll();
    await clients.revoke({ kind: 'extension', id: ID });
  });
  after(() => configure(undefined));

  /** The API, which the person allows. */
  async function allowed(): Promise<McpHostApi> {
    answer = () => 'Allow';
    const host = await user.direct(1);
    answer = () => 'Allow Once';
    return host;
  }

  describe('who calls', () => {
    it('is identified by its code on the stack, even after it has waited @extensionApi.identified-code-stack', async () => {
      answer = () => 'Allow';
      await user.direct(1);
      await user.afterAwait(1);
      assert.equal(dialogs.length, 1, 'it is asked about once');
      const [{ message, detail, buttons } = assert.fail()] = dialogs;
      assert.equal(message, 'Allow the extension "API User" to use your MCP servers?');
      for (const part of [`ID: ${ID}`, 'Publisher: mcp-host-test', 'Version: 0.0.1', 'Folder: ', 'call tools'])
        assert.ok(detail.includes(part), `${part} in ${detail}`);
      // The first has the focus: a key that was meant for something else must not allow anything.
      assert.deepEqual(buttons, ['Deny', 'Allow', 'Details…', { title: 'Not Now', isCloseAffordance: true }]);
      await audited(
        new RegExp(`"type":"client","kind":"extension","client":"${ID}","name":"API User","what":"allowed"`),
      );
    });

    it('is required: code of no extension, or of this one, is refused without a question @extensionApi.required-code-extension', async () => {
      const { getApi } = await api();
      for (const call of [user.fromNowhere, user.evaluated, getApi as GetApi]) await fails(call(1), 'UNKNOWN_CALLER');
      assert.deepEqual(dialogs, []);
    });
  });

  describe("the person's answer", () => {
    it('is remembered when it is a denial; a call that may not ask learns only earlier answers', async () => {
      await fails(user.direct(1, { silent: true }), 'NOT_ASKED');
      assert.deepEqual(dialogs, []);
      answer = () => 'Deny';
      await fails(user.direct(1), 'DENIED', new RegExp(ID));
      await fails(user.direct(1), 'DENIED');
      await fails(user.direct(1, { silent: true }), 'DENIED');
      assert.equal(dialogs.length, 1);
      await audited(/"what":"denied"/);
    });

    it('is not requested for another version of the API', async () => {
      for (const version of [2, 0, '1', undefined]) await fails(user.direct(version), 'UNSUPPORTED_VERSION');
      assert.deepEqual(dialogs, []);
    });

    it('ends open sessions and running calls when revoked @extensionApi.ends-open-sessions', async () => {
      const host = await allowed();
      const server = serverOf(host, 'other');
      let revoked = 0;
      host.onDidRevoke(() => revoked++);
      const running = server.callTool(LONG, { duration: 600, steps: 1 }).catch((error: McpHostError) => error.code);
      const { calls } = await api();
      await waitFor(() => calls().at('other').length === 1, { what: 'the call to run' });
      host.registerServerDefinitions({ added: fixture('hostile') });
      await reaches(`added@${ID}`, 'needsTrust');
      await clients.revoke({ kind: 'extension', id: ID });
      assert.equal(await running, 'REVOKED');
      assert.equal(revoked, 1);
      assert.throws(() => host.servers, { code: 'REVOKED' });
      assert.throws(() => server.state, { code: 'REVOKED' });
      assert.throws(() => server.subscribe('demo://x', () => undefined), { code: 'REVOKED' });
      await fails(server.listTools(), 'REVOKED', /revoked/);
      const { servers } = await api();
      await waitFor(() => !servers.get(`added@${ID}`), { what: 'its server to be gone' });
      await waitFor(() => calls().at('other').length === 0, { what: 'the call to be cancelled' });
      await audited(/"what":"revoked"/);
    });
  });

  describe('servers', () => {
    it('are listed as copies with what they offer, and announce changes', async () => {
      const host = await allowed();
      assert.deepEqual(host.servers.map(({ id, name, state }) => [id, name, state]).slice(0, 2), [
        ['everything', 'everything', 'ready'],
        ['other', 'other', 'ready'],
      ]);
      assert.equal(host.servers[0], host.servers[0], 'a server is one object');
      const server = serverOf(host, 'everything');
      const tools = await server.listTools();
      const echo = tools.find(({ name }) => name === 'echo') ?? assert.fail();
      assert.ok(echo.inputSchema.properties);
      (echo as { name: string }).name = 'changed';
      assert.ok((await server.listTools()).some(({ name }) => name === 'echo'));
      assert.ok((await server.listPrompts()).length > 0);
      assert.ok((await server.listResources()).length > 0);
      assert.ok((await server.listResourceTemplates()).length > 0);
      const states: string[] = [];
      host.onDidChangeServer(({ server: { id, state }, what }) => {
        if (id === 'other' && what === 'state') states.push(state);
      });
      await (await api()).servers.get('other')!.restart('a test');
      await waitFor(() => states.at(-1) === 'ready', { what: () => `ready in ${states}` });
    });

    it('calls ask like any other, name the extension, and appear under it in the audit log @extensionApi.calls-ask-like', async () => {
      const server = serverOf(await allowed(), 'everything');
      dialogs.length = 0;
      const { content } = await server.callTool('echo', { message: 'hello' });
      assert.match(content[0]?.text ?? '', /hello/);
      assert.deepEqual(
        dialogs.map(({ message }) => message),
        ['The extension "API User" asks: call echo on MCP server "everything"?'],
      );
      await audited(
        new RegExp(`"type":"call","server":"everything","tool":"echo","origin":"extension","client":"${ID}"`),
      );
    });

    it('a refused call fails; after five refusals in a row the person is no longer asked @extensionApi.refused-call-fails', async () => {
      const server = serverOf(await allowed(), 'everything');
      dialogs.length = 0;
      answer = () => 'Deny';
      for (let call = 0; call < 7; call++) await fails(server.callTool('echo', { message: 'x' }), 'REFUSED');
      assert.equal(dialogs.length, 5);
    });

    it('denials apply to extensions, agents, the editor and chat alike, without a question @extensionApi.denials-apply-extensions', async () => {
      const server = serverOf(await allowed(), 'everything');
      await setting('approvals.deny', ['everything/echo']);
      dialogs.length = 0;
      try {
        const denied = /^echo on MCP server "everything" is denied by your approvals\./;
        await fails(server.callTool('echo', { message: 'x' }), 'REFUSED', denied);
        const { servers, trust } = await api();
        const connection = servers.get('everything')!;
        const tool = connection.catalog.tools.find(({ name }) => name === 'echo')!;
        const never = () => assert.fail('nobody is to be asked');
        for (const origin of ['agent', 'app', 'chat', 'extension', 'gateway', 'languageModelTool'] as const) {
          const wanted = { server: connection, tool, args: { message: 'x' }, origin };
          const answer = await trust().calls.approve(wanted, never);
          assert.ok(!answer.approved && answer.why === 'denied' && answer.by === 'rule', origin);
          await audited(
            new RegExp(`"server":"everything","tool":"echo","origin":"${origin}".*"decided":"rule","answer":"deny"`),
          );
        }
        await server.callTool('get-sum', { a: 1, b: 2 });
        assert.equal(dialogs.length, 1, 'other tools are asked about as before');
      } finally {
        await setting('approvals.deny', undefined);
      }
    });

    it('denied resources are neither read, followed nor opened for an extension, and each attempt is logged @extensionApi.denied-resources-neither', async () => {
      const server = serverOf(await allowed(), 'everything');
      const [resource] = await server.listResources();
      const { uri } = resource ?? assert.fail();
      const { subscriptions } = (await api()).servers.get('everything')!;
      await setting('approvals.deny', ['everything/resources/*']);
      dialogs.length = 0;
      const updated: string[] = [];
      try {
        await fails(server.readResource(uri), 'REFUSED');
        await fails(server.openResource(uri), 'REFUSED');
        const subscription = server.subscribe(uri, changed => updated.push(changed));
        for (const method of ['read', 'subscribe'])
          await audited(
            new RegExp(
              `"origin":"extension","client":"${ID}","method":"resources/${method}","what":"${uri}","outcome":"DENIED"`,
            ),
          );
        assert.equal(subscriptions.state(uri), undefined);
        // The person follows it, of which the extension hears nothing.
        const followed: string[] = [];
        subscriptions.onDidUpdate(changed => followed.push(changed));
        const own = raw((await api()).servers.get('everything')!).subscribe(uri);
        await waitFor(() => followed.includes(uri), { what: 'what the person hears' });
        await server.listTools();
        assert.deepEqual(updated, []);
        own.dispose();
        subscription.dispose();
        assert.deepEqual(dialogs, []);
        assert.ok(!vscode.window.tabGroups.all.some(({ tabs }) => tabs.some(({ label }) => uri.endsWith(label))));
      } finally {
        await setting('approvals.deny', undefined);
      }
    });

    it('arguments and names are checked before the person is asked', async () => {
      const server = serverOf(await allowed(), 'everything');
      dialogs.length = 0;
      await fails(server.callTool('no such tool'), 'NOT_FOUND');
      await fails(server.callTool('echo', { message: 7 }), 'INVALID');
      await fails(server.callTool('echo', [] as unknown as Record<string, unknown>), 'INVALID');
      await fails(server.callTool('echo', { message: 1n }), 'INVALID');
      await fails(server.getPrompt('no such prompt'), 'NOT_FOUND');
      await fails(server.readResource(undefined as unknown as string), 'INVALID');
      assert.deepEqual(dialogs, []);
    });

    it('prompts, resources, completion and subscriptions', async () => {
      const server = serverOf(await allowed(), 'everything');
      const { messages } = await server.getPrompt('args-prompt', { city: 'Rome' });
      assert.match(messages[0]?.content.text ?? '', /Rome/);
      const [resource] = await server.listResources();
      const { contents } = await server.readResource(resource!.uri);
      assert.equal(contents[0]?.uri, resource!.uri);
      const { values } = await server.complete({
        ref: { type: 'ref/prompt', name: 'completable-prompt' },
        argument: { name: 'department', value: 'E' },
      });
      assert.deepEqual(values, ['Engineering']);
      const updated: string[] = [];
      const subscription = server.subscribe(resource!.uri, uri => updated.push(uri));
      await waitFor(() => updated.includes(resource!.uri), { what: 'the subscription to be live' });
      subscription.dispose();
      assert.equal((await api()).servers.get('everything')!.subscriptions.state(resource!.uri), undefined);
      const many = Array.from({ length: 500 }, (_, at) => server.subscribe(`demo://many/${at}`, () => undefined));
      assert.throws(() => server.subscribe('demo://one/more', () => undefined), { code: 'BUSY' });
      for (const one of many) one.dispose();
      const by = `"server":"everything","origin":"extension","client":"${ID}"`;
      await audited(new RegExp(`"type":"use",${by},"method":"prompts/get","what":"args-prompt","outcome":"ok"`));
      await audited(new RegExp(`"type":"use",${by},"method":"resources/read"`));
    });

    it('a call reports progress, and ends when cancelled', async () => {
      const server = serverOf(await allowed(), 'everything');
      const steps: number[] = [];
      const onProgress = ({ progress }: { progress: number }) => void steps.push(progress);
      await server.callTool(LONG, { duration: 0.1, steps: 2 }, { onProgress });
      assert.deepEqual(steps, [1, 2]);
      const cancel = new vscode.CancellationTokenSource();
      const other = serverOf(await user.direct(1), 'other');
      const running = other.callTool(LONG, { duration: 600, steps: 1 }, { token: cancel.token });
      const { calls } = await api();
      await waitFor(() => calls().at('other').length === 1, { what: 'the call to run' });
      assert.deepEqual(
        calls()
          .at('other')
          .map(({ client }) => [client?.id, client?.name]),
        [[ID, 'API User']],
      );
      cancel.cancel();
      await fails(running, 'CANCELLED');
      await waitFor(() => calls().at('other').length === 0, { what: 'the call to be cancelled' });
      await fails(other.listTools({ token: cancel.token }), 'CANCELLED');
    });

    it('a call cancelled during the question is not made, whatever the answer', async () => {
      const server = serverOf(await allowed(), 'everything');
      const cancel = new vscode.CancellationTokenSource();
      const question = Promise.withResolvers<string>();
      answer = () => question.promise;
      dialogs.length = 0;
      const running = server.callTool('echo', { message: 'never' }, { token: cancel.token });
      await waitFor(() => dialogs.length === 1, { what: 'the question' });
      cancel.cancel();
      await fails(running, 'CANCELLED');
      const { servers } = await api();
      const sent = () => servers.trace?.records().some(({ text }) => text.includes('"never"'));
      question.resolve('Allow Once');
      await server.listTools();
      assert.ok(!sent());
    });

    it('a flood of calls waits behind one question at a time, and is refused beyond a limit @extensionApi.flood-calls-waits', async () => {
      const server = serverOf(await allowed(), 'everything');
      const question = Promise.withResolvers<string>();
      answer = () => question.promise;
      dialogs.length = 0;
      const calls = Array.from({ length: 150 }, (_, at) =>
        server.callTool('echo', { message: `${at}` }).then(
          () => 'ok',
          (error: McpHostError) => error.code,
        ),
      );
      await waitFor(() => dialogs.length === 1, { what: 'the question' });
      question.resolve('Deny');
      const outcomes = Object.groupBy(await Promise.all(calls), outcome => outcome);
      assert.equal(outcomes.BUSY?.length, 42, 'eight run, a hundred wait');
      assert.equal(outcomes.REFUSED?.length, 108);
      assert.equal(dialogs.length, 5);
    });

    it('a stopped or removed server is reported', async () => {
      const server = serverOf(await allowed(), 'other');
      const { servers } = await api();
      await servers.get('other')!.stop('a test');
      assert.equal(server.state, 'stopped');
      await fails(server.listTools(), 'NOT_READY', /other/);
      await fails(server.callTool('echo', { message: 'x' }), 'NOT_READY');
      await configure({ everything: run(npmServerPath('everything')) });
      await waitFor(() => !servers.get('other'), { what: 'the server to be gone' });
      await fails(server.listTools(), 'NOT_FOUND');
    });
  });

  describe('servers of extensions', () => {
    it('declared in a manifest need consent, which names the extension @extensionApi.declared-manifest-need', async () => {
      const { servers } = await api();
      const server = await allow(`shipped@${ID}`);
      assert.deepEqual(server.definition.source.scope, 'extension');
      assert.equal(servers.get(`broken@${ID}`)?.state.kind, 'failed');
      await assert.rejects(
        async () => (await api()).files().documentOf(server.definition.source),
        new RegExp(`Only the extension ${ID}, which adds this server, can change it`),
      );
    });

    it('added at run time need consent, follow changes, and go with the extension @extensionApi.added-run-time', async () => {
      const host = await allowed();
      let changes = 0;
      host.onDidChangeServers(() => changes++);
      const added = host.registerServerDefinitions({ added: fixture('hostile') });
      const id = `added@${ID}`;
      await allow(id);
      assert.ok(changes > 0);
      const { content } = await serverOf(host, id).callTool('echo', { text: 'from mine' });
      assert.match(content[0]?.text ?? '', /from mine/);
      added.dispose();
      const { servers } = await api();
      await waitFor(() => !servers.get(id), { what: 'the server to be gone' });
      const again = host.registerServerDefinitions({ added: run(npmServerPath('everything')) });
      await reaches(id, 'needsTrust');
      again.dispose();
      assert.throws(() => host.registerServerDefinitions(7 as never), { code: 'INVALID' });
    });

    it('are handed over when they are ready, and are started, stopped and looked into by the extension that added them', async () => {
      const host = await allowed();
      const added = host.registerServerDefinitions({ mine: fixture('hostile') });
      await allow(`mine@${ID}`);
      const [server = assert.fail()] = await added.ready;
      assert.deepEqual([server.name, server.state, server.error], ['mine', 'ready', undefined]);
      const control = server.control ?? assert.fail();
      assert.equal(serverOf(host, 'everything').control, undefined, 'servers of the person');
      const before = control.trace();
      assert.match(before[0]?.text ?? '', /"(initialize|server\/discover)"/);
      await control.restart();
      assert.equal(server.state, 'ready');
      const later = control.trace(before.at(-1)!.seq);
      assert.ok(later.length > 0 && later.every(({ seq }) => seq > before.at(-1)!.seq));
      await control.stop();
      assert.equal(server.state, 'stopped');
      await control.start();
      assert.equal(server.state, 'ready');
      assert.ok(control.logs().some(({ text }) => text.includes(`the extension ${ID} wants it`)));
      added.dispose();
    });

    it('say why they fail, and are not added at all with fields that do not exist', async () => {
      const host = await allowed();
      const added = host.registerServerDefinitions({ gone: { command: 'no-such-program-at-all' } });
      await reaches(`gone@${ID}`, 'needsTrust');
      const gone = serverOf(host, `gone@${ID}`);
      assert.equal(gone.error?.code, 'NEEDS_TRUST');
      const failing = fails(added.ready as Promise<unknown>, 'FAILED', /no-such-program-at-all/);
      await consent(`gone@${ID}`);
      await failing;
      assert.equal(gone.error?.code, 'COMMAND_NOT_FOUND');
      added.dispose();
      const unused = host.registerServerDefinitions({ never: fixture('hostile') });
      unused.dispose();
      await fails(unused.ready as Promise<unknown>, 'CANCELLED');
      const typo = {
        notes: { comand: 'node', ['__proto__']: {} },
        other: { command: 'node', timeouts: { startMS: 1 } },
      };
      assert.throws(() => host.registerServerDefinitions(typo), {
        code: 'INVALID',
        message: /"comand" \(did you mean "command"\?\).*"timeouts\.startMS"/,
      });
      assert.ok(!host.servers.some(({ name }) => name === 'other'));
    });
  });

  describe('the example extension', () => {
    it('adds its server, and calls its tool when the person allows that', async () => {
      answer = message => (/^Allow the extension/.test(message) ? 'Allow' : 'Allow Once');
      const greeting = vscode.commands.executeCommand<string>('mcpHostExample.greet');
      const id = 'greeter@example.mcp-host-api-example';
      await consent(id);
      assert.equal(await greeting, 'Hello Ada');
      assert.deepEqual(
        dialogs.map(({ message }) => message.replace(/ on MCP server.*/, '')),
        [
          'Allow the extension "MCP Host API Example" to use your MCP servers?',
          'The extension "MCP Host API Example" asks: call greet',
        ],
      );
      await clients.revoke({ kind: 'extension', id: 'example.mcp-host-api-example' });
    });
  });
});
