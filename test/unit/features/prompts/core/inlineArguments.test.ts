import assert from 'node:assert/strict';
import { english } from '../../../../../src/base/phrase';
import { formatInlineArguments, parseInlineArguments } from '../../../../../src/features/prompts/core/inlineArguments';

const NAMES = ['city', 'state', 'my arg', 'язык'];

describe('inline arguments', () => {
  const cases: [text: string, values: Record<string, string>, rest?: string][] = [
    ['', {}],
    ['city=Paris', { city: 'Paris' }],
    ['city=Paris state=TX', { city: 'Paris', state: 'TX' }],
    ['city="New York" state=NY', { city: 'New York', state: 'NY' }],
    ["city='New York'", { city: 'New York' }],
    ['city="a \\"b\\" \\\\ c"', { city: 'a "b" \\ c' }],
    ["city='it\\'s'", { city: "it's" }],
    ['city="C:\\dir\\file"', { city: 'C:\\dir\\file' }],
    ['city="two\nlines"\nstate=TX', { city: 'two\nlines', state: 'TX' }],
    ['city=', { city: '' }],
    ['city= state=TX', { city: '', state: 'TX' }],
    ['city=""', { city: '' }],
    ['City=Paris', { city: 'Paris' }],
    ['city=a=b', { city: 'a=b' }],
    ['city=x city=y', { city: 'y' }],
    ['my arg=1', { 'my arg': '1' }],
    ['"my arg"="1 2"', { 'my arg': '1 2' }],
    ['язык="русский"', { язык: 'русский' }],
    ['Paris', { city: 'Paris' }],
    ['New York state=NY', { city: 'New York', state: 'NY' }],
    ['state=NY New York', { state: 'NY', city: 'New York' }],
    ['city=Paris all the rest', { city: 'Paris', state: 'all the rest' }],
    ['"New York"', { city: 'New York' }],
    ['"a" and "b"', { city: '"a" and "b"' }],
    ["don't look", { city: "don't look" }],
    ['line 1\n  line 2', { city: 'line 1\n  line 2' }],
    ['foo=bar', { city: 'foo=bar' }],
    ['https://x.test/?city=Paris&a=b', { city: 'https://x.test/?city=Paris&a=b' }],
    ['see xcity=1', { city: 'see xcity=1' }],
    ['velocity=3', { city: 'velocity=3' }],
    ['city=https://x?state=b', { city: 'https://x?state=b' }],
    ['city=a state=b "my arg"=c язык=d and more', { city: 'a', state: 'b', 'my arg': 'c', язык: 'd' }, 'and more'],
  ];
  for (const [text, values, rest] of cases) {
    it(`${JSON.stringify(text)}: ${JSON.stringify(values)}`, () =>
      assert.deepEqual(parseInlineArguments(text, NAMES), { values, ...(rest && { rest }) }));
  }

  it("reports an unclosed quote with the argument's name", () => {
    const { problem, values } = parseInlineArguments('state=TX city="New York', NAMES);
    assert.equal(problem && english(problem), 'The value of "city" has no closing quotation mark.');
    assert.deepEqual(values, { state: 'TX' });
  });

  it('stay as text where a prompt takes no argument', () => {
    assert.deepEqual(parseInlineArguments('in German, please', []), { values: {}, rest: 'in German, please' });
  });

  it('prefer a longer name over one that it starts with or contains', () => {
    assert.deepEqual(parseInlineArguments('arg=1 my arg=2', ['arg', 'my arg']).values, { arg: '1', 'my arg': '2' });
  });

  it('allow odd names', () => {
    const { values } = parseInlineArguments('__proto__=x constructor=y', ['__proto__', 'constructor']);
    assert.deepEqual(Object.entries(values), [
      ['__proto__', 'x'],
      ['constructor', 'y'],
    ]);
  });

  it('survive being written for chat byte for byte', () => {
    const texts = [
      '',
      ' ',
      '"',
      "'",
      '\\',
      '\\"',
      '\\\\',
      'a b',
      'a\nb\r\n',
      '=',
      'city=x',
      '\u202e',
      '🎉',
      'C:\\',
      '"""',
    ];
    for (const a of texts) {
      for (const b of texts) {
        const values = { city: a, 'my arg': b };
        assert.deepEqual(parseInlineArguments(formatInlineArguments(values), NAMES), { values });
      }
    }
  });

  // What went through them again for each argument would take hours.
  it('of five megabytes are read', () => {
    const { values } = parseInlineArguments(`state=TX ${'"word = '.repeat(700_000)}`, NAMES);
    assert.equal(values.state, 'TX');
  });
});
