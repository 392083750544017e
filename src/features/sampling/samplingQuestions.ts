import vscode = require('vscode');

import { type Disposable, DisposableStore } from '../../base/events';
import { plain } from '../../base/text';
import { errorText } from '../../editor/errorText';
import type { OpenQuestions } from '../../editor/openQuestions';
import { t, window } from '../../editor/window';
import type { CallChat } from '../../host';
import type { ServerDefinition } from '../../host/definition';
import { SamplingError } from './core/samplingLimits';
import { type Excerpt, type OpenPage, type ReviewAction, withoutIcon } from './samplingReviews';

const LIMIT_MINUTES = 10;
export const REVIEW = 'mcpHost.sampling.review';
/** The answer that opens the document. */
const EDIT = 'edit';

/** A review that waits for the person: one at a time. */
interface Waiting {
  readonly page: OpenPage;
  readonly refuse: () => void;
}

export interface Answers<T> {
  resolve(value: T): void;
  reject(error: SamplingError): void;
}

interface Announcement<T> {
  readonly server: ServerDefinition;
  readonly message: string;
  /** Whether a notification comes first; otherwise the document is shown at once. */
  readonly notifies: boolean;
  /** The turn whose call caused it: the review goes into its answer, as long as that accepts questions. */
  readonly chat: CallChat | undefined;
  /** The text shown after the decision. */
  readonly decided: (value: T) => string;
}

/**
 * Presents reviews: in a chat turn or as a notification, and among the questions that the status bar counts. Only
 * pressing a button decides; a review that is cancelled or waits too long is closed.
 */
export class SamplingQuestions implements vscode.Disposable {
  readonly #command = vscode.commands.registerCommand(REVIEW, (how?: { readonly asJson?: boolean }) =>
    this.#show(how?.asJson),
  );
  #waiting: Waiting | undefined;

  constructor(private readonly open: Pick<OpenQuestions, 'add'>) {}

  async #show(asJson = false): Promise<void> {
    if (this.#waiting) await this.#waiting.page[asJson ? 'edit' : 'show']();
    else void window.showInformationMessage(t('No sampling requests are waiting for review.'));
  }

  /** Waits for the answer to a review. `open` creates the page that provides it. */
  async ask<T>(
    announcement: Announcement<T>,
    signal: AbortSignal,
    open: (answers: Answers<T>) => OpenPage,
    refusal: () => SamplingError,
  ): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const abort = () => reject(SamplingError.cancelled());
    const page = open({ resolve, reject });
    const waiting = { page, refuse: () => reject(refusal()) };
    this.#waiting = waiting;
    signal.addEventListener('abort', abort);
    if (signal.aborted) abort();
    const timer = setTimeout(() => reject(SamplingError.unanswered(LIMIT_MINUTES)), LIMIT_MINUTES * 60_000);
    const announced = this.#announce(announcement, waiting);
    const { server, chat, decided } = announcement;
    const listed = this.open.add({
      server,
      message: t('Review its request to a language model'),
      answer: () => void page.show(),
    });
    try {
      const value = await promise;
      chat?.say(decided(value));
      return value;
    } catch (error) {
      chat?.say(refusalText(error));
      throw error;
    } finally {
      announced.dispose();
      listed.dispose();
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
      this.#waiting = undefined;
      await page.close();
    }
  }

  dispose(): void {
    this.#command.dispose();
  }

  /** Once its calls have ended, a turn asks no more; open reviews move elsewhere. */
  #announce<T>({ message, notifies, chat }: Announcement<T>, waiting: Waiting): Disposable {
    const open = new DisposableStore();
    const elsewhere = () => {
      if (this.#waiting !== waiting) return;
      if (notifies) void this.#notify(message, waiting);
      else void waiting.page.show();
    };
    if (!chat || chat.over.aborted) {
      elsewhere();
      return open;
    }
    const asked = open.add(reviewInChat(chat, message, waiting.page));
    const move = () => {
      asked.dispose();
      if (!chat.stopped.aborted) elsewhere();
    };
    chat.over.addEventListener('abort', move);
    open.add({ dispose: () => chat.over.removeEventListener('abort', move) });
    return open;
  }

  async #notify(message: string, waiting: Waiting): Promise<void> {
    const [review, deny] = [t('Review…'), t('Deny')];
    const chosen = await window.showInformationMessage(plain(message), review, deny);
    if (chosen === undefined) return; // closed: it waits in the status bar
    if (this.#waiting !== waiting) {
      void window.showInformationMessage(t('This request has already been answered or cancelled.'));
    } else if (chosen === deny) waiting.refuse();
    else await waiting.page.show();
  }
}

/** The person needs fewer words about what they did than the server does. */
function refusalText(error: unknown): string {
  const texts: { [A in SamplingError['answer']]?: string } = {
    denied: t('Denied.'),
    discarded: t('Discarded.'),
    unanswered: t('No one answered the review within {0} minutes', LIMIT_MINUTES),
    cancelled: t('Sampling request was cancelled'),
  };
  return (error instanceof SamplingError && texts[error.answer]) || errorText(error);
}

/** Puts a review into the answer of a chat turn, with buttons like the lenses above its document. */
function reviewInChat(chat: CallChat, message: string, page: OpenPage): Disposable {
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
