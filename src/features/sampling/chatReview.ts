import { type Disposable, DisposableStore } from '../../base/events';
import { t } from '../../editor/window';
import type { CallChat } from '../../host';
import type { Excerpt } from './reviewExcerpt';
import { type OpenPage, type ReviewAction, withoutIcon } from './samplingReviews';

const EDIT = 'edit';

/**
 * Puts a review into the answer of a chat turn: what is asked, then buttons that do the same as the lenses above its
 * document. Open until disposed.
 */
export function reviewInChat(chat: CallChat, message: string, page: OpenPage): Disposable {
  const open = new DisposableStore();
  let question: Disposable | undefined;
  let title = '';
  const put = (text: string, { quotes, json, note }: Partial<Excerpt> = {}) => {
    question?.dispose();
    const buttons = buttonsOf(page);
    title = titleOf(page);
    const onAnswer = (answer: string) => {
      if (answer === EDIT) void page.edit();
      else void page.act(answer as ReviewAction, page.excerpt.isWhole);
    };
    const shown = {
      ...(quotes && { quotes }),
      ...(json !== undefined && { json }),
      ...(note !== undefined && { note }),
    };
    question = chat.ask({ text, ...shown, buttons }, onAnswer);
  };
  put(message, page.excerpt);
  // A button must not name a model other than the one that is asked.
  open.add(
    page.onDidRefresh(() => {
      if (titleOf(page) !== title) put(t('A different model is now selected:'));
    }),
  );
  open.add({ dispose: () => question?.dispose() });
  return open;
}

const titleOf = (page: OpenPage) => page.actions().find(({ action }) => action === 'confirm')?.title ?? '';

function buttonsOf(page: OpenPage): [string, string][] {
  return page.actions().map(({ action, title }) => {
    if (action === 'compare') return [EDIT, t('Edit…')];
    // What can't be shown in full here is decided where it can.
    return [action, action === 'confirm' && !page.excerpt.isWhole ? t('Show all…') : withoutIcon(title)];
  });
}
