import assert from 'node:assert/strict';
import type { CallToolResult } from '@modelcontextprotocol/client';
import { linkedResource, resultBlocks } from '../../../../../src/features/tools/core/resultBlocks';

const blocks = (...content: unknown[]) => resultBlocks({ content } as CallToolResult);

describe('the blocks of a result', () => {
  it('are texts with hidden characters visible, and JSON', () => {
    assert.deepEqual(blocks({ type: 'text', text: 'a\u202eb' }, { type: 'text', text: ' [1, 2]' }), [
      { kind: 'text', label: 'Text', text: 'a⟨U+202E⟩b', cut: '' },
      { kind: 'json', label: 'Text', json: ' [1, 2]' },
    ]);
  });

  it('include 20,000 lines of text unchanged, and report what is cut beyond a million characters', () => {
    const lines = Array.from({ length: 20_000 }, (_, i) => `line ${i}`).join('\n');
    const [long] = blocks({ type: 'text', text: lines });
    assert.ok(long?.kind === 'text' && long.text === lines && long.cut === '');
    const [longer] = blocks({ type: 'text', text: 'x'.repeat(1_500_000) });
    assert.ok(longer?.kind === 'text');
    assert.match(longer.cut, /500000/);
  });

  it('are together no more than a page can draw, hidden characters as they are shown @resultBlocks.together-page-draw', () => {
    const texts = [...Array.from({ length: 20 }, () => '\u200b'.repeat(300_000)), 'the last'];
    const all = blocks(...texts.map(text => ({ type: 'text', text })));
    const shown = all.map(block => (block.kind === 'text' ? block.text.length : assert.fail(block.kind)));
    // Of each, 100,000 hidden characters are examined and told, in eight characters, and then that there are more.
    const [first = 0] = shown;
    assert.ok(first > 800_000 && first < 800_100, String(first));
    assert.deepEqual(shown, [...Array.from({ length: 6 }, () => first), ...Array.from({ length: 14 }, () => 0), 8]);
    assert.ok(all.every(block => block.kind === 'text' && block.cut.includes('300000') === (block.text === '')));
  });

  it('are pictures as long as drawing them is no more work than a page can do', () => {
    const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
    const of = (side: number) => {
      const size = Buffer.alloc(8);
      size.writeUInt32BE(side, 0);
      size.writeUInt32BE(side, 4);
      return { type: 'image', mimeType: 'image/png', data: Buffer.concat([png, size]).toString('base64') };
    };
    const unknown = { type: 'image', mimeType: 'image/jpeg', data: Buffer.from('ffd8ff01', 'hex').toString('base64') };
    const sound = { type: 'audio', mimeType: 'audio/wav', data: Buffer.from('RIFF    WAVE').toString('base64') };
    const kinds = blocks(of(9_000), of(9_000), of(1_000), unknown, sound).map(({ kind }) => kind);
    assert.deepEqual(kinds, ['image', 'note', 'image', 'note', 'audio']);
  });

  it('are a link to a website, where a page in the result is a bare address', () => {
    const resource = { uri: 'ui://a/1', mimeType: 'text/html;profile=mcp-app', text: 'https://example.com/x' };
    const content = [{ type: 'resource' as const, resource }];
    const [block, ...others] = resultBlocks({ content });
    assert.ok(block?.kind === 'link' && block.isWebsite && block.address === 'https://example.com/x');
    assert.deepEqual(others, []);
    assert.deepEqual(linkedResource(content, 0), { uri: 'https://example.com/x' });
  });

  it('include structured content once, although servers repeat it as text', () => {
    const text = '{\n "id": 12345678901234567890\n}';
    const structuredContent = JSON.parse(text) as Record<string, unknown>;
    const content: CallToolResult['content'] = [{ type: 'text', text }];
    assert.deepEqual(
      resultBlocks({ content, structuredContent }),
      [{ kind: 'json', label: 'Structured content', json: text }],
      'with all its digits, which the parsed value has lost',
    );
    const [other, data, note, ...more] = resultBlocks({ content: [{ type: 'text', text: 'else' }], structuredContent });
    assert.deepEqual([other?.kind, data?.kind, more], ['text', 'json', []]);
    assert.ok(note?.kind === 'note' && /^Integers of more than 15 digits are rounded here/.test(note.text));
  });

  it('include structured content that is a text once, as that text', () => {
    const text = 'first "line"\nsecond';
    assert.deepEqual(resultBlocks({ content: [{ type: 'text', text }], structuredContent: text } as never), [
      { kind: 'text', label: 'Structured content', text, cut: '' },
    ]);
  });

  it('include drawable pictures and sounds; others are left to the document', () => {
    const data = Buffer.from('x').toString('base64');
    const kinds = blocks(
      { type: 'image', mimeType: 'image/PNG', data },
      { type: 'audio', mimeType: 'audio/wav', data },
      { type: 'image', mimeType: 'image/svg+xml', data },
      { type: 'image', mimeType: 'image/png', data: '%%%' },
      { type: 'image', mimeType: 'image/jpg', data }, // as SDKs for Python call it
    );
    assert.deepEqual(
      kinds.map(({ kind }) => kind),
      ['image', 'audio', 'note', 'note', 'image'],
    );
    assert.match(JSON.stringify(kinds[2]), /image\/svg\+xml.*document/);
    assert.match(JSON.stringify(kinds[3]), /base64.*fault of the server/);
  });

  it("include links with the server's description, and never a name instead of an address", () => {
    const link = { type: 'resource_link', uri: 'https://example.com/\u202e', name: 'Click me', size: 2048 };
    const [shown] = blocks(link);
    assert.ok(shown?.kind === 'link');
    assert.equal(shown.address, 'https://example.com/⟨U+202E⟩');
    assert.equal(shown.isWebsite, true);
    assert.equal(linkedResource([link] as CallToolResult['content'], 0)?.uri, link.uri);
    assert.equal(linkedResource([], 3), undefined);
    const [other] = blocks({ ...link, uri: 'javascript:alert(1)' });
    assert.equal(other?.kind === 'link' && other.isWebsite, false);
  });

  it('include text that an embedded resource has as bytes', () => {
    const resource = {
      uri: 'file:///a.csv',
      mimeType: 'application/csv',
      blob: Buffer.from('a,b\n1,ü').toString('base64'),
    };
    const [, text] = blocks({ type: 'resource', resource });
    assert.deepEqual(text, { kind: 'text', label: 'Text', text: 'a,b\n1,ü', cut: '' });
  });

  it('include embedded resources with their link, and unknown content as JSON', () => {
    const parts = blocks({ type: 'resource', resource: { uri: 'a:b', text: 'hello' } }, { type: 'new', x: 1 }, null);
    assert.deepEqual(
      parts.map(({ kind }) => kind),
      ['link', 'text', 'json', 'json'],
    );
  });

  it('report an empty or invalid result, and the number of blocks beyond the limit', () => {
    assert.match(JSON.stringify(blocks()), /returned nothing/);
    assert.match(JSON.stringify(resultBlocks({} as CallToolResult)), /returned nothing/);
    const many = blocks(...Array.from({ length: 1_000 }, () => ({ type: 'text', text: 'x' })));
    assert.deepEqual(many.at(-1), { kind: 'note', text: '800 more are not shown' });
  });
});
