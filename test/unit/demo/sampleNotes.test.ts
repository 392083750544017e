import * as assert from 'node:assert/strict';
import { type Demo, ERAS, startDemo, stopDemos } from './demoClient';

for (const era of ERAS) {
  describe(`the demo server with notes of its own (${era})`, () => {
    let demo: Demo;
    /** A project that is not where its notes are. */
    before(async () => {
      demo = await startDemo({
        era,
        roots: () => ['/somewhere/else'],
        hasOwnNotes: true,
        sample: prompt => ({
          model: 'm',
          role: 'assistant',
          content: { type: 'text', text: `${prompt.length} characters` },
        }),
      });
    });
    after(stopDemos);

    const promptText = async (name: string, args?: Record<string, string>) => {
      const { messages } = await demo.client.getPrompt({ name, ...(args && { arguments: args }) });
      return JSON.stringify(messages);
    };

    it('begins with five notes, whichever folders the client has', async () => {
      const { structuredContent } = await demo.call('count_words');
      const { notes, words } = structuredContent as { notes: number; words: number };
      assert.equal(notes, 5);
      assert.ok(words > 300, `${words} words`);
      assert.equal(demo.notes().length, 5);
    });

    it('has something to say for each tool and prompt', async () => {
      const { content } = await demo.call('summarize_note', { name: 'release-plan' });
      assert.match(JSON.stringify(content), /\d{3,} characters/);
      const { structuredContent } = await demo.call('search_notes', { query: 'lid' });
      assert.ok((structuredContent as { total: number }).total > 5);
      assert.match(await promptText('daily_summary'), /Release 1\.4/);
      assert.match(await promptText('review_note', { note: 'bug-rattling-lid', section: 'Fix' }), /hard\\nwater/);
      assert.match(await promptText('recall_month', { year: '2024', month: '01' }), /Two spoons/);
    });

    it('leaves the notes as the person has changed them', async () => {
      await demo.call('delete_note', { name: 'ideas' });
      const again = await startDemo({ era, roots: 'none', hasOwnNotes: true, project: demo.project });
      assert.deepEqual(
        (await again.call('count_words')).structuredContent,
        (await demo.call('count_words')).structuredContent,
      );
      assert.equal(demo.notes().length, 4);
    });
  });
}
