import assert from 'node:assert/strict';
import type * as vscode from 'vscode';
import { recordOf, type TurnRecord } from '../../../../src/features/chat/core/turnRecord';
import { historyLinks, historySkills, historyTurns, usedTools } from '../../../../src/features/chat/history';
import type { ModelMessage } from '../../../../src/features/languageModel/core/modelMessage';
import { record } from './core/recordedTurn';

type History = vscode.ChatContext['history'];

const asked = (prompt: string, command?: string) => ({ prompt, command });

const answered = (record: unknown, shown = '') => ({
  response: [{ value: { value: shown } }],
  result: { metadata: { record } },
});

const turnsOf = (...turns: object[]) => historyTurns(turns as unknown as History);

const lines = (messages: readonly ModelMessage[]) =>
  messages.map(({ role, parts }) => {
    const each = parts.map(part => {
      if (part.kind === 'text') return part.text;
      if (part.kind === 'call') return `${part.id}=${part.name}(${JSON.stringify(part.input)})`;
      return part.kind === 'result' ? `${part.id}: ${part.parts.map(p => p.kind === 'text' && p.text)}` : part.kind;
    });
    return `${role}: ${each.join(' | ')}`;
  });

describe('the history of a chat for a model', () => {
  it('has calls and results of earlier turns, each call with its result and its own id', () => {
    const [first, second] = turnsOf(asked('where?'), answered(record), asked('sure?'), answered(record));
    assert.deepEqual(lines(first!), [
      'user: where?',
      'assistant: I look. | turn0_1=s__a({"x":1}) | turn0_2=s__b({})',
      'user: turn0_1: found | turn0_2: The call was not finished.',
      'assistant: It is there.',
    ]);
    assert.match(lines(second!)[1]!, /turn2_1=/);
  });

  it('finds the servers whose skills a model requested, through any tool', () => {
    const call = (name: string, input: object) => ({ id: 'c', name, input });
    const made = {
      rounds: [
        {
          text: '',
          calls: [
            call('mcp_read_skill', { server: 'docs', skill: 'x' }),
            call('mcp_call_tool', { name: 'mcp_read_skill', arguments: { server: 'more' } }),
            call('mcp_call_tool', { name: 's__a', arguments: { server: 'none' } }),
            call('mcp_read_resource', { server: 'none' }),
            call('mcp_read_skill', { server: 7 }),
            call('mcp_call_tool', { name: 'mcp_read_skill' }),
          ],
          results: [],
        },
      ],
    };
    const history = [asked('a'), answered(made), asked('b'), answered(record)] as unknown as History;
    assert.deepEqual(historySkills(history), ['docs', 'more']);
    assert.deepEqual(historySkills([answered('spoiled')] as unknown as History), []);
  });

  it('finds the servers whose results linked to resources, in unchecked metadata', () => {
    const linking = (value: unknown) => ({ response: [], result: { metadata: { linking: value } } });
    const linksOf = (...turns: object[]) => historyLinks(turns as unknown as History);
    assert.deepEqual(linksOf(asked('a'), linking(['x']), asked('b'), linking(['x', 'y', 5])), ['x', 'x', 'y']);
    for (const odd of [undefined, null, 'x', { 0: 'x' }]) assert.deepEqual(linksOf(linking(odd)), []);
    assert.equal(linksOf(linking(Array(1_000).fill('x'))).length, 50);
  });

  it('replaces a typed slash command by the messages of its prompt', () => {
    const request = [
      { role: 'assistant', text: 'I am a reviewer.' },
      { role: 'user', text: 'Review this.' },
    ];
    const [turn] = turnsOf(asked('/review x'), answered({ ...record, request, rounds: record.rounds.slice(1) }));
    assert.deepEqual(lines(turn!), ['assistant: I am a reviewer.', 'user: Review this.', 'assistant: It is there.']);
  });

  it('leaves out turns of subcommands, and marks missing answers', () => {
    const turns = turnsOf(
      asked('', 'tools'),
      answered(undefined, 'rows'),
      asked('a'),
      asked('b'),
      answered(undefined, 'shown'),
      asked(''),
      answered({ rounds: record.rounds.slice(0, 1) }),
    );
    assert.deepEqual(
      turns.map(turn => lines(turn).filter(line => !line.includes('turn'))),
      [
        ['user: a', 'assistant: [no answer]'],
        ['user: b', 'assistant: shown'],
        ['user: …', 'assistant: [no answer]'],
      ],
    );
  });

  it('accepts any stored metadata', () => {
    const odd = [
      null,
      5,
      'x',
      [],
      { rounds: 5 },
      { rounds: [null, 5, { calls: 'x', results: [{}] }] },
      { rounds: [{ calls: [{}] }] },
    ];
    for (const one of odd) assert.deepEqual(lines(turnsOf(asked('a'), answered(one))[0]!).slice(0, 1), ['user: a']);
    assert.deepEqual(recordOf(undefined), undefined);
    const hostile = JSON.parse('{"rounds":[{"calls":[{"id":"a","name":"b","input":["x"]}],"__proto__":{}}]}');
    assert.deepEqual(recordOf({ record: hostile })?.rounds[0]?.calls, [{ id: 'a', name: 'b', input: {} }]);
  });

  it('lists the tools that were used, the latest first', () => {
    const later: TurnRecord = { rounds: [{ text: '', calls: [{ id: '1', name: 's__z', input: {} }], results: [] }] };
    const history = [asked('a'), answered(record), asked('b'), answered(later)] as unknown as History;
    assert.deepEqual(usedTools(history), ['s__z', 's__b', 's__a']);
  });
});
