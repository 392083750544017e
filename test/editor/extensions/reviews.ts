// Reviews of sampling as a person goes through them, and servers that ask.
import * as assert from 'node:assert/strict';
import type { TextContent } from '@modelcontextprotocol/client';
import * as vscode from 'vscode';
import type { ServerConnection } from '../../../src/host';
import { waitFor } from '../../servers/spawn';
import { watchPages } from '../wholePages';
import { api, raw, setting } from '../window';

const SCHEME = 'mcp-sampling';
export const said = (text: string) => ({ type: 'text', text });
export const question = (text: string, more: object = {}) => ({
  messages: [{ role: 'user', content: said(text) }],
  maxTokens: 1_000,
  ...more,
});

/** What a tool of the fixture answers: what it got. */
export interface Got {
  content: TextContent & { id: string; name: string; input: object };
  model: string;
  stopReason: string;
  error: { code: number; message: string };
}

/** Reviews that are over: their documents may still be shown when the next is asked for. */
const over = new Set<string>();

/** To be called when a server has its answer: all that was reviewed for it is over. */
export function isAnswered(): void {
  for (const { uri } of vscode.workspace.textDocuments) if (uri.scheme === SCHEME) over.add(uri.toString());
}

/** Calls a tool and returns its text; JSON is parsed. */
export async function call<T = Got>(
  server: ServerConnection,
  name: string,
  args: Record<string, unknown> = {},
): Promise<T> {
  const tool = server.catalog.tools.find(tool => tool.name === name);
  assert.ok(tool, `${server.id} has no tool ${name}`);
  const { content } = await raw(server).callTool(tool, args).finally(isAnswered);
  const { text } = content[0] as TextContent;
  return (/^[{[]/.test(text) ? JSON.parse(text) : text) as T;
}

export const shown = () => {
  const { document } = vscode.window.activeTextEditor ?? {};
  return document?.uri.scheme === SCHEME ? document : undefined;
};

/** Opens the document of the review that waits, and returns it. */
async function review(name: RegExp): Promise<vscode.TextDocument> {
  await waitFor(
    async () => {
      await vscode.commands.executeCommand('mcpHost.sampling.review', { asJson: true });
      const { uri } = shown() ?? {};
      return uri && name.test(uri.path) && !over.has(uri.toString());
    },
    { what: () => `a review named ${name}; there is ${shown()?.uri.path}` },
  );
  return shown()!;
}
export const request = () => review(/Request from/);
export const answer = () => review(/Answer for/);
export const pressConfirm = () => vscode.commands.executeCommand('mcpHost.confirmSampling');
/** Confirms as a person does: what is long is read to the end of its page first. */
export async function confirm(): Promise<void> {
  const pages = watchPages();
  let isDone = false;
  const done = pressConfirm().then(() => {
    isDone = true;
  });
  try {
    await waitFor(() => isDone || pages.all.length > 0, { what: 'what the command does' });
    if (pages.all.length > 0) (await pages.opened()).allow();
    await done;
  } finally {
    pages.restore();
  }
}
export const deny = () => vscode.commands.executeCommand('mcpHost.denySampling');
export const closed = () =>
  waitFor(() => !vscode.window.tabGroups.all.some(({ tabs }) => tabs.some(({ input }) => isReview(input))), {
    what: 'the review to close',
  });
const isReview = (input: unknown) => (input as { uri?: vscode.Uri } | undefined)?.uri?.scheme === SCHEME;

export async function replace(document: vscode.TextDocument, from: string, to: string): Promise<void> {
  const at = document.getText().indexOf(from);
  assert.ok(at >= 0, `${from} in ${document.getText()}`);
  const edit = new vscode.WorkspaceEdit();
  edit.replace(document.uri, new vscode.Range(document.positionAt(at), document.positionAt(at + from.length)), to);
  await vscode.workspace.applyEdit(edit);
}

export async function audited(pattern: RegExp): Promise<void> {
  const { audit } = (await api()).trust();
  let log = '';
  await waitFor(
    async () => {
      log = await audit.read();
      return pattern.test(log);
    },
    { what: () => `${pattern} in the audit log:\n${log.slice(-2_000)}` },
  );
}

export const set = (key: string, value: unknown) => setting(`sampling.${key}`, value);
