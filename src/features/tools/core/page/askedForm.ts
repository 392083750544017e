import type { PlainText } from '../../../../base/text';
import type { JsonSchema } from '../jsonSchema';

type Content = Record<string, unknown>;

interface OwnQuestion {
  readonly submit: PlainText;
  readonly cancel: PlainText;
  /** The button of a field for a path. */
  readonly browse: PlainText;
  /** Fields for paths, by name. */
  readonly paths: Readonly<Record<string, 'directory' | 'file'>>;
}

/** A form that someone else wants filled in, such as a server's. Its texts are shown as text. */
export interface AskedForm {
  readonly title: PlainText;
  /** Who asks. */
  readonly heading: string;
  readonly message: string;
  readonly schema: JsonSchema;
  readonly initial: Content;
  /** Names of the fields whose text is not shown. */
  readonly secrets: readonly string[];
  /** It is our own question, not a server's. */
  readonly own?: OwnQuestion;
  /** Said above the form. */
  readonly warning: string | undefined;
  /** Aborted when the form is no longer wanted. */
  readonly signal: AbortSignal;
  /** Said on the page from then on. */
  readonly withdrawn: string;
}

/** `steps`: the person wants to be asked field by field, and has filled in `content` so far. */
export type FormAnswer =
  | { readonly kind: 'steps' | 'submit'; readonly content: Content }
  | { readonly kind: 'cancel' | 'decline' };
