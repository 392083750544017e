/**
 * Queries in JSON as RFC 9535 has them, but for functions: names, indexes, slices, `*`, `..`, lists of these, and filters with
 * comparisons, `&&`, `||` and `!`. What a model writes is parsed, never run, and looks at a bounded number of values: that is why
 * this is no library, as those for the RFC run the model's regular expressions and have no bound (`features/chat/README.md`).
 */

const ESCAPES: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };
const MAX_PATH = 500;
const MAX_VISITED = 500_000;
const MAX_FOUND = 1_000;
/** Two objects are compared as JSON: so many characters of it count as one value. */
const CHARACTERS_OF_A_VALUE = 10;

/** An error in a path, worded for the model that wrote it. */
export class PathError extends Error {
  override readonly name = 'PathError';
}

type Selector = (value: unknown, root: unknown) => Iterable<unknown>;
interface Segment {
  readonly selectors: readonly Selector[];
  /** `..`: of the value and everything in it. */
  readonly isDeep: boolean;
}
type Test = (value: unknown, root: unknown) => boolean;
type Operand = (value: unknown, root: unknown) => readonly unknown[];

/** @throws PathError */
export function queryJson(root: unknown, path: string): { readonly found: readonly unknown[]; readonly more: boolean } {
  if (path.length > MAX_PATH) throw new PathError(`a path has at most ${MAX_PATH} characters`);
  const parser = new Parser(path.trim());
  const segments = parser.path();
  const found: unknown[] = [];
  for (const value of walk(root, 0, { segments, root, budget: parser.budget })) {
    if (found.length === MAX_FOUND) return { found, more: true };
    found.push(value);
  }
  return { found, more: false };
}

/** Of a whole query, its filters within filters included. */
interface Budget {
  left: number;
}

interface Query {
  readonly segments: readonly Segment[];
  readonly root: unknown;
  readonly budget: Budget;
}

/** @param at which of the segments is next. */
function* walk(value: unknown, at: number, query: Query): Iterable<unknown> {
  const { segments, root, budget } = query;
  const segment = segments[at];
  if (!segment) {
    yield value;
    return;
  }
  for (const start of segment.isDeep ? allIn(value, budget) : [value]) {
    for (const select of segment.selectors) {
      for (const next of select(start, root)) {
        spend(budget);
        yield* walk(next, at + 1, query);
      }
    }
  }
}

function* allIn(value: unknown, budget: Budget): Iterable<unknown> {
  // Without recursion: data may be nested deeper than the stack.
  const open = [value];
  while (open.length > 0) {
    const next = open.pop();
    spend(budget);
    yield next;
    const inner = [...children(next)];
    for (let at = inner.length - 1; at >= 0; at--) open.push(inner[at]);
  }
}

function spend(budget: Budget, amount = 1): void {
  budget.left -= amount;
  if (budget.left < 0) throw new PathError('the path leads to too many values; make it narrower');
}

function* children(value: unknown): Iterable<unknown> {
  if (Array.isArray(value)) yield* value;
  else if (typeof value === 'object' && value !== null) yield* Object.values(value);
}

const member = (name: string): Selector =>
  function* (value) {
    if (typeof value === 'object' && value !== null && !Array.isArray(value) && Object.hasOwn(value, name))
      yield (value as Record<string, unknown>)[name];
  };

const element = (index: number): Selector =>
  function* (value) {
    if (!Array.isArray(value)) return;
    const at = index < 0 ? value.length + index : index;
    if (at >= 0 && at < value.length) yield value[at];
  };

const slice = (from: number | undefined, to: number | undefined, step: number): Selector =>
  function* (value) {
    if (!Array.isArray(value) || step === 0) return;
    const place = (at: number) => (at < 0 ? value.length + at : at);
    if (step > 0) {
      const end = Math.min(place(to ?? value.length), value.length);
      for (let at = Math.max(place(from ?? 0), 0); at < end; at += step) yield value[at];
    } else {
      const end = to === undefined ? -1 : Math.max(place(to), -1);
      for (let at = Math.min(place(from ?? value.length - 1), value.length - 1); at > end; at += step) yield value[at];
    }
  };

const filtered = (test: Test, budget: Budget): Selector =>
  function* (value, root) {
    for (const child of children(value)) {
      spend(budget);
      if (test(child, root)) yield child;
    }
  };

class Parser {
  readonly budget: Budget = { left: MAX_VISITED };
  #at = 0;

  constructor(private readonly text: string) {}

