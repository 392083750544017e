import * as assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { DetailNode, ServerNode } from '../../src/editor/serverRows';
import { describeHealth } from '../../src/features/health/healthCards';
import { waitFor } from '../servers/spawn';
import { api, closeEditors, configure, fixture, loads } from './window';

type Row = DetailNode & { uri?: string; path?: string };

async function branch(id: string): Promise<Row> {
  const { tree } = await api();
  const row = tree.getChildren().find(node => node.server.id === id);
  const isSkills = (node: ServerNode): node is Row => node.type === 'detail' && node.item().contextValue === 'skills';
  const found = tree.getChildren(row).find(isSkills);
  assert.ok(found, `${id} has no row for skills`);
  return found;
}

async function rows(id: string): Promise<Row[]> {
  return (await branch(id)).children?.() as Row[];
}

async function rowOf(id: string, uri: string): Promise<{ node: Row; item: vscode.TreeItem }> {
  const node = (await rows(id)).find(one => one.uri === uri && one.path === undefined);
  assert.ok(node, `no row of ${uri}`);
  return { node, item: node.item() };
}

/** Answers the dialog that the command opens. */
async function answering(answer: string | undefined, run: () => Thenable<unknown>): Promise<string> {
  const original = vscode.window.showWarningMessage;
  let asked = '';
  Object.assign(vscode.window, {
    showWarningMessage: async (message: string, options?: vscode.MessageOptions) => {
      if (!options?.modal) return undefined;
      asked = `${message}\n${options.detail ?? ''}`;
      return answer;
    },
  });
  try {
    await run();
    return asked;
  } finally {
    Object.assign(vscode.window, { showWarningMessage: original });
  }
}

const PDF = 'skill://pdf-processing/SKILL.md';
const command = (name: string, argument: unknown) => vscode.commands.executeCommand(`mcpHost.${name}`, argument);

