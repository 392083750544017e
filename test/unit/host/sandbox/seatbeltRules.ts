type Form = string | { readonly literal: string } | readonly Form[];

/**
 * What the arguments of `sandbox-exec` say, read as it reads them: so tests can ask what a program may do, rather than how that is
 * written. Of rules that fit an operation the last one decides; a rule for one operation alone comes before those for several.
 */
export class SeatbeltRules {
  readonly #rules: { readonly isAllowed: boolean; readonly operations: string[]; readonly filters: Form[] }[];
  readonly #values = new Map<string, string>();

  constructor(args: readonly string[]) {
    const [option, profile = '', ...rest] = args;
    if (option !== '-p' || rest.at(-1) !== '--') throw new Error(`These are not its arguments: ${args}`);
    for (const value of rest.slice(0, -1)) {
      const [, name, path] = /^-D(\w+)=([\s\S]*)$/.exec(value) ?? [];
      if (name === undefined || path === undefined) throw new Error(`This sets no parameter: ${value}`);
      this.#values.set(name, path);
    }
    const [version, first, ...rules] = formsOf(profile);
    if (String(version) !== 'version,1' || String(first) !== 'deny,default')
      throw new Error('It is open from the start.');
    this.#rules = rules.map(rule => {
      const [verb, ...parts] = rule as Form[];
      if (verb !== 'allow' && verb !== 'deny') throw new Error(`This is no rule: ${verb}`);
      const operations = parts.filter(part => typeof part === 'string');
      return { isAllowed: verb === 'allow', operations, filters: parts.filter(part => typeof part !== 'string') };
    });
  }

  get count(): number {
    return this.#rules.length;
  }

  /** @param on path of a file or socket, name of a service, or `host:port` */
  allows(operation: string, on: string): boolean {
    const fitting = (fits: (known: string) => boolean) =>
      this.#rules.findLast(
        ({ operations, filters }) =>
          operations.some(fits) && (filters.length === 0 || filters.some(filter => this.#fits(filter, on))),
      );
    const several = (known: string) => known.endsWith('*') && operation.startsWith(known.slice(0, -1));
    return (fitting(known => known === operation) ?? fitting(several))?.isAllowed ?? false;
  }

  #fits(filter: Form, on: string): boolean {
    const [kind, ...values] = filter as Form[];
    const [value = ''] = values.map(form => this.#text(form));
    switch (kind) {
      case 'literal':
      case 'global-name':
      case 'sysctl-name':
        return on === value;
      case 'subpath':
        return on === value || on.startsWith(`${value}/`);
      case 'sysctl-name-prefix':
        return on.startsWith(value);
      case 'regex':
        return new RegExp(value).test(on);
      case 'remote':
      case 'local':
        return values[0] === 'ip' ? on === this.#text(values[1]!) : this.#fits(values[1]!, on);
      case 'unix-socket':
        return this.#fits(values[0]!, on);
      case 'require-all':
        return values.every(part => this.#fits(part, on));
      default:
        // What depends on the process or on a device: no case of these tests.
        return false;
    }
  }

  #text(form: Form): string {
    if (typeof form === 'string') return form;
    if ('literal' in form) return form.literal;
    const [kind, name] = form;
    const found = kind === 'param' && this.#values.get((name as { literal: string }).literal);
    return typeof found === 'string' ? found : '';
  }
}

function formsOf(text: string): Form[] {
  const tokens = text.match(/#?"(?:\\.|[^"\\])*"|[()]|[^\s()"]+/g) ?? [];
  if (tokens.join('').length !== text.replace(/\s(?=(?:[^"]*"[^"]*")*[^"]*$)/g, '').length) {
    throw new Error('Something of it can not be read.');
  }
  const stack: Form[][] = [[]];
  for (const token of tokens) {
    if (token === '(') stack.push([]);
    else if (token === ')') {
      const form = stack.pop()!;
      if (stack.length === 0) throw new Error('It closes what was never opened.');
      stack.at(-1)!.push(form);
    } else if (token.endsWith('"')) stack.at(-1)!.push({ literal: token.replace(/^#?"|"$/g, '') });
    else stack.at(-1)!.push(token);
  }
  if (stack.length !== 1) throw new Error('It does not close what it opens.');
  return stack[0]!;
}
