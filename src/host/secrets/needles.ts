/** Size, in bits, of the table that says how far to skip ahead in a text. */
const SKIP_BITS = 16;
const GRAM = 3;
/** How much of the shortest needle's beginning is used for skipping. */
const MAX_HEAD = 8;
/** For a longer needle, only pieces are searched; the text around a piece is then compared. */
const LONG = 512;
const PIECE = 32;
const PIECE_EVERY = 128;
const MAX_PIECES = 512;
/** Once all needles have this many units, only the first `HEAD` units of each further one are searched. */
const FULL_UNITS = 500_000;
const HEAD = 16;
const MAX_UNITS = 2_000_000;

/** Called for each match, by their ends. `isStart`: the start of a needle, where the text was cut. */
type OnFound = (start: number, end: number, isStart: boolean) => void;

/**
 * Finds many needles within a text, in time linear in the text, whatever the number and content of the needles
 * (Aho–Corasick, over UTF-16 units). A needle of any length takes bounded space: for long ones, pieces are found and the
 * text on both sides is compared, so that part of a needle is found too.
 *
 * @throws RangeError if there are too many needles altogether: about 100,000.
 */
export class Needles {
  /** For each node except the root, which is 0: the unit that leads to it, its parent, and its depth. */
  readonly #unit: Uint16Array;
  readonly #parent: Int32Array;
  readonly #depth: Int32Array;
  /** The node of the longest needle prefix that is a suffix of this one. */
  readonly #fail: Int32Array;
  /** The node of the longest needle that is a suffix of this one: itself if it ends a needle; 0 if there is none. */
  readonly #ends: Int32Array;
  /** Hash table of children: nodes, or 0 if there is none. */
  readonly #table: Int32Array;
  readonly #shift: number;
  /** How far to advance, by the last three of `#head` units. */
  readonly #skip = new Uint8Array(1 << SKIP_BITS);
  readonly #head: number;
  /** Where a piece comes from, by its node. */
  readonly #pieces = new Map<number, Piece>();
  #size = 1;

