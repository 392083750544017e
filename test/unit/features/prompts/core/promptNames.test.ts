import assert from 'node:assert/strict';
import { type PromptServer, resolvePrompt, slashName } from '../../../../../src/features/prompts/core/promptNames';

const server = (id: string, ...names: string[]): PromptServer => ({
  id,
  offers: () => names.map(name => ({ name })),
});
const found = (text: string, servers: PromptServer[]) => {
  const resolved = resolvePrompt(text, servers);
  if (resolved.kind !== 'found') return resolved.kind;
  return `${resolved.server.id}|${resolved.prompt.name}|${resolved.rest}`;
};

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
