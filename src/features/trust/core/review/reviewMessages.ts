import type { ReviewRow } from '../reviewLayout';

/** A button: `allows` when it lets something be sent, which needs all of it to be on the page. */
export interface ReviewButton {
  readonly answer: string;
  readonly title: string;
  readonly allows: boolean;
}

/** What the page gets. */
export type ToPage =
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

/** What the page says. */
export type FromPage =
  | { readonly type: 'ready' }
  | { readonly type: 'more' }
  | { readonly type: 'answer'; readonly answer: string };

/** A message of the page; undefined for anything else. */
export function fromPage(message: unknown): FromPage | undefined {
  const { type, answer } = (message ?? {}) as { type?: unknown; answer?: unknown };
  if (type === 'ready' || type === 'more') return { type };
  return type === 'answer' && typeof answer === 'string' ? { type, answer } : undefined;
}