  /**
   * @param needles at least three units each; shorter ones are left out.
   * @param cut a unit that marks where texts were cut: the start of a needle before it is found too.
   * @param minStart how long such a start must be.
   */
  constructor(
    needles: Iterable<string>,
    private readonly cut = '',
    private readonly minStart = 4,
  ) {
    const parts = partsOf(needles);
    const units = parts.reduce((sum, { text }) => sum + text.length, 1);
    if (units > MAX_UNITS) throw new RangeError('There are too many texts to look for.');
    this.#head = Math.max(
      GRAM,
      parts.reduce((least, { text }) => Math.min(least, text.length), MAX_HEAD),
    );
    this.#unit = new Uint16Array(units);
    this.#parent = new Int32Array(units);
    this.#depth = new Int32Array(units);
    this.#fail = new Int32Array(units);
    this.#ends = new Int32Array(units);
    this.#shift = Math.max(0, 31 - Math.ceil(Math.log2(units)));
    this.#table = new Int32Array(2 ** (32 - this.#shift));
    this.#skip.fill(this.#head - GRAM + 1);
    for (const part of parts) this.#add(part);
    this.#link();
  }

  /** @param heedsCuts whether the start of a needle counts where the text was cut. */
  find(text: string, found: OnFound, heedsCuts = true): void {
    const hasCuts = heedsCuts && this.cut !== '';
    const canSkip = !hasCuts || !text.includes(this.cut);
    const cut = hasCuts ? this.cut.charCodeAt(0) : -1;
    let node = 0;
    // Text that was compared around a piece is not compared again.
    let [knownFrom, known] = [0, 0];
    for (let at = 0; at < text.length; at++) {
      if (node === 0 && canSkip) {
        at = this.#nextStart(text, at);
        if (at >= text.length) return;
      }
      const unit = text.charCodeAt(at);
      if (unit === cut && this.#depth[node]! >= this.minStart) found(at - this.#depth[node]!, at, true);
      let next = this.#child(node, unit);
      while (next === 0 && node !== 0) {
        node = this.#fail[node]!;
        next = this.#child(node, unit);
      }
      node = next;
      const last = this.#ends[node]!;
      if (last === 0) continue;
      const end = at + 1;
      const length = this.#depth[last]!;
      const piece = this.#pieces.get(last);
      if (!piece) found(end - length, end, false);
      else if (end > known) {
        const start = extendBack(text, end - length, piece, known);
        if (start > known) knownFrom = start;
        known = extend(text, end, piece);
        found(knownFrom, known, false);
      }
    }
  }

  /** The next position, from `at`, at which a needle may begin. */
  #nextStart(text: string, at: number): number {
    const last = text.length - this.#head;
    const offset = this.#head - GRAM;
    while (at <= last) {
      const gram = at + offset;
      const far = this.#skip[hash(text.charCodeAt(gram), text.charCodeAt(gram + 1), text.charCodeAt(gram + 2))]!;
      if (far === 0) return at;
      at += far;
    }
    return text.length;
  }

  #child(node: number, unit: number): number {
    let slot = (Math.imul(node, 0x9e3779b1) ^ Math.imul(unit, 0x85ebca6b)) >>> this.#shift;
    for (;;) {
      const child = this.#table[slot]!;
      if (child === 0 || (this.#parent[child] === node && this.#unit[child] === unit)) return child;
      slot = (slot + 1) & (this.#table.length - 1);
    }
  }

  #add({ text, from }: Part): void {
    let node = 0;
    for (let at = 0; at < text.length; at++) {
      const unit = text.charCodeAt(at);
      node = this.#child(node, unit) || this.#grow(node, unit);
    }
    if (from && !this.#pieces.has(node)) this.#pieces.set(node, from);
    if (this.#ends[node] !== 0) return;
    this.#ends[node] = node;
    const last = this.#head - GRAM;
    for (let at = 0; at <= last; at++) {
      const gram = hash(text.charCodeAt(at), text.charCodeAt(at + 1), text.charCodeAt(at + 2));
      this.#skip[gram] = Math.min(this.#skip[gram]!, last - at);
    }
  }

  #grow(parent: number, unit: number): number {
    const node = this.#size++;
    this.#parent[node] = parent;
    this.#unit[node] = unit;
    this.#depth[node] = this.#depth[parent]! + 1;
    let slot = (Math.imul(parent, 0x9e3779b1) ^ Math.imul(unit, 0x85ebca6b)) >>> this.#shift;
    while (this.#table[slot] !== 0) slot = (slot + 1) & (this.#table.length - 1);
    this.#table[slot] = node;
    return node;
  }

  #link(): void {
    for (const node of byDepth(this.#depth, this.#size)) {
      const unit = this.#unit[node]!;
      let behind = this.#parent[node]!;
      let fail = 0;
      while (behind !== 0 && fail === 0) {
        behind = this.#fail[behind]!;
        fail = this.#child(behind, unit);
      }
      this.#fail[node] = fail;
      if (this.#ends[node] === 0) this.#ends[node] = this.#ends[fail]!;
    }
  }
}

/** A part of a needle, from one unit to before another. */
interface Piece {
  of: string;
  start: number;
  end: number;
}

/** An entry of the tree: a needle, its beginning, or a piece of it. */
interface Part {
  text: string;
  from?: Piece;
}

function partsOf(needles: Iterable<string>): Part[] {
  const parts: Part[] = [];
  let units = 0;
  for (const needle of needles) {
    if (needle.length < GRAM) continue;
    const isFull = units < FULL_UNITS;
    const isShort = needle.length <= (isFull ? LONG : HEAD);
    const added = isShort ? [{ text: needle }] : isFull ? piecesOf(needle) : [pieceOf(needle, 0, HEAD)];
    units += added.reduce((sum, { text }) => sum + text.length, 0);
    parts.push(...added);
  }
  return parts;
}

function piecesOf(needle: string): Part[] {
  const every = Math.max(PIECE_EVERY, Math.ceil(needle.length / MAX_PIECES));
  const count = Math.floor((needle.length - PIECE) / every) + 1;
  const pieces = Array.from({ length: count }, (_, n) => pieceOf(needle, n * every, n * every + PIECE));
  // Its end too, because everything before may be shared with another needle, which would then be the one compared.
  return [...pieces, pieceOf(needle, needle.length - PIECE, needle.length)];
}

const pieceOf = (needle: string, start: number, end: number): Part => ({
  text: needle.slice(start, end),
  from: { of: needle, start, end },
});

/** All nodes except the root, by increasing depth. */
function byDepth(depth: Int32Array, size: number): Int32Array {
  const most = depth.subarray(0, size).reduce((a, b) => Math.max(a, b), 0);
  const place = new Int32Array(most + 2);
  for (let node = 1; node < size; node++) place[depth[node]! + 1]!++;
  for (let n = 1; n < place.length; n++) place[n]! += place[n - 1]!;
  const nodes = new Int32Array(size - 1);
  for (let node = 1; node < size; node++) nodes[place[depth[node]!]!++] = node;
  return nodes;
}

/** How far the text matches the needle after the piece. */
function extend(text: string, end: number, { of, end: ofEnd }: Piece): number {
  let far = 0;
  while (ofEnd + far < of.length && end + far < text.length && text[end + far] === of[ofEnd + far]) far++;
  return end + far;
}

/** How far the text matches the needle before the piece, down to `least`. */
function extendBack(text: string, start: number, { of, start: ofStart }: Piece, least: number): number {
  let far = 0;
  while (start - far > least && ofStart - far > 0 && text[start - far - 1] === of[ofStart - far - 1]) far++;
  return start - far;
}

const hash = (a: number, b: number, c: number) => (a ^ (b << 5) ^ (c << 10)) & ((1 << SKIP_BITS) - 1);
