import assert from 'node:assert/strict';
import type { CallToolResult } from '@modelcontextprotocol/server';
import { resultWithoutBytes } from '../../../src/gateway/resultsForModels';

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
    const left = (size: string) =>
      `[MCP Host: a picture of ${size} pixels was left out, which are too many to be drawn here]`;
    assert.deepEqual(kinds, [
      'image',
      left('12000 × 12000'),
      left('60000 × 60000'),
      ...['image', 'image', 'image', left('5000 × 4000'), left('5000 × 4000')],
    ]);
    const small = { content: [image(100, 100)] };
    assert.equal(resultWithoutBytes(small), small);
  });
});
