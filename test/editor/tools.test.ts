import * as assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { scaffold } from '../../src/features/tools/core/argumentForm';
import { type RenderedResult, renderResult } from '../../src/features/tools/core/resultText';
import { formOf } from '../../src/features/tools/core/schemaForm';
import type { ServerConnection } from '../../src/host';
import { npmServerPath } from '../servers/npm';
import { waitFor } from '../servers/spawn';
import { closeEditors, configure, eventually, loads, raw, resourceUri, run } from './window';

/** Calls a tool and renders what it answers. */
async function call(server: ServerConnection, name: string, args: Record<string, unknown> = {}) {
  const tool = toolOf(server, name);
  const result = await raw(server).callTool(tool, args);
  return renderResult({ server, tool, args, result, ms: 1 });
}

function toolOf(server: ServerConnection, name: string) {
  const tool = server.catalog.tools.find(candidate => candidate.name === name);
  assert.ok(tool, `there is no tool ${name}`);
  return tool;
}

const targets = ({ links }: RenderedResult) => links.map(({ target }) => target);
const tabs = () => vscode.window.tabGroups.all.flatMap(group => group.tabs);

describe('the commands that run something', () => {
  it('offer to add a server where there is none', async () => {
    const { showInformationMessage } = vscode.window;
    const said: string[][] = [];
    const hear = async (...texts: string[]) => void said.push(texts);
    Object.assign(vscode.window, { showInformationMessage: hear });
    try {
      await configure(undefined);
      for (const command of ['runTool', 'runPrompt']) await vscode.commands.executeCommand(`mcpHost.${command}`);
    } finally {
      Object.assign(vscode.window, { showInformationMessage });
    }
    const offer = ['No MCP servers are configured.', 'Add Server…'];
    assert.deepEqual(said, [offer, offer]);
  });
});

