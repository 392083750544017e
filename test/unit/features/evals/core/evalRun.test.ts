import assert from 'node:assert/strict';
import type { EvalQuestion, InterfaceSnapshot } from '../../../../../src/features/authors/core';
import { type EvalRequest, makeRequests, planRequests } from '../../../../../src/features/evals/core/evalRun';
import { ToolVersion } from '../../../../../src/features/evals/core/toolVersion';

const question = (text: string, tool?: string): EvalQuestion => ({
  question: text,
  tool,
  place: { line: 0, column: 0 },
});
const version = (tools: Record<string, string>) =>
  new ToolVersion(
    's',
    {
      tools: Object.fromEntries(
        Object.entries(tools).map(([name, description]) => [name, { description, inputSchema: { type: 'object' } }]),
      ) as InterfaceSnapshot['tools'],
    },
    () => true,
  );

const requests = (count: number): EvalRequest[] =>
  Array.from({ length: count }, (_, n) => ({ question: question(`q${n}`), version: 'now' }));

describe('the requests that compare descriptions', () => {
  it('are each question with the tools of each version, counted by the model beforehand', async () => {
    const versions = { before: version({ a: 'Long, long description.' }), now: version({}) };
    const counted: string[] = [];
    const plan = await planRequests([question('one'), question('three')], versions, async text => {
      counted.push(text);
      return text.length;
    });
    const definitions = JSON.stringify(versions.before.definitions);
    assert.deepEqual(counted, [definitions, 'one', 'three'], 'no tools are no tokens');
    assert.deepEqual(
      plan.requests.map(({ question: { question: text }, version: name }) => `${text} ${name}`),
      ['one before', 'one now', 'three before', 'three now'],
    );
    const { length } = definitions;
    assert.deepEqual(plan.definitions, { before: length, now: 0 });
    assert.equal(plan.tokens, 2 * length + 2 * (3 + 5) + 2 * (5 + 5));
    assert.equal(plan.longest, length + 5 + 5);
  });

  it('are all made, two at a time', async () => {
    let [running, most, done] = [0, 0, 0];
    const all = requests(9);
    const answers = await makeRequests(
      all,
      async ({ question: { question: text } }) => {
        most = Math.max(most, ++running);
        await new Promise(setImmediate);
        running--;
        return { tool: text };
      },
      { signal: new AbortController().signal, isFinal: () => false, done: () => done++ },
    );
    assert.equal(most, 2);
    assert.equal(done, 9);
    assert.deepEqual(
      all.map(request => answers.get(request)),
      all.map((_, n) => ({ tool: `q${n}` })),
    );
  });

  it('continue after a failed one, except for an error that affects all @evalRun.continue-failed-except', async () => {
    const asked: string[] = [];
    const ask = async ({ question: { question: text } }: EvalRequest) => {
      asked.push(text);
      if (text === 'q1') throw new Error('odd');
      if (text === 'q4') throw new Error('quota');
      return {};
    };
    const isFinal = (error: unknown) => (error as Error).message === 'quota';
    const all = requests(20);
    const answers = await makeRequests(all, ask, { signal: new AbortController().signal, isFinal, done: () => {} });
    assert.deepEqual(asked, ['q0', 'q1', 'q2', 'q3', 'q4', 'q5']);
    assert.deepEqual(answers.get(all[1]!), { failed: new Error('odd') });
    assert.equal(answers.size, asked.length);
  });

  it('end when the person cancels, and leave running ones unanswered', async () => {
    const cancel = new AbortController();
    const asked: string[] = [];
    const answers = await makeRequests(
      requests(9),
      async ({ question: { question: text } }) => {
        asked.push(text);
        if (text === 'q3') cancel.abort();
        cancel.signal.throwIfAborted();
        return {};
      },
      { signal: cancel.signal, isFinal: () => false, done: () => {} },
    );
    assert.deepEqual(asked, ['q0', 'q1', 'q2', 'q3']);
    assert.equal(answers.size, 3);
    const none = await makeRequests(requests(3), () => assert.fail('asked'), {
      signal: AbortSignal.abort(),
      isFinal: () => false,
      done: () => {},
    });
    assert.equal(none.size, 0);
  });
});
