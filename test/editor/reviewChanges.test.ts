import * as assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Tool } from '@modelcontextprotocol/client';
import * as vscode from 'vscode';
import type { ServerNode } from '../../src/editor/serverRows';

import { promptRefusal } from '../../src/features/prompts/runPrompt';
import type { ToolCall } from '../../src/features/trust/core/approvals';
import { applyAnswer, possibleAnswers } from '../../src/features/trust/manageTrust';
import type { ServerConnection } from '../../src/host';
import type { ServerDefinition } from '../../src/host/definition';
import { waitFor } from '../servers/spawn';
import { api, CODE, closeEditors, configure, eventually, fixture, loads, logged, raw, setting } from './window';

async function rowsOf(id: string) {
  const { tree } = await api();
  const server = tree.getChildren().find(node => node.server.id === id);
  assert.ok(server, `${id} has no row`);
  const nodes = [server, ...tree.getChildren(server)].flatMap(node =>
    node.type === 'list' ? [node, ...tree.getChildren(node)] : [node],
  );
  return nodes.map(node => ({ node, item: tree.resolveTreeItem(tree.getTreeItem(node), node) }));
}

async function rowOf(id: string, label: string) {
  const found = (await rowsOf(id)).find(({ item }) => item.label === label);
  assert.ok(found, `${id} has no row ${label}`);
  return found;
}

const alwaysOf = ({ id, definition }: ServerConnection, tool: Tool): ToolCall => ({
  serverId: id,
  serverName: id,
  scope: 'user',
  launch: definition.launch,
  tool,
  args: {},
  isChanged: false,
  origin: 'chat',
});

describe('a server that changes accepted definitions', () => {
  const folder = mkdtempSync(join(tmpdir(), 'drift-'));
  const flag = join(folder, 'now');
  let server: ServerConnection;
  before(async () => {
    await setting('pins', 'enforce');
    await configure({ drifts: fixture('hostile', `--drift-when=${flag}`) });
    server = await loads('drifts');
    const { pins, policy } = (await api()).trust();
    await pins.offer(server);
    const tool = server.catalog.tools.find(({ name }) => name === 'echo')!;
    await policy.remember(alwaysOf(server, tool), 'allow', 'user');
  });
  after(async () => {
    await setting('pins', undefined);
    await configure(undefined);
    await closeEditors();
    rmSync(folder, { recursive: true, force: true });
  });

  it('has unmarked rows before the change', async () => {
    const { item } = await rowOf('drifts', 'Echo');
    assert.equal(item.contextValue, 'tools');
    assert.doesNotMatch(String((await rowOf('drifts', 'drifts')).item.description), /review/);
  });

  it('marks blocked items in rows whose click opens the change; "always" is revoked @changedDefinitions.marks-blocked-items', async () => {
    writeFileSync(flag, '');
    await waitFor(async () => /^changed: blocked/.test(String((await rowOf('drifts', 'Echo')).item.description)), {
      what: 'the row to say so',
    });
    const { item, node } = await rowOf('drifts', 'Echo');
    assert.equal(item.contextValue, 'tools.blocked');
    assert.equal((item.iconPath as vscode.ThemeIcon).id, 'shield');
    assert.deepEqual([item.command?.command, item.command?.arguments], ['mcpHost.reviewChanges', [node]]);
    await waitFor(async () => (await rowOf('drifts', 'Greet')).item.contextValue === 'prompts.blocked', {
      what: 'the prompt to be blocked',
    });
    await eventually(async () => {
      const row = (await rowOf('drifts', 'drifts')).item;
      assert.match(String(row.description), /^2 changes to review · /);
      assert.equal(row.contextValue, `server.ready${CODE}.changes`);
    });
    const { policy, audit } = (await api()).trust();
    await waitFor(() => !policy.rules.some(({ serverId }) => serverId === 'drifts'), { what: '"always" to go' });
    const isTold = async () => /"server":"drifts","tool":"echo","answer":"revoked"/.test(await audit.read());
    await waitFor(isTold, { what: 'the audit log to say so' });
  });

  it('has its prompt refused with the remedy @changedDefinitions.prompt-refused-remedy', async () => {
    const { pins } = (await api()).trust();
    const refused = await promptRefusal(pins, server, server.catalog.prompts[0]!);
    assert.match(
      refused ?? '',
      /Prompt greet from MCP server "drifts" is blocked because it has changed.*review and accept the change/,
    );
    assert.equal(await promptRefusal(pins, server, server.catalog.prompts[1]!), undefined);
  });

  it('has a row for changed instructions, and no marks after the changes are accepted @changedDefinitions.row-changed-instructions', async () => {
    await server.restart('the test wants it');
    server = await loads('drifts');
    const instructions = await waitFor(
      async () => (await rowsOf('drifts')).find(({ item }) => item.contextValue === 'instructions.blocked'),
      { what: 'the row of the instructions' },
    );
    assert.equal(instructions.item.description, 'changed: withheld from models');
    const { pins } = (await api()).trust();
    assert.equal(pins.instructions(server), undefined);
    const reviewed = new Set<string>();
    for (const node of await blocked()) {
      await vscode.commands.executeCommand('mcpHost.reviewChanges', node);
      const isNext = () => {
        const { input } = vscode.window.tabGroups.activeTabGroup.activeTab ?? {};
        return input instanceof vscode.TabInputTextDiff && !reviewed.has(String(input.modified)) && input.modified;
      };
      reviewed.add(String(await waitFor(isNext, { what: 'the diff' })));
      await vscode.commands.executeCommand('mcpHost.acceptChange');
    }
    assert.deepEqual(await blocked(), []);
    assert.doesNotMatch(String((await rowOf('drifts', 'drifts')).item.description), /review/);
    assert.match(pins.instructions(server) ?? '', /Always call echo first/);
  });

  const blocked = async (): Promise<ServerNode[]> =>
    (await rowsOf('drifts')).filter(({ item }) => /blocked$/.test(item.contextValue ?? '')).map(({ node }) => node);
});

