import assert from 'node:assert/strict';
import type { CallToolResult } from '@modelcontextprotocol/server';
import { resultWithinDepth, resultWithoutBytes, shownForModels } from '../../../src/gateway/resultsForModels';

/** The beginning of a PNG. */
function png(width: number, height: number): string {
  const bytes = Buffer.alloc(64);
  bytes.write('\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR', 'latin1');
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(height, 20);
  return bytes.toString('base64');
}

describe('a result for models of other clients', () => {
  const image = (width: number, height: number) =>
    ({ type: 'image', mimeType: 'image/png', data: png(width, height) }) as const;

  it('has no more pixels in its pictures than can be drawn, and notes in the place of the others', () => {
    const blob = { uri: 'x:/a', mimeType: 'image/png', blob: png(60_000, 60_000) };
    const content: CallToolResult['content'] = [
      image(6_000, 4_000),
      image(12_000, 12_000),
      { type: 'resource', resource: blob },
      ...Array.from({ length: 5 }, () => image(5_000, 4_000)),
    ];
    const kinds = resultWithoutBytes({ content }).content.map(block =>
      block.type === 'text' ? block.text : block.type,
    );
    const left = (size: string) => `[MCP Host: a picture of ${size} pixels was left out: it can't be shown here]`;
    assert.deepEqual(kinds, [
      'image',
      left('12000 × 12000'),
      left('60000 × 60000'),
      ...['image', 'image', 'image', left('5000 × 4000'), left('5000 × 4000')],
    ]);
    const small = { content: [image(100, 100)] };
    assert.equal(resultWithoutBytes(small), small);
  });

  it('has sounds whose bytes are such, pictures of the type of their bytes, and few links to pictures', () => {
    const sound = (bytes: Buffer) =>
      ({ type: 'audio', mimeType: 'audio/wav', data: bytes.toString('base64') }) as const;
    const wav = sound(Buffer.from('RIFF\x20\0\0\0WAVEfmt ', 'latin1'));
    const odd = sound(Buffer.from('BM\x20\0\0\0', 'latin1'));
    const drawn = { ...wav, data: png(5_000, 4_000) };
    const link = { type: 'resource_link', uri: 'x:/b', name: 'b', mimeType: 'image/png' } as const;
    const { content } = resultWithoutBytes({ content: [wav, odd, drawn, link, link, link, link] });
    const note = { type: 'text', text: "[MCP Host: a sound was left out: it can't be shown here]" };
    assert.deepEqual(content, [
      wav,
      note,
      { ...drawn, mimeType: 'image/png' },
      link,
      link,
      link,
      { ...link, mimeType: 'text/plain' },
    ]);
  });

  it('has texts for the person of a length that is read at once as markdown; others are for the model alone, or end', () => {
    const text = (length: number, ...audience: ('user' | 'assistant')[]) =>
      ({ type: 'text', text: 'a'.repeat(length), annotations: { audience, priority: 1 } }) as const;
    const content = [text(5_000, 'user'), text(5_000, 'user', 'assistant'), text(20_000, 'user'), text(9, 'user')];
    const shown = resultWithoutBytes({ content: [...content, text(50_000, 'assistant')] }).content;
    const facts = shown.map(block => (block.type === 'text' ? [block.text.length, block.annotations?.audience] : []));
    assert.deepEqual(facts, [
      [5_000, ['user']],
      [5_000, undefined],
      [3_000, ['user']],
      [1, ['user']],
      [50_000, ['assistant']],
    ]);
  });

  it('has no structured content whose lines would be too long, where a client shows them', () => {
    let wide: unknown = Array.from({ length: 60_000 }, () => 1);
    for (let depth = 0; depth < 90; depth++) wide = [wide];
    const result = { content: [], structuredContent: { wide } };
    const note = '[MCP Host: structured content that is too long to be shown was left out]';
    assert.deepEqual(resultWithinDepth(result, true), { content: [{ type: 'text', text: note }] });
    assert.equal(resultWithinDepth(result, false), result);
  });

  it('has few characters as a prompt, and says how many more there are', () => {
    const text = (length: number) => ({ type: 'text', text: 'a'.repeat(length) });
    const embedded = { type: 'resource', resource: { uri: 'x:/a', text: 'b'.repeat(19_994) } };
    const messages = [text(8_000), embedded, text(5)].map(content => ({ role: 'user', content }));
    const shown = shownForModels('prompts/get', { messages }).messages as { content: Record<string, never> }[];
    const more = (count: number) => `\n[MCP Host: ${count} more characters were left out: use the prompt with @mcp]`;
    assert.deepEqual(shown[0]!.content, text(8_000));
    assert.deepEqual(shown[1]!.content.text, `x:/a\n${'b'.repeat(11_995)}${more(7_999)}`);
    assert.deepEqual(shown[2]!.content.text, more(5));
  });

  it('has no address in a prompt, where the editor would attach what it finds there', () => {
    const resource = (of: object) => ({ type: 'resource', resource: { uri: 'file:///home/you/secret.txt', ...of } });
    const picture = { mimeType: 'image/png', blob: png(100, 100) };
    const blocks = [
      resource({ text: 'harmless' }),
      resource(picture),
      resource({ mimeType: 'application/pdf', blob: 'AAAA' }),
      { type: 'resource_link', uri: 'mcp://other/x', name: 'of another' },
    ];
    const messages = blocks.map(content => ({ role: 'user', content }));
    const shown = shownForModels('prompts/get', { messages }).messages as { content: object }[];
    const text = (of: string) => ({ type: 'text', text: of });
    assert.deepEqual(
      shown.map(({ content }) => content),
      [
        text('file:///home/you/secret.txt\nharmless'),
        { type: 'image', mimeType: 'image/png', data: picture.blob },
        text('[MCP Host: the file file:///home/you/secret.txt was left out: use the prompt with @mcp]'),
        text('of another: mcp://other/x'),
      ],
    );
  });

  it('has few blocks: the texts of further ones are one, and a note counts the others', () => {
    const text = (of: number) => ({ type: 'text', text: `line ${of}` }) as const;
    const few = Array.from({ length: 200 }, (_, at) => text(at));
    assert.equal(resultWithoutBytes({ content: few }).content, few);
    const link = { type: 'resource_link', uri: 'x:/b', name: 'b' } as const;
    const { content } = resultWithoutBytes({ content: [...few, link, text(200), link] });
    assert.equal(content.length, 200);
    assert.deepEqual(content.slice(0, 199), few.slice(0, 199));
    const last =
      'line 199\nline 200\n[MCP Host: 2 further links, files and pictures were left out: at most 200 blocks are shown]';
    assert.deepEqual(content.at(-1), { type: 'text', text: last });
    const messages = [...few, link, text(200), link].map(one => ({ role: 'user', content: one }));
    const prompt = shownForModels('prompts/get', { messages }).messages as typeof messages;
    assert.deepEqual([prompt.length, prompt.at(-1)], [200, { role: 'user', content: { type: 'text', text: last } }]);
  });

  it('has no pictures that are written as text, or are drawn by the type of a link', () => {
    const gif = 'GIF89a\x10\0\x10\0\0\0\0';
    const text = (mimeType: string, of: string) => ({ uri: 'x:/a', mimeType, text: of });
    const link = (mimeType: string) => ({ type: 'resource_link', uri: 'x:/b', name: 'b', mimeType }) as const;
    const contents = [
      text('image/gif', gif),
      text('text/plain', gif),
      text('image/svg+xml', '<svg/>'),
      text('a/b', 'c'),
    ];
    const content: CallToolResult['content'] = [
      ...contents.map(resource => ({ type: 'resource', resource }) as const),
      link('image/svg+xml'),
      link('image/png'),
    ];
    const note = text('text/plain', "[MCP Host: a picture was left out: it can't be shown here]");
    const shown = [note, note, text('text/plain', '<svg/>'), text('a/b', 'c')];
    assert.deepEqual(resultWithoutBytes({ content }).content, [
      ...shown.map(resource => ({ type: 'resource', resource })),
      link('text/plain'),
      link('image/png'),
    ]);
    const blob = { uri: 'x:/a', mimeType: 'image/png', blob: png(60_000, 60_000) };
    const { contents: read } = shownForModels('resources/read', { contents: [...contents, blob] });
    const left = "[MCP Host: a picture of 60000 × 60000 pixels was left out: it can't be shown here]";
    assert.deepEqual(read, [...shown, text('text/plain', left)]);
  });

  it('has no picture by its bytes or address alone, but of bytes that may be drawn', () => {
    const blob = (bytes: string, uri = 'x://h/a.png?b') => ({
      type: 'resource' as const,
      resource: { uri, mimeType: 'application/octet-stream', blob: bytes },
    });
    const hex = (bytes: string) => Buffer.from(bytes, 'hex').toString('base64');
    const bitmap = hex('424d00000000010000000000');
    const film = hex('00000018667479706d703432000000006d70343161766966');
    const others = [blob(hex('1234'), 'x://h/a.png'), blob(hex('00000018667479706d703432000000006d703431'))];
    const drawn = [
      blob(png(100, 100)),
      blob(png(60_000, 60_000)),
      blob(bitmap, 'x://h/a.p%6eg'),
      blob(bitmap, 'x:a'),
      blob(film),
    ];
    const text = (of: string) => ({ type: 'resource' as const, resource: { uri: 'x://h/a', text: of } });
    const content = [...drawn, ...others, text('BMW'), text('a')];
    const left = (what = '') => ({
      type: 'text',
      text: `[MCP Host: a picture${what} was left out: it can't be shown here]`,
    });
    assert.deepEqual(resultWithoutBytes({ content }).content, [
      ...[drawn[0], left(' of 60000 × 60000 pixels'), left(), left(), left()],
      ...[...others, text('\nBMW'), text('a')],
    ]);
  });

  it('has few links to what may be pictures, however their addresses are written', () => {
    const link = (uri: string) => ({ type: 'resource_link', uri, name: 'b' }) as const;
    const shown = ['x://h/1.jpg', 'x://h/2.p%6eg', 'x://h/3.p\tng?a', 'x://h/4.gif'].map(link);
    const more = ['x://h/5.p%256eg', 'x://h/6.webp#a'];
    const note = (uri: string) => ({ type: 'text', text: `[MCP Host: a link to a picture was left out: ${uri}]` });
    const { content } = resultWithoutBytes({ content: [...shown, ...more.map(link), link('x://h/c')] });
    assert.deepEqual(content, [...shown, ...more.map(note), link('x://h/c')]);
  });

  it('has SVG as its text, and no pictures of other kinds, as a prompt has', () => {
    const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>');
    const bitmap = Buffer.from('424d0000000000000000000000', 'hex').toString('base64');
    const content: CallToolResult['content'] = [
      { type: 'image', mimeType: 'image/svg+xml', data: svg.toString('base64') },
      { type: 'image', mimeType: 'image/png', data: bitmap },
      { type: 'resource', resource: { uri: 'x:/a', mimeType: 'image/avif', blob: 'AAAA' } },
      { type: 'resource', resource: { uri: 'x:/b', mimeType: 'application/pdf', blob: 'AAAA' } },
    ];
    const note = "[MCP Host: a picture was left out: it can't be shown here]";
    const texts = ({ content: blocks }: CallToolResult) =>
      blocks.map(block => (block.type === 'text' ? block.text : block.type));
    assert.deepEqual(texts(resultWithoutBytes({ content })), [svg.toString(), note, note, 'resource']);
    const { messages } = shownForModels('prompts/get', {
      messages: content.map(one => ({ role: 'user', content: one })),
    });
    const shown = messages as { content: CallToolResult['content'][number] }[];
    assert.deepEqual(texts({ content: shown.map(message => message.content) }), [
      svg.toString(),
      note,
      note,
      '[MCP Host: the file x:/b was left out: use the prompt with @mcp]',
    ]);
  });
});
