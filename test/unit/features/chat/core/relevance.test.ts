import assert from 'node:assert/strict';
import { chooseTools, searchTools } from '../../../../../src/features/chat/core/relevance';
import { nameTools, type OfferedTool } from '../../../../../src/features/chat/core/toolNames';

const inputSchema = { type: 'object' } as const;
const offer = (...tools: [server: string, name: string, description?: string, title?: string][]) =>
  nameTools(
    tools.map(([server, name, description, title]) => ({
      serverId: server,
      serverName: server,
      tool: { name, inputSchema, ...(description && { description }), ...(title && { title }) },
    })),
  );
const names = (tools: readonly OfferedTool[]) => tools.map(({ tool }) => tool.name);

const some = offer(
  ['git', 'git_log', 'Shows the commit log'],
  ['git', 'git_diff', 'Shows changes between commits'],
  ['files', 'readFile', 'Reads a file from disk'],
  ['files', 'write_file', 'Writes text to disk'],
  ['weather', 'forecast', 'Tells the weather of the next days', 'Weather forecast'],
  ['jp', '検索', '予定を検索する'],
);

describe('choosing tools for a question', () => {
  it('takes all when they are not too many', () => {
    assert.deepEqual(chooseTools(some, 'x', some.length), { chosen: some, hidden: [] });
  });

  it('takes those that share words with the question, in the order they are listed', () => {
    const { chosen, hidden } = chooseTools(some, 'What do the last two commits say? Read it', 3);
    assert.deepEqual(names(chosen), ['git_log', 'git_diff', 'readFile']);
    assert.deepEqual(names(hidden), ['write_file', 'forecast', '検索']);
  });

  it('takes the first ones when nothing fits, and those that were used before in any case', () => {
    assert.deepEqual(names(chooseTools(some, '', 2).chosen), ['git_log', 'git_diff']);
    assert.deepEqual(names(chooseTools(some, 'commit', 2, ['weather__forecast', 'gone']).chosen), [
      'git_log',
      'forecast',
    ]);
    assert.deepEqual(names(chooseTools(some, 'commit', 0).chosen), []);
  });

  it('takes the limit of thousands, and reads no more of hostile texts than their beginning', () => {
    const long = `${'word '.repeat(10_000)}${'x'.repeat(1 << 20)}`;
    const many = offer(
      ...Array.from(
        { length: 2000 },
        (_, i) => ['s', `tool_${i}`, i % 100 === 0 ? long : `number ${i}`] as [string, string, string],
      ),
    );
    const { chosen, hidden } = chooseTools(many, `please use number 1234 ${long}`, 128);
    assert.deepEqual([chosen.length, hidden.length], [128, 1872]);
    assert.ok(names(chosen).includes('tool_1234'));
    const behind = offer(['s', 'one', `${long} zebra`], ['s', 'two', 'no such animal']);
    assert.deepEqual(names(searchTools(behind, 'zebra')), []);
    assert.deepEqual(names(searchTools(behind, `${long} animal`)), ['one']);
  });
});

describe('searching tools', () => {
  it('finds by name, title, server and description, the best first', () => {
    assert.deepEqual(names(searchTools(some, 'read file')), ['readFile', 'write_file']);
    assert.deepEqual(names(searchTools(some, 'Forecasting')), ['forecast']);
    assert.deepEqual(names(searchTools(some, 'git', 1)), ['git_log']);
    assert.deepEqual(names(searchTools(some, '予定')), ['検索']);
  });

  it('finds nothing for words that no tool has, and lists the first ones without a query', () => {
    assert.deepEqual(searchTools(some, 'zebra constructor __proto__'), []);
    assert.deepEqual(names(searchTools(some, ' ', 2)), ['git_log', 'git_diff']);
  });
});