describe('the skills of a server', () => {
  const folder = mkdtempSync(join(tmpdir(), 'skills-'));
  const flag = join(folder, 'now');
  before(async () => {
    await configure({ skilled: fixture('hostile', '--skills', `--skills-when=${flag}`) });
    await loads('skilled');
    await waitFor(async () => (await branch('skilled')).item().description === '3 · 3 not approved', {
      what: 'the list of skills',
    });
  });
  after(async () => {
    await configure(undefined);
    await closeEditors();
    rmSync(folder, { recursive: true, force: true });
  });

  it('are rows, distinguished when two share a name, with their files below them @skills.rows-distinguished-two', async () => {
    const shown = (await rows('skilled')).map(node => node.item());
    assert.deepEqual(
      shown.map(({ label, description, contextValue }) => [label, description, contextValue]),
      [
        ['pdf-processing', 'not approved · Extract, fill, and assemble PDF documents', 'skill.new'],
        ['refunds', 'skill://acme/billing/refunds/SKILL.md · not approved · Refunds of bills', 'skill.new'],
        ['refunds', 'skill://acme/support/refunds/SKILL.md · not approved · Refunds that support grants', 'skill.new'],
      ],
    );
    const { node } = await rowOf('skilled', PDF);
    assert.deepEqual(
      node.children?.().map(file => file.item().label),
      ['SKILL.md', 'assets/logo.bin', 'references/FORMS.md'],
    );
  });

  it("have their extension with its stage on the server's page", async () => {
    const server = await loads('skilled');
    const { state } = describeHealth(server, undefined, { tokens: 0, tools: [], isCounted: false });
    assert.ok(state.details.includes('Extensions: io.modelcontextprotocol/skills (Beta)'), state.details.join('\n'));
  });

  it('open as read-only documents with hidden characters visible @skills.open-read-documents', async () => {
    await command('openSkill', (await rowOf('skilled', 'skill://acme/support/refunds/SKILL.md')).node);
    const { document } = vscode.window.activeTextEditor ?? assert.fail();
    assert.equal(document.uri.scheme, 'mcp-skill');
    assert.match(document.uri.path, /^\/skilled\/skill:.*refunds.*\/SKILL\.md\.mcp$/, 'server and skill');
    assert.match(document.getText(), /^---\nname: "refunds"\n.*Be kind\.⟨U\+200B⟩/s);
    const logo = (await rowOf('skilled', PDF)).node.children?.()[1];
    await command('openSkill', logo);
    assert.match(vscode.window.activeTextEditor?.document.getText() ?? '', /logo\.bin is not a text\. It has 4 bytes/);
  });

  it('are approved only by the button, after the consequences were shown @skills.approved-button', async () => {
    const { node } = await rowOf('skilled', 'skill://acme/billing/refunds/SKILL.md');
    const asked = await answering(undefined, () => command('approveSkill', node));
    assert.match(asked, /^Approve the skill refunds of MCP server "skilled"\?\nRefunds of bills\n/);
    assert.match(asked, /Your approval is for these 1 files \(.*\) and no others/);
    assert.match(asked, /"allowed-tools"\)\. That is ignored/);
    assert.equal((await rowOf('skilled', node.uri!)).item.contextValue, 'skill.new');
    await answering('Approve', () => command('approveSkill', node));
    assert.equal((await rowOf('skilled', node.uri!)).item.contextValue, 'skill.approved');
    assert.equal((await branch('skilled')).item().description, '3 · 2 not approved');
    const namesake = (await rowOf('skilled', 'skill://acme/support/refunds/SKILL.md')).node;
    const second = await answering(undefined, () => command('approveSkill', namesake));
    assert.match(
      second,
      /You have already approved a skill with the same name, from skilled: skill:\/\/acme\/billing\/refunds/,
    );
  });

  it('lose their approval when it is taken back', async () => {
    const { node } = await rowOf('skilled', 'skill://acme/billing/refunds/SKILL.md');
    const asked = await answering('Revoke Approval', () => command('approveSkill', node));
    assert.match(asked, /^The skill refunds of MCP server "skilled" is approved for @mcp\./);
    assert.equal((await rowOf('skilled', node.uri!)).item.contextValue, 'skill.new');
  });

  it('are blocked when they change, and approved again in the difference @skills.blocked-change-approved', async () => {
    const { node } = await rowOf('skilled', PDF);
    await command('openSkill', node);
    await answering('Approve', () => command('approveSkill', vscode.window.activeTextEditor?.document.uri));
    assert.equal((await rowOf('skilled', PDF)).item.contextValue, 'skill.approved');
    writeFileSync(flag, '');
    await command('refreshResources', await branch('skilled'));
    const { item } = await rowOf('skilled', PDF);
    assert.equal(item.contextValue, 'skill.changed');
    assert.match(String(item.description), /^changed: blocked · /);
    assert.equal((item.iconPath as vscode.ThemeIcon).id, 'shield');

    const stale = vscode.window.activeTextEditor?.document.uri;
    assert.equal(
      await answering('Approve', () => command('approveSkill', stale)),
      '',
      'what was opened is not what it is',
    );

    await command('openSkill', (await rowOf('skilled', PDF)).node);
    const diff = () => vscode.window.tabGroups.activeTabGroup.activeTab?.input;
    await waitFor(() => diff() instanceof vscode.TabInputTextDiff, { what: 'the diff' });
    const { original, modified } = diff() as vscode.TabInputTextDiff;
    const text = async (uri: vscode.Uri) => (await vscode.workspace.openTextDocument(uri)).getText();
    const [before, now] = [await text(original), await text(modified)];
    assert.match(before, /SKILL\.md · \d+ · sha256:.*Read references\/FORMS\.md first/s);
    assert.match(now, /SKILL\.md · \d+ · sha256:.*Send ~\/\.ssh\/id_rsa/s);
    assert.notEqual(/SKILL\.md · .*/.exec(before)?.[0], /SKILL\.md · .*/.exec(now)?.[0]);
    const asked = await answering('Approve', () => command('approveSkill', modified));
    assert.match(asked, /^Approve the skill pdf-processing of MCP server "skilled" as it is now\?/);
    assert.equal((await rowOf('skilled', PDF)).item.contextValue, 'skill.approved');
  });

  it('have each answer of the person, and each change, in the audit log', async () => {
    const { audit } = (await api()).trust();
    const told = async () =>
      (await audit.read())
        .split('\n')
        .filter(line => line.includes('"type":"skill"') && line.includes('pdf-processing'))
        .map(line => JSON.parse(line).what);
    await waitFor(async () => (await told()).length >= 3, { what: 'three lines' });
    assert.deepEqual(await told(), ['approved', 'changed', 'approved']);
  });
});

describe('skills that are wrong', () => {
  after(() => configure(undefined));

  it('have rows that name the fault, beside the good one @skills.rows-name-fault', async () => {
    await configure({ odd: fixture('hostile', '--skills-odd') });
    await loads('odd');
    await waitFor(async () => (await branch('odd')).item().description === '1 · 1 not approved', { what: 'the list' });
    const labels = (await rows('odd')).map(node => String(node.item().label));
    assert.equal(labels.at(-1), 'good');
    assert.ok(labels.includes('heavy was skipped: its files have 20 MB; the limit is 16 MB'), labels.join('\n'));
    assert.ok(labels.includes('twins was skipped: it lists Q&A.md twice'));
  });

  it('are at most a thousand rows, the others behind a search', async () => {
    await configure({ many: fixture('hostile', '--skills-many=1200') });
    await loads('many');
    await waitFor(async () => (await branch('many')).item().description === '1200 · 1200 not approved', {
      what: 'the list',
    });
    const all = await rows('many');
    assert.equal(all.length, 1_001);
    const last = all.at(-1)!.item();
    assert.deepEqual([last.label, last.command?.command], ['200 more…', 'mcpHost.openSkill']);
  });
});
