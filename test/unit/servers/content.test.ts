import assert from 'node:assert/strict';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Conversation } from '../../servers/conversation';
import type { JsonObject } from '../../servers/raw/messages';
import { fixturePath } from '../../servers/spawn';

const oddUri = 'content://odd/Größe und Maß/日本 語.txt?version=1&note=a b';

for (const era of ['legacy', 'modern'] as const) {
  describe(`the content fixture in the ${era} era`, () => {
    const client = new Client(
      { name: 'test', version: '1.0.0' },
      { capabilities: { roots: {} }, versionNegotiation: { mode: era === 'legacy' ? 'legacy' : 'auto' } },
    );
    const read = async (uri: string) => (await client.readResource({ uri })).contents;
    before(async () => {
      client.setRequestHandler('roots/list', () => ({ roots: [{ uri: 'file:///root', name: 'root' }] }));
      const transport = { command: process.execPath, args: [fixturePath('content')], stderr: 'ignore' as const };
      await client.connect(new StdioClientTransport(transport));
      assert.equal(client.getProtocolEra(), era);
    });
    after(() => client.close());

    it('lists resources of all kinds, with their URIs unchanged', async () => {
      const { resources } = await client.listResources();
      const uris = resources.map(r => r.uri);
      assert.equal(new Set(uris).size, 15);
      assert.ok(uris.includes(oddUri) && uris.includes('memo:today'));
      assert.equal(resources.find(r => r.name === 'annotated.txt')?.icons?.length, 2);
    });

    it('reads text, JSON, pictures and bytes', async () => {
      const [source] = await read('content://code/greeting');
      assert.equal(source?.mimeType, 'text/x-typescript');
      const [json] = await read('content://data/minified');
      assert.ok(json && 'text' in json && JSON.parse(json.text));
      const [png] = await read('content://images/chequered.png');
      assert.ok(png && 'blob' in png && Buffer.from(png.blob, 'base64').subarray(1, 4).toString() === 'PNG');
      const [bytes] = await read('content://binary/bytes.bin');
      assert.ok(bytes && 'blob' in bytes);
      assert.deepEqual([...Buffer.from(bytes.blob, 'base64')], [...Array(256).keys()]);
      assert.equal((await read('content://several/three')).length, 3);
      const [empty] = await read('content://empty/nothing.txt');
      assert.ok(empty && 'text' in empty && empty.text === '');
    });

    it('reads odd addresses, and what a template makes', async () => {
      assert.equal((await read(oddUri))[0]?.uri, oddUri);
      assert.equal((await read('memo:today')).length, 1);
      const [day] = await read('content://days/monday');
      assert.ok(day && 'text' in day && day.text === 'Notes of monday');
      const ref = { type: 'ref/resource' as const, uri: 'content://days/{date}' };
      const { completion } = await client.complete({ ref, argument: { name: 'date', value: 'm' } });
      assert.deepEqual(completion.values, ['monday']);
    });

    it('has a missing resource, and one with invalid base64 that the client refuses', async () => {
      await assert.rejects(read('content://broken/missing.txt'), /Resource not found/);
      await assert.rejects(read('content://broken/base64.bin'), /base64/i);
    });

    it('describes its tools, and answers with the roots', async () => {
      const { tools } = await client.listTools();
      assert.equal(tools.find(t => t.name === 'count')?.annotations?.readOnlyHint, true);
      assert.equal(tools.find(t => t.name === 'erase')?.annotations?.title, 'Erase everything');
      const result = await client.callTool({ name: 'list-roots' });
      assert.deepEqual(result.content, [{ type: 'text', text: '[{"uri":"file:///root","name":"root"}]' }]);
    });
  });
}

describe('the content fixture on the wire', () => {
  it('answers with -32002 and with invalid base64', async () => {
    const conversation = Conversation.start('content');
    try {
      await conversation.initialize();
      const missing = await conversation.request('resources/read', { uri: 'content://broken/missing.txt' });
      assert.equal(missing.error?.code, -32002);
      const broken = await conversation.request('resources/read', { uri: 'content://broken/base64.bin' });
      assert.match(JSON.stringify((broken.result as JsonObject).contents), /%%% not base64 %%%/);
    } finally {
      await conversation.stop();
    }
  });
});
