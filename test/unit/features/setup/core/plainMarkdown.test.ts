import assert from 'node:assert/strict';
import { plainBlocks } from '../../../../../src/features/setup/core/plainMarkdown';

const lines = (markdown: string) => plainBlocks(markdown).map(({ kind, text }) => `${kind}: ${text}`);

describe('markdown of strangers as plain text', () => {
  it('has headings, items, code and paragraphs', () => {
    const text = '# One #\nfirst\nsecond\n\n- a\n2. b\n\n```sh\nnpx x\n  -y\n```\nTitle\n=====\n| a | b |\n|---|---|\n';
    assert.deepEqual(lines(text), [
      'heading: One',
      'text: first second',
      'item: a',
      'item: b',
      'code: npx x\n  -y',
      'text: Title',
      'text: | a | b |',
    ]);
  });

  it('has no links, pictures or HTML', () => {
    assert.deepEqual(lines('[![build](https://x.example/b.svg)](https://ci.example) **bold** and `code`'), [
      'text: build (https://ci.example) bold and code',
    ]);
    assert.deepEqual(lines('[run](command:workbench.action.x) <https://a.example> [x](https://b.example "title")'), [
      'text: run https://a.example x (https://b.example)',
    ]);
    assert.deepEqual(lines('<p align="center"><img src="https://x" onerror="a"></p>\n\n![](https://x/pixel.png)'), []);
    assert.deepEqual(lines('a <!-- hidden\n\nstill --> b <!-- open'), ['text: a  b']);
  });

  it('shows hidden characters, and an open fence to its end', () => {
    assert.deepEqual(lines('evil\u202egnp'), ['text: evil⟨U+202E⟩gnp']);
    assert.deepEqual(lines('```\nx'), ['code: x']);
    assert.deepEqual(lines(''), []);
  });

  it('is bounded, whatever the text consists of', () => {
    assert.ok(plainBlocks('- x\n'.repeat(100_000)).length <= 400);
    for (const part of ['[', '![', '[a](', '<a ', '**', '`', '<!--', '# ', '- ', '['.repeat(50) + ']'.repeat(50)])
      assert.ok(plainBlocks(part.repeat(1_000_000)).length <= 400, part);
  });
});
