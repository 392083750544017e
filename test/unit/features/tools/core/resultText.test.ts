import assert from 'node:assert/strict';
import type { CallToolResult } from '@modelcontextprotocol/client';
import { english, phrase } from '../../../../../src/base/phrase';
import { renderResult } from '../../../../../src/features/tools/core/resultText';

const callOf = (result: Partial<CallToolResult>, args: Record<string, unknown> = {}) => ({
  server: { id: 's', name: 'My server' },
  tool: { name: 'do-it', title: 'Do it', inputSchema: { type: 'object' } as const },
  args,
  result: { content: [], ...result },
  ms: 12.3,
});
const render = (...call: Parameters<typeof callOf>) => renderResult(callOf(...call));
const pixel = Buffer.from([1, 2, 3]).toString('base64');

describe('the result document', () => {
  it('names tool, server, time and arguments', () => {
    const { text } = render({ content: [{ type: 'text', text: 'Done.' }] }, { a: 1 });
    assert.match(text, /^✔ OK · do-it · My server · 12 ms\nDo it\n/);
    assert.match(text, /── Arguments ─+\n\{\n {2}"a": 1\n\}\n/);
    assert.match(text, /── Text ─+\nDone\.\n$/);
  });

  it('marks an error of the tool', () => {
    const { text } = render({ isError: true, content: [{ type: 'text', text: 'No.' }] });
    assert.match(text, /^✘ ERROR · do-it/);
    assert.match(text, /the tool reported an error/i);
  });

  it('includes the whole result of an executed tool, with what is invalid in it', () => {
    const structuredContent = { a: 'x' };
    const problem = phrase('The tool was carried out, but {0}', 'this does not fit');
    const { text } = renderResult({
      ...callOf({ content: [{ type: 'text', text: 'Done.' }], structuredContent }),
      problem,
    });
    assert.match(text, /^⚠ OK · do-it · My server · 12 ms\nDo it\nThe tool was carried out, but this does not fit\n/);
    assert.match(text, /── Text ─+\nDone\.\n[\s\S]*── Structured content ─+\n\{\n {2}"a": "x"\n/);
  });

  it('shows audience, priority and date of content on one line each', () => {
    const annotations = { audience: ['user' as const], priority: 0.9, lastModified: '2025-05-03T14:30:00Z' };
    const { text } = render({
      content: [
        { type: 'text', text: 'Done.', annotations },
        { type: 'resource', resource: { uri: 'x:y', text: 'inside', ...{ annotations: { priority: 0 } } } },
        { type: 'text', text: 'odd', annotations: { audience: ['a\nb\u202e'] as never, priority: 'high' as never } },
      ],
    });
    assert.match(text, /Done\.\nFor: user\nPriority: 0\.9\nLast modified: 2025-05-03T14:30:00Z\n/);
    assert.match(text, /inside\nPriority: 0\n/);
    assert.match(text, /odd\nFor: a.?b⟨U\+202E⟩\n$/);
  });

  it('formats JSON in text and in structured content', () => {
    const { text } = render({ content: [{ type: 'text', text: '{"a":[1]}' }], structuredContent: { b: { c: 2 } } });
    assert.match(text, /\{\n {2}"a": \[\n {4}1\n/);
    assert.match(text, /── Structured content ─+\n\{\n {2}"b": \{\n {4}"c": 2\n/);
  });

  it('has structured content that is a text without quotes and escapes', () => {
    const { text } = render({ content: [], structuredContent: 'first "line"\nsecond' } as never);
    assert.match(text, /── Structured content ─+\nfirst "line"\nsecond\n/);
  });

  it('says that long integers of structured content are rounded', () => {
    const { text } = render({ content: [], structuredContent: JSON.parse('{ "rows": [{ "id": 9007199254740993 }] }') });
    assert.match(text, /── Structured content ─+\nIntegers of more than 15 digits are rounded here.*\n\{\n {2}"rows"/);
    assert.doesNotMatch(render({ content: [], structuredContent: { id: 9007199254740991 } }).text, /rounded/);
  });

  it('stores pictures and sounds as files, and links to them', () => {
    const { text, links, files, images } = render({
      content: [
        { type: 'image', data: pixel, mimeType: 'image/png' },
        { type: 'audio', data: pixel, mimeType: 'audio/wav' },
        { type: 'resource', resource: { uri: 'x:y', blob: pixel, mimeType: 'application/zip' } },
      ],
    });
    assert.deepEqual([...files.keys()], ['image1.png', 'audio2.wav', 'resource3.zip']);
    assert.deepEqual(images, ['image1.png']);
    assert.deepEqual([...files.get('image1.png')!], [1, 2, 3]);
    const linked = links.map(({ start, end, target }) => [text.slice(start, end), target.kind]);
    assert.deepEqual(linked, [
      ['Open image1.png (image/png, 3 B)', 'file'],
      ['Open audio2.wav (audio/wav, 3 B)', 'file'],
      ['x:y', 'resource'],
      ['Open resource3.zip (application/zip, 3 B)', 'file'],
    ]);
  });

  it("uses the person's language, and leaves server text unchanged", () => {
    const call = callOf({
      isError: true,
      content: [
        { type: 'text', text: 'Arguments' },
        { type: 'image', data: pixel, mimeType: 'image/png' },
      ],
    });
    const { text, links } = renderResult(call, phrase => `«${english(phrase)}»`);
    assert.match(text, /^✘ «ERROR» · do-it · My server · 12 ms\nDo it\n«The tool reported/);
    assert.match(text, /── «Arguments» ─+\n\{\}\n/);
    assert.match(text, /── «Text» 1 ─+\nArguments\n/);
    assert.deepEqual(
      links.map(({ start, end }) => text.slice(start, end)),
      ['«Open image2.png (image/png, 3 B)»'],
    );
  });

  it('reports invalid base64', () => {
    const { text, files } = render({ content: [{ type: 'image', data: '%%', mimeType: 'image/png' }] });
    assert.match(text, /image\/png: its data is not valid base64/);
    assert.equal(files.size, 0);
  });

  it('links to resources, and shows the text of embedded ones', () => {
    const { text, links } = render({
      content: [
        {
          type: 'resource_link',
          uri: 'note:1',
          name: 'one',
          description: 'The first',
          mimeType: 'text/plain',
          size: 5,
        },
        { type: 'resource', resource: { uri: 'note:2', text: 'Two.', mimeType: 'text/plain' } },
      ],
    });
    assert.match(text, /── Resource link 1 ─+\none · text\/plain · 5 B\nnote:1\nThe first\n/);
    assert.match(text, /── Resource 2 ─+\nnote:2\nTwo\.\n/);
    assert.deepEqual(
      links.map(({ target }) => target.kind === 'resource' && target.resource.uri),
      ['note:1', 'note:2'],
    );
  });

  it('shows both ends of long text, and stores the whole as a file', () => {
    const long = `BEGIN${'x'.repeat(50 * 1024 * 1024)}END`;
    const { text, files } = render({ content: [{ type: 'text', text: long }] });
    assert.ok(text.length < 300_000);
    for (const part of [/BEGIN/, /END\n$/, /52178808 characters omitted/, /Open in full \(50 MB\)/])
      assert.match(text, part);
    assert.equal(files.get('text.txt')?.length, long.length);
  });

  it('has files alone for texts that would together stop the editor @resultText.together-stop-editor', () => {
    const [lines, hidden] = ['\n'.repeat(100_000), '\u200b'.repeat(900_000)];
    const content = [lines, lines, hidden, lines, 'the last'].map(text => ({ type: 'text' as const, text }));
    const { text, files } = render({ content });
    assert.deepEqual([...files.keys()], ['text3.txt', 'text4.txt']);
    assert.match(
      text,
      /── Text 4 ─+\n\n… 100000 characters omitted …\nOpen in full \(98 KB\)\n\n── Text 5 ─+\nthe last\n$/,
    );
  });

  it('names unknown content, and reports empty results', () => {
    const { text } = render({ content: [{ type: 'smell', strength: 3 } as never] });
    assert.match(text, /── Content of unknown type "smell"/);
    assert.match(text, /"strength": 3/);
    assert.match(render({}).text, /The tool returned nothing\./);
    assert.doesNotMatch(render({ structuredContent: {} }).text, /nothing/);
  });

  it('shows hidden characters from any source', () => {
    const { text } = render({
      content: [
        { type: 'text', text: 'a\u202eb\u001b[31m' },
        { type: 'resource_link', uri: 'x:\u200b', name: 'n\nm' },
      ],
    });
    assert.match(text, /a⟨U\+202E⟩b⟨U\+001B⟩\[31m/);
    assert.match(text, /n m\nx:⟨U\+200B⟩\n/);
  });

  it('is bounded for very many blocks', () => {
    const content = Array.from({ length: 5_000 }, () => ({ type: 'text' as const, text: 'x' }));
    assert.match(render({ content }).text, /4000 more are not shown/);
  });
});
