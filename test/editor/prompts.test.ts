import * as assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { promptDocument } from '../../src/features/prompts/core/promptDocument';
import { resolvePrompt, slashName } from '../../src/features/prompts/core/slashCommand';
import { completionSource } from '../../src/features/prompts/core/suggestions';
import type { ServerConnection } from '../../src/host';
import { npmServerPath } from '../servers/npm';
import { api, configure, loads, raw, run } from './window';

const { signal } = new AbortController();

describe('prompts of server-everything:', () => {
  let server: ServerConnection;
  before(async () => {
    await configure({ everything: run(npmServerPath('everything'), 'stdio') });
    server = await loads('everything');
  });
  after(() => configure(undefined));

  const shown = async (name: string, args: Record<string, string>) => {
    const prompt = server.catalog.prompts.find(candidate => candidate.name === name);
    assert.ok(prompt, `no prompt ${name}`);
    return promptDocument({ server: server.name, prompt, args, result: await raw(server).getPrompt(name, args) });
  };

  it('simple-prompt runs without arguments', async () => {
    assert.match(await shown('simple-prompt', {}), /## 1\. User\n\nThis is a simple prompt without arguments\./);
  });

  it('args-prompt takes an optional argument or leaves it out', async () => {
    assert.match(await shown('args-prompt', { city: 'Paris' }), /What's weather in Paris\?/);
    assert.match(await shown('args-prompt', { city: 'Austin', state: 'TX' }), /What's weather in Austin, TX\?/);
  });

  it('completable-prompt has values that depend on the earlier argument', async () => {
    const suggest = completionSource(server, (await api()).servers.byHand, {
      type: 'ref/prompt',
      name: 'completable-prompt',
    })!;
    const departments = await suggest('department', 'S', {}, signal);
    assert.deepEqual([...departments.values], ['Sales', 'Support']);
    const names = await suggest('name', '', { department: 'Sales' }, signal);
    assert.deepEqual([...names.values], ['David', 'Eve', 'Frank']);
    const others = await suggest('name', '', { department: 'Engineering' }, signal);
    assert.deepEqual([...others.values], ['Alice', 'Bob', 'Charlie']);
    assert.equal(suggest.cached!('name', '', { department: 'Sales' }), names);
    const document = await shown('completable-prompt', { department: 'Sales', name: 'Eve' });
    assert.match(document, /Please promote Eve to the head of the Sales team\./);
  });

  it('resource-prompt shows its embedded resource with the URI', async () => {
    const suggest = completionSource(server, (await api()).servers.byHand, {
      type: 'ref/prompt',
      name: 'resource-prompt',
    })!;
    assert.deepEqual([...(await suggest('resourceType', '', {}, signal)).values], ['Text', 'Blob']);
    const document = await shown('resource-prompt', { resourceType: 'Text', resourceId: '1' });
    assert.match(
      document,
      /## 2\. User\n\nResource: `demo:\/\/resource\/dynamic\/text\/1` \(text\/plain\)\n\n```text\n/,
    );
  });

  it('a refused argument is an error that names the server and the prompt', async () => {
    await assert.rejects(
      raw(server).getPrompt('resource-prompt', { resourceType: 'Nothing', resourceId: '1' }),
      /MCP server "everything" could not get the prompt resource-prompt: .*Invalid resourceType/,
    );
  });

  it('each is found by its slash name', () => {
    for (const prompt of server.catalog.prompts) {
      const resolved = resolvePrompt(`${slashName(server, prompt, [server])} x`, [server]);
      assert.ok(resolved.kind === 'found');
      assert.equal(resolved.prompt.name, prompt.name);
    }
  });

  it('suggestions are forgotten when the server restarts', async () => {
    const suggest = completionSource(server, (await api()).servers.byHand, {
      type: 'ref/prompt',
      name: 'completable-prompt',
    })!;
    await suggest('department', 'E', {}, signal);
    assert.ok(suggest.cached!('department', 'E', {}));
    await vscode.commands.executeCommand('mcpHost.restartServer', { server });
    server = await loads('everything');
    assert.equal(suggest.cached!('department', 'E', {}), undefined);
  });
});
