import * as assert from 'node:assert/strict';
import { type Demo, ERAS, startDemo, stopDemos } from './demoClient';

for (const era of ERAS) {
  describe(`the prompts of the demo server (${era})`, () => {
    let demo: Demo;
    before(async () => {
      demo = await startDemo({ era });
      demo.write('alpha', '# Alpha\n\ntext\n\n## Risks\n\n## Results\n');
      demo.write('beta', '# Beta\n\ntext of beta');
    });
    after(stopDemos);

    const complete = async (prompt: string, name: string, value: string, args?: Record<string, string>) => {
      const ref = { type: 'ref/prompt', name: prompt } as const;
      const { completion } = await demo.client.complete({
        ref,
        argument: { name, value },
        ...(args && { context: { arguments: args } }),
      });
      return completion.values;
    };

    it('are listed with titles, descriptions and required arguments', async () => {
      const { prompts } = await demo.client.listPrompts();
      assert.deepEqual(
        prompts.map(({ name, arguments: args }) => [name, args?.map(arg => `${arg.name}${arg.required ? '' : '?'}`)]),
        [
          ['daily_summary', undefined],
          ['review_note', ['note', 'section?', 'tone?']],
          ['recall_month', ['year', 'month']],
          ['describe_cover', undefined],
        ],
      );
      for (const { title, description, arguments: args = [] } of prompts) {
        assert.ok(title && description && args.every(arg => arg.description));
      }
    });

    it("summarize today's notes without arguments", async () => {
      const { messages } = await demo.client.getPrompt({ name: 'daily_summary' });
      assert.match(JSON.stringify(messages), /## alpha.*## beta.*text of beta/);
    });

    it('take arguments, optional ones too', async () => {
      const short = await demo.client.getPrompt({ name: 'review_note', arguments: { note: 'beta' } });
      assert.match(JSON.stringify(short.messages), /all of it\. Be neutral\..*text of beta/);
      const long = await demo.client.getPrompt({
        name: 'review_note',
        arguments: { note: 'alpha', section: 'Risks', tone: 'strict' },
      });
      assert.match(JSON.stringify(long.messages), /section \\"Risks\\"\. Be strict\./);
    });

    it('refuse a missing note and an invalid name', async () => {
      await assert.rejects(
        demo.client.getPrompt({ name: 'review_note', arguments: { note: 'gone' } }),
        /no note called/,
      );
      await assert.rejects(demo.client.getPrompt({ name: 'review_note', arguments: { note: '../x' } }), /Invalid/);
    });

    it('embed a resource, and an image', async () => {
      const month = await demo.client.getPrompt({ name: 'recall_month', arguments: { year: '2026', month: '01' } });
      const embedded = month.messages[1]?.content;
      assert.ok(embedded?.type === 'resource');
      assert.equal(embedded.resource.uri, 'notebook:///archive/2026/01/entry-0001.md');
      const cover = await demo.client.getPrompt({ name: 'describe_cover' });
      const image = cover.messages[0]?.content;
      assert.ok(image?.type === 'image');
      assert.equal(image.mimeType, 'image/png');
      assert.equal(Buffer.from(image.data, 'base64').subarray(1, 4).toString(), 'PNG');
    });

    it('complete an argument, and a second one from the first', async () => {
      assert.deepEqual(await complete('review_note', 'note', ''), ['alpha', 'beta']);
      assert.deepEqual(await complete('review_note', 'note', 'B'), ['beta']);
      assert.deepEqual(await complete('review_note', 'section', 'r', { note: 'alpha' }), ['Risks', 'Results']);
      assert.deepEqual(await complete('review_note', 'section', 'r', { note: 'beta' }), []);
      assert.deepEqual(await complete('review_note', 'section', ''), []);
      assert.deepEqual(await complete('review_note', 'tone', 's'), ['strict']);
      assert.deepEqual(await complete('recall_month', 'month', '', { year: '2026' }), ['01']);
      assert.equal((await complete('recall_month', 'month', '', { year: '2025' })).length, 12);
    });
  });
}
