import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { english } from '../../../../../src/base/phrase';
import {
  formatInlineArguments,
  type PromptServer,
  parseInlineArguments,
  RESERVED_NAMES,
  resolvePrompt,
  slashName,
} from '../../../../../src/features/prompts/core/slashCommand';
import { inRepository } from '../../../../setup/paths';

const server = (id: string, ...names: string[]): PromptServer => ({
  id,
  offers: () => names.map(name => ({ name })),
});
const found = (text: string, servers: PromptServer[]) => {
  const resolved = resolvePrompt(text, servers);
  if (resolved.kind !== 'found') return resolved.kind;
  return `${resolved.server.id}|${resolved.prompt.name}|${resolved.rest}`;
};

describe('reserved names', () => {
  it('are the commands of the chat participant in package.json', () => {
    const manifest = JSON.parse(readFileSync(inRepository('package.json'), 'utf8'));
    const commands: { name: string }[] = manifest.contributes.chatParticipants[0].commands;
    assert.deepEqual(
      RESERVED_NAMES,
      commands.map(({ name }) => name),
    );
  });
});

describe('slash names of prompts', () => {
  it('are short when one server has the prompt, qualified when several have it', () => {
    const servers = [server('one', 'a', 'b'), server('two', 'b')];
    assert.equal(slashName(servers[0]!, { name: 'a' }, servers), '/a');
    assert.equal(slashName(servers[0]!, { name: 'b' }, servers), '/one.b');
    assert.equal(slashName(servers[1]!, { name: 'b' }, servers), '/two.b');
  });

  it('join words', () => {
    const servers = [server('my server', 'Review this note')];
    assert.equal(slashName(servers[0]!, { name: 'Review this note' }, servers), '/review_this_note');
  });

  it('are qualified when they equal a subcommand', () => {
    const servers = [server('docs', 'help')];
    assert.equal(slashName(servers[0]!, { name: 'help' }, servers), '/docs.help');
  });

  it('lead back to exactly their prompt, whatever the names', () => {
    const names = [
      'a',
      'A',
      'a b',
      'a_b',
      'a-b',
      'a.b',
      'b',
      'a/b',
      '/a',
      '"q"',
      "it's",
      '\\',
      '',
      ' ',
      ' a',
      'é',
      'e\u0301',
    ];
    const odd = ['要約', 'пример', 'prompts', '__proto__', 'x=1', 'key="v"', 'a\nb', '🎉 party', 'constructor'];
    const servers = ['a', 'a.b', 'my server', 'a b', '"', '要約'].map(id => server(id, ...names, ...odd));
    for (const each of servers) {
      for (const { name } of each.offers('prompts')) {
        const slash = slashName(each, { name }, servers);
        assert.equal(found(`${slash} key="value"`, servers), `${each.id}|${name}|key="value"`, slash);
      }
    }
  });
});

describe('the prompt named by a request', () => {
  const servers = [
    server('everything', 'simple-prompt', 'args-prompt', 'completable-prompt'),
    server('team', 'review', 'review code', 'Résumé', 'git.log', '要約'),
    server('git', 'log', 'review'),
  ];

  const cases: [text: string, expected: string][] = [
    ['/simple-prompt', 'everything|simple-prompt|'],
    ['simple-prompt', 'everything|simple-prompt|'],
    ['  /simple-prompt  ', 'everything|simple-prompt|'],
    ['/simple_prompt', 'everything|simple-prompt|'],
    ['/SIMPLE-PROMPT x', 'everything|simple-prompt|x'],
    ['/everything.args-prompt city=Paris', 'everything|args-prompt|city=Paris'],
    ['/args-prompt\ncity=Paris', 'everything|args-prompt|city=Paris'],
    ['/review', 'ambiguous'],
    ['/team.review this', 'team|review|this'],
    ['/review code fast', 'team|review code|fast'],
    ['/review_code fast', 'team|review code|fast'],
    ['/review-code', 'team|review code|'],
    ['/team.review-code', 'team|review code|'],
    ['/"review code" fast', 'team|review code|fast'],
    ["/'review code' fast", 'team|review code|fast'],
    ['/team."review code" fast', 'unknown'],
    ['/"team"."review code" fast', 'team|review code|fast'],
    ['/"team.review code"', 'team|review code|'],
    ['/re\u0301sume\u0301 e\u0301', 'team|Résumé|e\u0301'],
    ['/要約 テスト', 'team|要約|テスト'],
    ['/git.log', 'ambiguous'],
    ['/"git"."log"', 'git|log|'],
    ['/team.git.log', 'team|git.log|'],
    ['/log', 'git|log|'],
    ['/logs', 'unknown'],
    ['/', 'unknown'],
    ['', 'unknown'],
    ['/"review code', 'unknown'],
  ];
  for (const [text, expected] of cases) {
    it(`${JSON.stringify(text)}: ${JSON.stringify(expected)}`, () => assert.equal(found(text, servers), expected));
  }

  it('is ambiguous when several servers have it, and the candidates are named', () => {
    const resolved = resolvePrompt('/review', servers);
    assert.ok(resolved.kind === 'ambiguous');
    assert.deepEqual(
      resolved.candidates.map(({ server: { id } }) => id),
      ['team', 'git'],
    );
  });

  it('when unknown comes with similar names', () => {
    const near = (text: string) => {
      const resolved = resolvePrompt(text, servers);
      assert.ok(resolved.kind === 'unknown');
      return resolved.near.map(({ prompt }) => prompt.name);
    };
    assert.deepEqual(near('/simpel-prompt'), ['simple-prompt']);
    assert.deepEqual(near('/args'), ['args-prompt']);
    assert.deepEqual(near('/everything.smple-prompt'), ['simple-prompt']);
    assert.deepEqual(near('/other.review'), ['review', 'review']);
    assert.deepEqual(near('/nothing-like-it'), []);
  });

  // What went through it again for each word would take hours.
  it('is found in a long text', () => {
    const text = `/review code ${'word '.repeat(1_000_000)}`;
    assert.match(found(text, servers), /^team\|review code\|word/);
  });
});

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
