/** A value at the end of an argument, and the name of what it is the value of. */
interface ArgumentPair {
  name: string;
  value: string;
}

/**
 * The ways to read an argument: the value after `--name`, or `--name=value`, `NAME=value` and `Name: value`. The last two
 * also occur within an option, as in `--env=NAME=value` and `-eNAME=value`.
 */
export function argumentPairs(args: readonly string[], index: number): ArgumentPair[] {
  const arg = args[index]!;
  const [, option, value = ''] = /^-{1,2}([\w.-]+)[=:]\s*(.*)$/s.exec(arg) ?? [];
  if (option !== undefined) {
    const attached = arg.startsWith('--') ? [] : pairIn(arg.slice(2), arg[1]!);
    return [{ name: option, value }, ...pairIn(value, option), ...attached];
  }
  if (/^-{1,2}[\w.-]+$/.test(arg)) return [];
  const before = /^-{1,2}([\w.-]+)$/.exec(args[index - 1] ?? '')?.[1];
  return before === undefined ? pairIn(arg) : [{ name: before, value: arg }, ...pairIn(arg, before)];
}

function pairIn(text: string, option = ''): ArgumentPair[] {
  const [, name, sign = '', value = ''] = /^([\w.-]+)(=|:\s*)(.+)$/s.exec(text) ?? [];
  if (name === undefined) return [];
  // Without a space, this is an image tag, an address or a path, unless a header is expected.
  return sign !== ':' || /^(H|headers?)$/.test(option) ? [{ name, value }] : [];
}
