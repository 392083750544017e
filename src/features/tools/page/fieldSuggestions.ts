import vscode = require('vscode');

import { visible } from '../../../base/text';
import { errorText } from '../../../editor/errorText';
import { t } from '../../../editor/window';
import { type FeedState, type Suggest, SuggestionFeed } from '../../completion';
import type { ArgumentForm } from '../core/page/argumentForm';
import type { ToItemPage } from '../core/page/itemPageMessages';
import { textsOf } from './pageSubject';

/** A server may send up to 100 (spec: server/utilities/completion#completion-results); not all do as they should. */
const MAX_VALUES = 200;

/** Servers' suggestions for the focused field, given the values of the others. */
export class FieldSuggestions implements vscode.Disposable {
  #feed: SuggestionFeed | undefined;
  /** The subject of the feed: another field, or other values beside it, need another feed. */
  #about = '';

  constructor(private readonly post: (message: ToItemPage) => void) {}

  ask(
    form: ArgumentForm,
    { index, text }: { readonly index: number; readonly text: string },
    suggest: Suggest | undefined,
  ): void {
    const [name] = form.steps[index]?.path ?? [];
    if (name === undefined || !suggest) return;
    const { [name]: _, ...others } = textsOf(form.args);
    const about = JSON.stringify([index, others]);
    if (about !== this.#about) {
      this.dispose();
      this.#about = about;
      const source = {
        fetch: (value: string, signal: AbortSignal) => suggest(name, value, others, signal),
        cached: (value: string) => suggest.cached?.(name, value, others),
      };
      this.#feed = new SuggestionFeed(source, state => this.#tell(index, state));
    }
    const feed = this.#feed;
    // What is asked for again is known, or on its way.
    if (feed?.state.typed === text && (feed.state.completion || feed.state.error)) this.#tell(index, feed.state);
    else feed?.type(text);
  }

  dispose(): void {
    this.#feed?.dispose();
    this.#feed = undefined;
    this.#about = '';
  }

  #tell(index: number, { typed, busy, completion, error }: FeedState): void {
    if (busy) {
      this.post({ type: 'suggestions', index, text: typed, values: null, note: '' });
      return;
    }
    const values = completion?.values.filter(value => typeof value === 'string') ?? [];
    const shown = values.slice(0, MAX_VALUES);
    const isCut = completion?.hasMore === true || values.length > shown.length;
    const note = error ? visible(errorText(error), 300) : isCut ? t('There are more. Type to narrow them down.') : '';
    this.post({ type: 'suggestions', index, text: typed, values: shown, note });
  }
}
