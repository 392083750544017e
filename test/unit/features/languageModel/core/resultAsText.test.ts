import assert from 'node:assert/strict';
import type { CallToolResult } from '@modelcontextprotocol/client';
import { phrase } from '../../../../../src/base/phrase';
import { resultAsText } from '../../../../../src/features/languageModel/core';
import { chequeredPng as png } from '../../../../servers/content/png';

const textOf = (result: CallToolResult) => {
  const [first, ...more] = result.content;
  assert.ok(more.every(({ type }) => type === 'image'));
  return first?.type === 'text' ? first.text : assert.fail('no text');
};
const result = (...content: unknown[]) => ({ content }) as CallToolResult;

describe('a result as one text', () => {
  it('keeps texts apart, and names links, sounds, files and pictures', () => {
    const image = { type: 'image', mimeType: 'image/png', data: png(4).toString('base64') };
    const flat = resultAsText(
      result(
        { type: 'text', text: 'one' },
        { type: 'text', text: 'two' },
        { type: 'resource_link', uri: 'test://a', name: 'A' },
        { type: 'audio', mimeType: 'audio/wav', data: 'AAAA' },
        { type: 'resource', resource: { uri: 'test://t', text: 'inside' } },
        { type: 'resource', resource: { uri: 'test://b', mimeType: 'application/zip', blob: 'AAAA' } },
        image,
      ),
    );
    assert.equal(
      textOf(flat),
      [
        ...['one', 'two', 'A (test://a)', '[audio audio/wav, 3 B]', 'Resource test://t:\ninside'],
        ...['[resource test://b application/zip, 3 B]', `[picture image/png, ${png(4).length} bytes]`],
      ].join('\n\n'),
    );
    assert.deepEqual(flat.content.slice(1), [image]);
  });

  it('has structured content as text, once, and no longer beside it', () => {
    const structuredContent = { a: 1 };
    const same = resultAsText({ ...result({ type: 'text', text: '{"a": 1}' }), structuredContent });
    assert.equal(textOf(same), '{"a": 1}');
    assert.equal('structuredContent' in same, false);
    const other = resultAsText({ ...result({ type: 'text', text: 'More than that.' }), structuredContent });
    assert.equal(textOf(other), 'More than that.\n\n{\n  "a": 1\n}');
  });

  it('leaves out what is for the person alone, and keeps the error mark and what MCP Host has to say', () => {
    const flat = resultAsText(
      {
        ...result({ type: 'text', text: 'secret', annotations: { audience: ['user'] } }, { type: 'text', text: 'bad' }),
        isError: true,
      },
      phrase('It does not fit.'),
    );
    assert.equal(flat.isError, true);
    assert.doesNotMatch(textOf(flat), /secret/);
    assert.match(textOf(flat), /^The tool failed:\nIt does not fit\./);
    assert.match(textOf(flat), /bad$/);
  });

  it('begins with an overview where the client shows the model no more than 500 characters', () => {
    const long = 'word '.repeat(4_000);
    const text = textOf(
      resultAsText(result({ type: 'text', text: `Report\n${long}` }, { type: 'text', text: 'Totals: 7' })),
    );
    const [overview = '', ...rest] = text.split('\n\n');
    assert.ok(overview.length <= 500, String(overview.length));
    assert.match(overview, /^\[Overview: 20,016 characters in 2 parts\. 1 \(20,007\): Report.* 2 \(9\): Totals: 7\]$/);
    assert.equal(rest.join('\n\n'), `Report\n${long}\n\nTotals: 7`);
  });

  it('says that there is nothing', () => {
    assert.equal(textOf(resultAsText(result())), 'The tool returned nothing.');
  });
});
