import { type MediaType, mediaTypeOf } from '../../../base/mediaType';
import { sizePhrase } from '../../../base/numberText';
import { english } from '../../../base/phrase';
import { type ImagePart, type MessagePart, type ModelMessage, type ResultPart, text } from './modelMessage';

/** Providers scale down what is larger, in pixels on the longer side, so more of them cost without being seen. */
export const MAX_SIDE = 1_568;
/** Decoding takes four bytes for each pixel. */
const MAX_PIXELS = 50_000_000;
/** Providers count a token for about so many pixels, and at most so many tokens for a picture. */
const PIXELS_PER_TOKEN = 750;
const MAX_TOKENS = 1_600;

/**
 * The tokens that the pictures of a turn may have in one request: five of full size. Beyond it, the oldest are left out until half of
 * it is free again, because each change of what was sent before costs a provider's cache.
 */
const BUDGET = 8_000;

/** Makes pictures smaller that are too large for models, each in its place. Never rejects: what can't be scaled stays. */
export type ScalePictures = (pictures: readonly ImagePart[]) => Promise<readonly ImagePart[]>;

export function pictureTokens(picture: ImagePart): number {
  const { width, height } = sizeOf(picture);
  if (!width || !height) return MAX_TOKENS;
  const scale = Math.min(1, MAX_SIDE / Math.max(width, height));
  return Math.min(MAX_TOKENS, Math.ceil((width * height * scale ** 2) / PIXELS_PER_TOKEN));
}

/** Whether a picture is larger than models see, and yet not too large to be decoded. */
export function isToBeScaled(picture: ImagePart): boolean {
  const { width = 0, height = 0 } = sizeOf(picture);
  return Math.max(width, height) > MAX_SIDE && width * height <= MAX_PIXELS;
}

export async function scaledIn(
  messages: readonly ModelMessage[],
  scale: ScalePictures,
): Promise<readonly ModelMessage[]> {
  const all = messages.flatMap(({ parts }) => parts.flatMap(picturesOf));
  const scaled = all.length === 0 ? [] : await scale(all);
  const smaller = new Map(all.map((picture, at) => [picture, scaled[at] ?? picture]));
  return replaced(messages, picture => smaller.get(picture) ?? picture);
}

/** The rounds of a turn without pictures beyond its budget, earlier ones first. @returns the same if all fit. */
export function withinPictureBudget(rounds: readonly ModelMessage[]): readonly ModelMessage[] {
  const tokensIn = (messages: readonly ModelMessage[]) =>
    messages
      .flatMap(({ parts }) => parts.flatMap(picturesOf))
      .map(picture => [picture, pictureTokens(picture)] as const);
  const earlier = tokensIn(rounds.slice(0, -1));
  let total = [...earlier, ...tokensIn(rounds.slice(-1))].reduce((sum, [, tokens]) => sum + tokens, 0);
  if (total <= BUDGET || earlier.length === 0) return rounds;
  const left = new Set<ImagePart>();
  for (const [picture, tokens] of earlier) {
    if (total <= BUDGET / 2) break;
    left.add(picture);
    total -= tokens;
  }
  return replaced(rounds, picture => (left.has(picture) ? text(leftOut(picture)) : picture));
}

function leftOut(picture: ImagePart): string {
  const { width, height } = sizeOf(picture);
  const size = width === undefined ? '' : `, ${width} × ${height}`;
  const what = `${picture.mimeType}${size}, ${english(sizePhrase(picture.data.length))}`;
  return `[picture ${what}: no longer here, to save tokens, because later rounds have newer ones]`;
}

const picturesOf = (part: MessagePart): readonly ImagePart[] =>
  part.kind === 'image' ? [part] : part.kind === 'result' ? part.parts.filter(inner => inner.kind === 'image') : [];

function replaced(
  messages: readonly ModelMessage[],
  by: (picture: ImagePart) => ResultPart['parts'][number],
): readonly ModelMessage[] {
  const inPart = (part: MessagePart): MessagePart => {
    if (part.kind === 'image') return by(part);
    if (part.kind !== 'result') return part;
    return { ...part, parts: part.parts.map(inner => (inner.kind === 'image' ? by(inner) : inner)) };
  };
  return messages.map(message => ({ ...message, parts: message.parts.map(inPart) }));
}

const sizeOf = ({ data }: ImagePart): Pick<MediaType, 'width' | 'height'> => mediaTypeOf(data) ?? {};