  path(): readonly Segment[] {
    if (!this.#take('$')) throw this.#unexpected('a path begins with $');
    const segments = this.#segments();
    if (this.#at < this.text.length) throw this.#unexpected('the path should end');
    return segments;
  }

  #segments(): readonly Segment[] {
    const segments: Segment[] = [];
    for (;;) {
      this.#space();
      if (this.#take('..'))
        segments.push({ isDeep: true, selectors: this.#peek('[') ? this.#bracket() : [this.#dotted()] });
      else if (this.#take('.')) segments.push({ isDeep: false, selectors: [this.#dotted()] });
      else if (this.#peek('[')) segments.push({ isDeep: false, selectors: this.#bracket() });
      else return segments;
    }
  }

  #dotted(): Selector {
    if (this.#take('*')) return children;
    const name = this.#match(/[A-Za-z_\u{80}-\u{10ffff}][\w\u{80}-\u{10ffff}]*/uy);
    if (name === undefined) throw this.#unexpected("a name; write others as ['name']");
    return member(name);
  }

  #bracket(): readonly Selector[] {
    this.#expect('[');
    const selectors = [this.#selector()];
    while (this.#takeSpaced(',')) selectors.push(this.#selector());
    this.#space();
    this.#expect(']');
    return selectors;
  }

  #selector(): Selector {
    this.#space();
    if (this.#take('*')) return children;
    if (this.#take('?')) return filtered(this.#or(), this.budget);
    const name = this.#string();
    if (name !== undefined) return member(name);
    const from = this.#integer();
    if (!this.#takeSpaced(':')) {
      if (from === undefined) throw this.#unexpected('a name in quotes, an index, *, or a filter');
      return element(from);
    }
    this.#space();
    const to = this.#integer();
    const isStepped = this.#takeSpaced(':');
    this.#space();
    const step = isStepped ? this.#integer() : undefined;
    return slice(from, to, step ?? 1);
  }

  #or(): Test {
    const tests = [this.#and()];
    while (this.#takeSpaced('||')) tests.push(this.#and());
    return (value, root) => tests.some(test => test(value, root));
  }

  #and(): Test {
    const tests = [this.#unary()];
    while (this.#takeSpaced('&&')) tests.push(this.#unary());
    return (value, root) => tests.every(test => test(value, root));
  }

  #unary(): Test {
    this.#space();
    if (this.#peek('!') && !this.#peek('!=')) {
      this.#expect('!');
      const test = this.#unary();
      return (value, root) => !test(value, root);
    }
    if (this.#take('(')) {
      const test = this.#or();
      this.#space();
      this.#expect(')');
      return test;
    }
    const left = this.#operand();
    this.#space();
    const operator = this.#match(/==|!=|<=|>=|<|>/y);
    if (operator === undefined) return (value, root) => left(value, root).length > 0;
    const right = this.#operand();
    const same = (one: unknown, other: unknown) => isSame(one, other, this.budget);
    return (value, root) => compare(left(value, root), operator, right(value, root), same);
  }

  #operand(): Operand {
    this.#space();
    for (const sign of ['@', '$']) {
      if (!this.#take(sign)) continue;
      const segments = this.#segments();
      const { budget } = this;
      return (value, root) => [...walk(sign === '@' ? value : root, 0, { segments, root, budget })].slice(0, MAX_FOUND);
    }
    const text = this.#string();
    if (text !== undefined) return () => [text];
    const word = this.#match(/true|false|null|-?\d+(\.\d+)?([eE][+-]?\d+)?/y);
    if (word === undefined) throw this.#unexpected('a value, or a path that begins with @ or $');
    const value: unknown = JSON.parse(word);
    return () => [value];
  }

  #string(): string | undefined {
    const quoted = this.#match(/'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"/y);
    return quoted
      ?.slice(1, -1)
      .replace(/\\(?:u([\da-fA-F]{4})|(.))/g, (_, code: string | undefined, character: string) =>
        code ? String.fromCharCode(Number.parseInt(code, 16)) : (ESCAPES[character] ?? character),
      );
  }

  #integer(): number | undefined {
    const digits = this.#match(/-?\d{1,15}/y);
    return digits === undefined ? undefined : Number(digits);
  }

  #match(expression: RegExp): string | undefined {
    expression.lastIndex = this.#at;
    const [found] = expression.exec(this.text) ?? [];
    this.#at += found?.length ?? 0;
    return found;
  }

  #peek(text: string): boolean {
    return this.text.startsWith(text, this.#at);
  }

  #take(text: string): boolean {
    if (!this.#peek(text)) return false;
    this.#at += text.length;
    return true;
  }

  #takeSpaced(text: string): boolean {
    this.#space();
    return this.#take(text);
  }

  #expect(text: string): void {
    if (!this.#take(text)) throw this.#unexpected(text);
  }

  #space(): void {
    this.#match(/\s+/y);
  }

  #unexpected(wanted: string): PathError {
    return new PathError(`at character ${this.#at + 1} of the path: expected ${wanted}`);
  }
}

/** Compares two single values; two paths without a value are equal. */
function compare(
  left: readonly unknown[],
  operator: string,
  right: readonly unknown[],
  same: (one: unknown, other: unknown) => boolean,
): boolean {
  const [one, other] = [left[0], right[0]];
  const isEqual = left.length === 0 || right.length === 0 ? left.length === right.length : same(one, other);
  if (operator === '==') return isEqual;
  if (operator === '!=') return !isEqual;
  if (operator === '<=' || operator === '>=') if (isEqual) return true;
  const isOrdered =
    (typeof one === 'number' && typeof other === 'number') || (typeof one === 'string' && typeof other === 'string');
  if (!isOrdered) return false;
  return operator.startsWith('<') ? one < other : one > other;
}

function isSame(one: unknown, other: unknown, budget: Budget): boolean {
  if (one === other) return true;
  if (typeof one !== 'object' || typeof other !== 'object') return false;
  const texts = [one, other].map(value => JSON.stringify(value));
  for (const { length } of texts) spend(budget, length / CHARACTERS_OF_A_VALUE);
  return texts[0] === texts[1];
}
