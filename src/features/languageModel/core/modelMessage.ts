import { withoutBytes } from '../../../base/bytesInText';

/** A message to or from a language model, as plain data. `content.ts` turns it into the editor's. */
export interface ModelMessage {
  readonly role: 'user' | 'assistant';
  readonly parts: readonly MessagePart[];
}

/** Text or an image: what tools and prompts bring. */
export type ContentPart = TextPart | ImagePart;
export type MessagePart = ContentPart | CallPart | ResultPart;

declare const isForModels: unique symbol;

/** A text that a model may get. Only `text`, which takes bytes out of it, and `ownWords` make one. */
type ModelText = string & { readonly [isForModels]: true };

interface TextPart {
  readonly kind: 'text';
  readonly text: ModelText;
}

export interface ImagePart {
  readonly kind: 'image';
  readonly mimeType: string;
  readonly data: Uint8Array;
}

/** A call that the model asked for; only in messages of the assistant. */
export interface CallPart {
  readonly kind: 'call';
  readonly id: string;
  /** The tool's name for the model. */
  readonly name: string;
  readonly input: object;
}

/** The result of a call, in the user message right after it. */
export interface ResultPart {
  readonly kind: 'result';
  readonly id: string;
  readonly parts: readonly ContentPart[];
}

/** Text from a server or from us. Base64 in it becomes a note. */
export const text = (value: string): TextPart => ownWords(withoutBytes(value));
/** What a person has typed or the model itself has said, unchanged. */
export const ownWords = (value: string): TextPart => ({ kind: 'text', text: value as ModelText });
export const user = (...parts: MessagePart[]): ModelMessage => ({ role: 'user', parts });
export const assistant = (...parts: MessagePart[]): ModelMessage => ({ role: 'assistant', parts });

/** All text of parts, as one; images are named. */
export function textOfParts(parts: readonly ContentPart[]): string {
  return parts.map(part => (part.kind === 'text' ? part.text : `[image ${part.mimeType}]`)).join('\n');
}

/** Head and tail of a text, about `maxChars` characters, with a line between them that says how much is left out. */
export function shorten(whole: string, maxChars: number): string {
  if (whole.length <= maxChars) return whole;
  const head = whole.slice(0, cut(whole, Math.ceil(maxChars * 0.7)));
  const tail = whole.slice(cut(whole, whole.length - Math.max(Math.floor(maxChars) - head.length, 0)));
  const left = whole.length - head.length - tail.length;
  const [leftOut, all] = [left, whole.length].map(count => count.toLocaleString('en-US'));
  return `${head}\n[… ${leftOut} of ${all} characters left out …]\n${tail}`;
}

/** A place to cut that does not fall into a surrogate pair. */
function cut(whole: string, at: number): number {
  const code = whole.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff ? at + 1 : at;
}
