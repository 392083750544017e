import assert from 'node:assert/strict';
import { stem, stemsOf, ToolIndex } from '../../../../../src/features/languageModel/core/relevance';
import { nameTools, type OfferedTool } from '../../../../../src/features/languageModel/core/toolNames';
import { askedQuestions, collectedTools, hitRates, substringSearch } from '../../../../bench/tools/collection';

const inputSchema = { type: 'object' } as const;

const offer = (...tools: [server: string, name: string, description?: string, title?: string][]) =>
  nameTools(
    tools.map(([server, name, description, title]) => ({
      serverId: server,
      serverName: server,
      tool: { name, inputSchema, ...(description && { description }), ...(title && { title }) },
    })),
  );

const found = (tools: readonly OfferedTool[], query: string, limit?: number) =>
  new ToolIndex(tools).search(query, limit).map(({ tool }) => tool.tool.name);

const some = offer(
  ['git', 'git_log', 'Shows the commit log'],
  ['git', 'git_diff', 'Shows changes between commits'],
  ['files', 'readFile', 'Reads a file from disk'],
  ['files', 'write_file', 'Writes text to disk'],
  ['weather', 'forecast', 'Tells the weather of the next days', 'Weather forecast'],
  ['jp', '検索', '予定を検索する'],
  ['ru', 'отчёт', 'Создаёт отчёт о продажах'],
  ['el', 'αναζήτηση', 'Ψάχνει σε έγγραφα'],
);

describe('the tool index', () => {
  it('searches name, title, server and description, best first', () => {
    assert.deepEqual(found(some, 'read file').slice(0, 2), ['readFile', 'write_file']);
    assert.deepEqual(found(some, 'Forecasting'), ['forecast']);
    assert.deepEqual(found(some, 'the last two commits of git', 2).sort(), ['git_diff', 'git_log']);
    assert.equal(found(some, 'gitDiff')[0], 'git_diff');
    assert.deepEqual(found(some, 'git', 1), ['git_log']);
    assert.deepEqual(found(some, 'git', 0), []);
  });

  it('searches names and descriptions of arguments', () => {
    const schema = (properties: Record<string, object>) => ({ type: 'object', properties }) as never;
    const tools = nameTools([
      { serverId: 's', serverName: 's', tool: { name: 'one', inputSchema: schema({ cityName: { type: 'string' } }) } },
      {
        serverId: 's',
        serverName: 's',
        tool: { name: 'two', inputSchema: schema({ q: { description: 'Postal code' } }) },
      },
      {
        serverId: 's',
        serverName: 's',
        tool: { name: 'odd', inputSchema: { type: 'object', properties: 5 } as never },
      },
    ]);
    assert.deepEqual(found(tools, 'a city'), ['one']);
    assert.deepEqual(found(tools, 'postal codes'), ['two']);
  });

  it('searches other scripts, including those without spaces', () => {
    assert.deepEqual(found(some, '予定'), ['検索']);
    assert.deepEqual(found(some, 'покажи отчёт'), ['отчёт']);
    assert.deepEqual(found(some, 'έγγραφα'), ['αναζήτηση']);
  });

  it('finds nothing for words that no tool has, nor for none', () => {
    assert.deepEqual(found(some, 'zebra constructor __proto__'), []);
    for (const nothing of ['', ' ', '?!', 'the of and', '\u202e\u200b', '\ud800'])
      assert.deepEqual(found(some, nothing), []);
    assert.deepEqual(new ToolIndex([]).search('anything'), []);
  });

  it('keeps list order among equals', () => {
    const same = offer(
      ...Array.from({ length: 50 }, (_, i) => ['s', `t${i}`, 'Does the same'] as [string, string, string]),
    );
    assert.deepEqual(
      found(same, 'same', 50),
      same.map(({ tool }) => tool.name),
    );
  });

  it('reads only the beginning of hostile texts, even among 10,000 tools', () => {
    const long = `${'word '.repeat(10_000)}${'x'.repeat(1 << 20)}`;
    const many = offer(
      ...Array.from(
        { length: 10_000 },
        (_, i) => ['s', `tool_${i}`, i % 1000 === 0 ? long : `number ${i}`] as [string, string, string],
      ),
    );
    assert.equal(found(many, `please use number 1234 ${long}`)[0], 'tool_1234');
    const behind = offer(['s', 'one', `${long} zebra`], ['s', 'two', 'no such animal']);
    assert.deepEqual(found(behind, 'zebra'), []);
    assert.deepEqual(found(behind, `${long} animal`), ['one']);
  });

  it('reads only the beginnings of what is said of arguments', () => {
    const description = `alpha ${'x '.repeat(150)} omega`;
    const inputSchema = { type: 'object' as const, properties: { a: { type: 'string', description } } };
    const index = new ToolIndex(nameTools([{ serverId: 's', serverName: 's', tool: { name: 't', inputSchema } }]));
    assert.deepEqual([index.search('alpha').length, index.search('omega').length], [1, 0]);
  });

  it('finds the right one of 500 real tools among the first ten for nine of ten questions', () => {
    const tools = collectedTools();
    const questions = askedQuestions();
    assert.ok(tools.length >= 500 && questions.length >= 200);
    const known = new Set(tools.map(({ serverName, tool }) => `${serverName}/${tool.name}`));
    for (const { ask, right } of questions)
      assert.ok(
        right.every(name => known.has(name)),
        ask,
      );
    const index = new ToolIndex(tools);
    const counts = [1, 5, 10];
    const ours = hitRates(questions, ask => index.search(ask).map(({ tool }) => tool), counts);
    const simple = hitRates(questions, substringSearch(tools), counts);
    for (const [n, least] of [0.48, 0.8, 0.9].entries())
      assert.ok(ours[n]! >= least && ours[n]! > simple[n]! + 0.25, `${ours}, ${simple}`);
  });
});

describe('stemsOf', () => {
  it('splits compound names', () => {
    assert.deepEqual(stemsOf('readFile read_file read-file HTTPServer getURL'), [
      'read',
      'fil',
      'read',
      'fil',
      'read',
      'fil',
      'http',
      'server',
      'get',
      'url',
    ]);
  });

  it('removes endings, so that the forms of a word match', () => {
    for (const forms of [
      'deploy deploys deployed deploying deployment deployments',
      'create creates created creating creation',
      'branch branches branching',
      'query queries querying queried',
      'commit commits committed committing',
      'issue issues',
      'repository repositories',
    ]) {
      const stems = new Set(forms.split(' ').map(stem));
      assert.equal(stems.size, 1, `${forms}: ${[...stems]}`);
    }
    assert.deepEqual(['status', 'class', 'news', 'is', 'a', ''].map(stem), ['status', 'class', 'new', 'is', 'a', '']);
  });
});
