import { type MessageOf, messageReader, text } from '../../../../base/messageReader';
import type { ReviewRow } from '../reviewLayout';

/** A button: `allows` when it lets something be sent, which needs all of it to be on the page. */
export interface ReviewButton {
  readonly answer: string;
  readonly title: string;
  readonly allows: boolean;
}

/** What the page gets. */
export type ToReviewPage =
  | {
      readonly type: 'start';
      readonly question: string;
      readonly notes: readonly string[];
      /** How much there is. */
      readonly facts: string;
      readonly buttons: readonly ReviewButton[];
    }
  | {
      readonly type: 'rows';
      readonly rows: readonly ReviewRow[];
      /** What stands below them: the button that shows more, or that this is the end. */
      readonly more?: string;
      readonly end?: string;
    };

/** Reads a message of the page. */
export const fromReviewPage = messageReader({ ready: {}, more: {}, answer: { answer: text } });
export type FromReviewPage = MessageOf<typeof fromReviewPage>;
