import assert from 'node:assert/strict';
import { SharedNotifications, Visits } from '../../../../../src/features/elicitation/core/visits';

/** Notifications as the editor has them: one closes an earlier one with the same text. */
class Editor {
  readonly #open = new Map<string, (answer: string | undefined) => void>();

  show(text: string): Promise<string | undefined> {
    this.close(text);
    return new Promise(resolve => this.#open.set(text, resolve));
  }

  close(text: string, answer?: string): void {
    this.#open.get(text)?.(answer);
    this.#open.delete(text);
  }
}

describe('questions that share a notification text', () => {
  let editor: Editor;
  let shared: SharedNotifications;
  beforeEach(() => {
    editor = new Editor();
    shared = new SharedNotifications();
  });
  const ask = (text: string) => shared.ask(text, () => editor.show(text));

  it('get the answer to the latest notification; closing an earlier one is no answer', async () => {
    const asked = [ask('again?'), ask('again?'), ask('another?'), ask('again?')];
    editor.close('again?', 'Yes');
    editor.close('another?', 'No');
    assert.deepEqual(await Promise.all(asked), ['Yes', 'Yes', 'No', 'Yes']);
  });

  it('stay unanswered when the person closes the latest, and are asked anew afterwards', async () => {
    const closed = [ask('again?'), ask('again?')];
    editor.close('again?');
    assert.deepEqual(await Promise.all(closed), [undefined, undefined]);
    const later = ask('again?');
    editor.close('again?', 'Yes');
    assert.equal(await later, 'Yes');
  });
});

describe('visits of pages', () => {
  it('end with the completion of their own server and id, even an earlier one; others are ignored', async () => {
    const visits = new Visits();
    visits.completed('one', 'early');
    assert.equal(await visits.done('one', 'early', new AbortController().signal), true);
    const abort = new AbortController();
    const open = visits.done('one', 'page', abort.signal);
    visits.completed('one', 'unknown');
    visits.completed('two', 'page');
    visits.completed('one', 'early');
    abort.abort();
    assert.equal(await open, false);
    const other = visits.done('one', 'page', new AbortController().signal);
    visits.completed('one', 'page');
    assert.equal(await other, true);
  });
});
