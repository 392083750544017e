import * as assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import type { Progress } from '@modelcontextprotocol/client';
import { ERAS, startDemo, stopDemos, textOf, until } from './demoClient';

const PLAN = {
  version: '1.4.0',
  date: '2026-12-01',
  channel: 'stable',
  checks: ['tests', 'changelog'],
  confidence: 80,
  freeze: true,
};

for (const era of ERAS) {
  describe(`the tools of the demo server that talk to the client (${era})`, () => {
    afterEach(stopDemos);

    // The client's SDK reports on its own, without a total, when a call waits for input such as the roots.
    const ofServer = ({ total }: Progress) => total !== undefined;

    it('report each step of reindex as progress', async () => {
      const { client } = await startDemo({ era });
      // As it comes over the wire: the SDK loses a progress notification that comes in one piece with the answer.
      const transport = client.transport!;
      const { onmessage } = transport;
      const seen: unknown[] = [];
      transport.onmessage = (message, extra) => {
        if ('method' in message && message.method === 'notifications/progress') {
          const { progressToken: _, ...progress } = message.params as Record<string, unknown>;
          seen.push(progress);
        }
        onmessage?.(message, extra);
      };
      const call = { name: 'reindex', arguments: { steps: 3, delayMs: 1 } };
      const result = await client.callTool(call, { onprogress: () => {} });
      assert.deepEqual(seen, [
        { progress: 1, total: 3, message: 'Step 1' },
        { progress: 2, total: 3, message: 'Step 2' },
        { progress: 3, total: 3, message: 'Step 3' },
      ]);
      assert.deepEqual(result.structuredContent, { steps: 3, words: 0 });
    });

    it('stop reindex when it is cancelled, and go on serving', async () => {
      const { client, stderr } = await startDemo({ era });
      const stop = new AbortController();
      const call = client.callTool(
        { name: 'reindex', arguments: { steps: 1000, delayMs: 20 } },
        { signal: stop.signal, onprogress: progress => void (ofServer(progress) && stop.abort('enough')) },
      );
      await assert.rejects(call, /enough/);
      await until(() => stderr().includes('reindex was stopped: enough'), 'the server hears of it');
      assert.equal((await client.listTools()).tools.length, 11);
    });

    it('let the model of the client summarize a note', async () => {
      let prompt = '';
      const demo = await startDemo({
        era,
        sample: messages => {
          prompt = messages;
          return { role: 'assistant', model: 'm', content: { type: 'text', text: 'In short: fine.' } };
        },
      });
      demo.write('long', 'A long story.');
      const result = await demo.call('summarize_note', { name: 'long', sentences: 3 });
      assert.equal(textOf(result), 'In short: fine.');
      assert.match(prompt, /In 3 sentences:.*A long story\./);
    });

    it('report what is missing when the client has neither a model nor forms', async () => {
      const demo = await startDemo({ era });
      demo.write('note', 'text');
      const summary = await demo.call('summarize_note', { name: 'note' });
      assert.equal(summary.isError, true);
      assert.match(textOf(summary), /needs a language model.*sampling/);
      const plan = await demo.call('plan_release');
      assert.equal(plan.isError, true);
      assert.match(textOf(plan), /needs a form.*elicitation/);
    });

    it('write the answers to the form of plan_release into a note', async () => {
      let fields: Record<string, unknown> = {};
      const demo = await startDemo({
        era,
        fill: schema => {
          fields = schema.properties;
          return { action: 'accept', content: PLAN };
        },
      });
      const result = await demo.call('plan_release');
      assert.equal(textOf(result), 'Wrote the plan into the note release-1-4-0.');
      const text = fs.readFileSync(path.join(demo.project, '.notebook', 'release-1-4-0.md'), 'utf8');
      assert.match(text, /^# Release 1\.4\.0\n\n(- .*\n){6}$/);
      assert.match(text, /- checks: tests, changelog\n/);
      const types = Object.values(fields).map(field => (field as { type: string }).type);
      assert.deepEqual(types, ['string', 'string', 'string', 'array', 'number', 'string', 'boolean']);
      for (const field of Object.values(fields)) assert.ok((field as { title?: string }).title);
    });

    it('write nothing when the form is declined, cancelled or invalid', async () => {
      for (const [answer, expected] of [
        [{ action: 'decline' }, 'Nothing was planned.'],
        [{ action: 'cancel' }, 'Nothing was planned.'],
        [{ action: 'accept', content: { ...PLAN, confidence: 101 } }, /do not match the form/],
      ] as const) {
        const demo = await startDemo({ era, fill: () => structuredClone(answer) as never });
        const text = await demo.call('plan_release').then(textOf, String);
        if (typeof expected === 'string') assert.equal(text, expected);
        else assert.match(text, expected);
        assert.deepEqual(demo.notes(), []);
      }
    });

    it('log at all eight levels', async () => {
      const demo = await startDemo({ era });
      await demo.call('log_all_levels');
      const levels = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];
      assert.deepEqual(
        demo.logs.map(log => log.level),
        levels,
      );
      assert.ok(demo.logs.every(log => log.logger === 'demo'));
    });
  });
}

describe('the log level of the demo server', () => {
  afterEach(stopDemos);

  it('belongs to the session before 2026-07-28', async () => {
    const demo = await startDemo({ era: 'legacy' });
    await demo.client.setLoggingLevel('critical');
    await demo.call('log_all_levels');
    assert.deepEqual(
      demo.logs.map(log => log.level),
      ['critical', 'alert', 'emergency'],
    );
  });

  it('belongs to the request since then', async () => {
    const demo = await startDemo({ era: 'modern' });
    await demo.client.callTool({ name: 'log_all_levels' });
    assert.equal(demo.logs.length, 0);
    await demo.client.callTool({ name: 'log_all_levels', _meta: { 'io.modelcontextprotocol/logLevel': 'alert' } });
    assert.deepEqual(
      demo.logs.map(log => log.level),
      ['alert', 'emergency'],
    );
  });
});