describe('tools of server-everything', () => {
  let everything: ServerConnection;
  before(async () => {
    await configure({ everything: run(npmServerPath('everything'), 'stdio') });
    everything = await loads('everything');
  });
  afterEach(closeEditors);
  after(() => configure(undefined));

  it('each have a form, with no argument left to JSON', () => {
    for (const { name, inputSchema } of everything.catalog.tools) {
      const steps = formOf(inputSchema);
      assert.ok(!steps.some(({ path }) => path.length === 0), name);
      assert.equal(typeof scaffold(inputSchema), 'object');
    }
  });

  it('that answer with text do so', async () => {
    assert.match((await call(everything, 'echo', { message: 'Hello' })).text, /Echo: Hello\n/);
    assert.match((await call(everything, 'get-sum', { a: 2, b: 3 })).text, /The sum of 2 and 3 is 5\./);
    assert.match((await call(everything, 'get-env')).text, /"PATH": /);
    assert.match((await call(everything, 'toggle-simulated-logging')).text, /started|stopped/i);
    await call(everything, 'toggle-simulated-logging');
    const operation = await call(everything, 'trigger-long-running-operation', { duration: 0.2, steps: 2 });
    assert.match(operation.text, /completed/);
  });

  it('that answer with structured content have it formatted over lines', async () => {
    const { text } = await call(everything, 'get-structured-content', { location: 'Chicago' });
    assert.match(text, /── Structured content ─+\n\{\n {2}"temperature": 36,\n/);
  });

  it('that answer with images have them as files', async () => {
    for (const [name, args] of [
      ['get-tiny-image', {}],
      ['get-annotated-message', { messageType: 'success', includeImage: true }],
    ] as const) {
      const { images, files } = await call(everything, name, args);
      assert.equal(images.length, 1, name);
      const bytes = Buffer.from(files.get(images[0]!)!);
      assert.equal(bytes.toString('latin1', 1, 4), 'PNG');
    }
  });

  it('that answer with resource links lead to readable resources', async () => {
    const rendered = await call(everything, 'get-resource-links', { count: 4 });
    const resources = targets(rendered).flatMap(target => (target.kind === 'resource' ? [target.resource] : []));
    assert.equal(resources.length, 4);
    for (const resource of resources) {
      const file = resourceUri('everything', resource);
      await vscode.commands.executeCommand('vscode.open', file);
      const bytes = await vscode.workspace.fs.readFile(file);
      assert.ok(bytes.length > 0, resource.uri);
    }
  });

  it('that answer with an embedded resource show its text, or have it as a file', async () => {
    const text = await call(everything, 'get-resource-reference', { resourceType: 'Text', resourceId: 1 });
    assert.match(text.text, /Resource 1: This is a plaintext resource/);
    const blob = await call(everything, 'get-resource-reference', { resourceType: 'Blob', resourceId: 2 });
    assert.ok(blob.files.size === 1);
  });

  it('that create a resource have it in the tree and as a file', async () => {
    const args = { name: 'hello.txt.gz', data: 'data:text/plain,hello', outputType: 'resourceLink' };
    const made = targets(await call(everything, 'gzip-file-as-resource', args));
    const resource = made.flatMap(target => (target.kind === 'resource' ? [target.resource] : []))[0];
    assert.ok(resource, JSON.stringify(made));
    const listed = () => everything.catalog.resources.some(({ uri }) => uri === resource.uri);
    await waitFor(listed, { what: 'the announced change of the list' });
    const bytes = Buffer.from(await vscode.workspace.fs.readFile(resourceUri('everything', resource)));
    assert.equal(bytes.toString('hex', 0, 2), '1f8b');
  });

  it('that switch something or become a task report the outcome', async () => {
    assert.match((await call(everything, 'toggle-subscriber-updates')).text, /started|stopped/i);
    await call(everything, 'toggle-subscriber-updates');
    assert.match(
      (await call(everything, 'simulate-research-query', { topic: 'x' })).text,
      /^✔ OK.*Research Report: x/s,
    );
    const called = ['echo', 'get-sum', 'get-env', 'toggle-simulated-logging', 'trigger-long-running-operation'];
    called.push('get-structured-content', 'get-tiny-image', 'get-annotated-message', 'get-resource-links');
    called.push(
      'get-resource-reference',
      'gzip-file-as-resource',
      'toggle-subscriber-updates',
      'simulate-research-query',
    );
    // What asks the person is called where somebody answers: in the tests of elicitation.
    const all = [...called, 'get-roots-list', 'trigger-elicitation-request', 'trigger-url-elicitation'];
    all.push('trigger-elicitation-request-async');
    assert.match((await call(everything, 'get-roots-list')).text, /file:\/\//);
    // Those that need roots and elicitation come later, one by one.
    await eventually(() => assert.deepEqual(everything.catalog.tools.map(({ name }) => name).sort(), all.sort()));
  });

  it("that fail are marked, with the server's message", async () => {
    const { text } = await call(everything, 'get-sum', { a: 'x' });
    assert.match(text, /^✘ ERROR · get-sum · everything/);
    assert.match(text, /[Ii]nvalid/);
  });

  it('open their result and its picture, and links lead to the picture', async () => {
    const tool = toolOf(everything, 'get-tiny-image');
    const result = await raw(everything).callTool(tool, {});
    const call = { server: everything, tool, args: {}, end: { result, ms: 1 }, dismiss: () => {} };
    await vscode.commands.executeCommand('mcpHost.openCallResult', { call });
    const document = () => vscode.window.activeTextEditor?.document;
    await waitFor(() => document()?.uri.scheme === 'mcp-result', { what: 'the document of the result' });
    assert.match(document()!.getText(), /^✔ OK · get-tiny-image · everything · /);
    assert.equal(document()!.fileName.split('/').at(-1), 'get-tiny-image result.txt');
    await waitFor(() => tabs().some(({ input }) => input instanceof vscode.TabInputCustom), { what: 'the picture' });
    const links = await vscode.commands.executeCommand<vscode.DocumentLink[]>(
      'vscode.executeLinkProvider',
      document()!.uri,
    );
    const picture = links.find(({ target }) => target?.path.endsWith('.png'))?.target;
    assert.ok(picture);
    assert.equal(Buffer.from(await vscode.workspace.fs.readFile(picture)).toString('latin1', 1, 4), 'PNG');
    for (const { uri } of [document()!, { uri: picture }])
      await assert.rejects(async () => vscode.workspace.fs.readFile(uri.with({ query: '' })), {
        name: /EntryNotFound/,
      });
    await assert.rejects(async () => vscode.workspace.fs.writeFile(picture, new Uint8Array()));
    await assert.rejects(
      async () => vscode.workspace.fs.readFile(picture.with({ path: '/999/x' })),
      /no longer available/,
    );
  });
});