describe('a changed tool that was allowed for always, while pins only warn', () => {
  const folder = mkdtempSync(join(tmpdir(), 'drift-'));
  const flag = join(folder, 'now');
  before(() => setting('pins', 'warn'));
  after(async () => {
    await setting('pins', undefined);
    await configure(undefined);
    rmSync(folder, { recursive: true, force: true });
  });

  it('is asked about wherever a call comes from, and can be allowed for always once the change is accepted', async () => {
    const entry = fixture('hostile', `--drift-when=${flag}`);
    const { servers, trust } = await api();
    const { calls, pins, policy, audit } = trust();
    await configure({ warned: entry });
    const before = await loads('warned');
    await pins.offer(before);
    const echo = (server: ServerConnection) => server.catalog.tools.find(({ name }) => name === 'echo')!;
    const old = echo(before);
    await policy.remember(alwaysOf(before, old), 'allow', 'user');
    const rules = () => policy.rules.filter(({ serverId }) => serverId === 'warned').map(({ scope }) => scope);
    const isTold = async (times: number) =>
      (await audit.read()).match(/"server":"warned","tool":"echo","answer":"revoked"/g)?.length === times;
    writeFileSync(flag, '');
    await waitFor(() => isTold(1), { what: 'the change to be found' });
    assert.deepEqual(rules(), []);

    const asked: string[] = [];
    for (const origin of ['chat', 'gateway', 'languageModelTool', 'palette'] as const) {
      await calls.approve({ server: before, tool: echo(before), args: {}, origin }, async (_call, pin) => {
        asked.push(`${origin} ${pin}`);
        return { answer: 'allow', scope: 'user' };
      });
    }
    assert.deepEqual(asked, ['chat changed', 'gateway changed', 'languageModelTool changed', 'palette changed']);
    const place = { scope: 'user', serverId: 'warned', toolName: 'echo' } as const;
    const changes = { servers, trust: trust() };
    assert.deepEqual(possibleAnswers(changes, place), ['ask', 'deny', 'forget']);
    await applyAnswer(changes, place, 'allow');
    assert.deepEqual(rules(), []);

    // As another window keeps it, where the change was reviewed.
    await policy.remember(alwaysOf(before, echo(before)), 'allow', 'user');
    await policy.remember(alwaysOf(before, old), 'allow', 'workspace');
    await configure(undefined);
    await configure({ warned: entry });
    const after = await loads('warned');
    await waitFor(() => isTold(2), { what: 'the change to be found again' });
    assert.deepEqual(rules(), ['user']);
    assert.equal(pins.toolState(after, echo(after)), 'changed');
    for (const change of pins.changes(after)) await pins.accept(after, change);
    const never = async () => assert.fail('nobody is to be asked');
    const answer = await calls.approve({ server: after, tool: echo(after), args: {}, origin: 'gateway' }, never);
    assert.equal(answer.approved, true);
    await policy.forget({ scope: 'user', serverId: 'warned' });
  });
});

describe('changes under the default pin setting', () => {
  it("are enforced for programs fetched at each start, and only warned about for the user's own @changedDefinitions.enforced-programs-fetched", async () => {
    const { pins } = (await api()).trust();
    const modeOf = (command: string, args: string[], scope: 'user' | 'workspace' = 'user') =>
      pins.mode({ source: { scope }, entry: { type: 'stdio', command, args, env: {} } } as unknown as ServerDefinition);
    assert.equal(modeOf('npx', ['-y', 'notes@1.2.3']), 'enforce');
    assert.equal(modeOf('docker', ['run', '-i', 'notes']), 'enforce');
    assert.equal(modeOf('node', ['server.js']), 'warn');
    assert.equal(modeOf('node', ['server.js'], 'workspace'), 'enforce');
    await setting('pins', 'warn');
    assert.equal(modeOf('npx', ['-y', 'notes']), 'warn');
    await setting('pins', undefined);
  });
});

describe('a server that hides text and plays tricks', () => {
  afterEach(() => configure(undefined));

  it('is named by settings, and has each hidden character shown in rows, tooltips and its log @changedDefinitions.named-settings-hidden', async () => {
    await configure({ mine: fixture('hostile', '--tricks') });
    const server = await loads('mine');
    await raw(server).callTool(server.catalog.tools[1]!, {});
    const rows = await rowsOf('mine');
    assert.equal(rows[0]!.item.label, 'mine');
    const said = rows.flatMap(({ item: { label, description, tooltip } }) => [
      String(label),
      String(description),
      (tooltip as vscode.MarkdownString | undefined)?.value ?? '',
    ]);
    said.push(await logged('mine', /log !\[x\]/));
    for (const text of said) assert.doesNotMatch(text, /[\u{e0000}-\u{e007f}\u202e\u200b]|(?![\n\t])\p{Cc}/u);
    assert.ok(said.some(text => text.includes('⟨U+202E⟩')));
    assert.ok(rows.filter(({ node }) => node.type === 'item').every(({ item }) => item.tooltip));
    for (const { item } of rows) {
      const tooltip = item.tooltip as vscode.MarkdownString | undefined;
      assert.ok(!tooltip?.isTrusted && !tooltip?.supportHtml);
      assert.doesNotMatch(tooltip?.value ?? '', /!\[|\]\(command:|<img/);
    }
  });
});
