import assert from 'node:assert/strict';
import { withoutColours, withoutDrawings } from '../../../src/base/markdownCode';

describe('code in markdown', () => {
  it('has no language, which its reader would colour', () => {
    const code = (language: string, mark = '```') => `a\n${mark}${language}\nb\n${mark}\n`;
    assert.equal(withoutColours(code('csharp')), code(''));
    assert.equal(withoutColours(code(' cs {1}', '> - ~~~~')), code('', '> - ~~~~'));
    for (const mark of ['- [ ] ```', '1. [X] ~~~', '> • ```', '\\```'])
      assert.equal(withoutColours(code('csharp', mark)), code('', mark));
    assert.equal(withoutColours('a\r\r```cs\rb'), 'a\n\n```\nb');
    const inline = 'as ```one``` and `two` say\n```three``` four';
    assert.equal(withoutColours(inline), inline);
  });

  it('is neither drawn as a diagram nor as a formula that commands make longer', () => {
    const seen = (markdown: string) => withoutDrawings(markdown).replaceAll('\u2060', '^');
    assert.equal(seen('```mermaid\nA --> B\n```\n~~~math\nx\n~~~'), '```\nA --> B\n```\n~~~\nx\n~~~');
    assert.equal(seen('::: mermaid\nA --> B\n:::'), ':^:: mermaid\nA --> B\n:^::');
    assert.equal(seen('<div id="a" CLASS = "mermaid">class</div>'), '<div id="a" CLASS^ = "mermaid">class</div>');
    for (const colons of [4, 5, 9]) assert.doesNotMatch(withoutDrawings(':'.repeat(colons)), /:::/);
    assert.equal(
      seen('$\\frac\\alpha2$ and \\alphabet, \\@x, \\[x\\] a::b'),
      '$\\frac\\alpha2$ and \\^alphabet, \\^@x, \\[x\\] a::b',
    );
  });
});
