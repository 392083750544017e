import type { Behaviour } from '../raw/behaviour';

/** One command-line flag: what it does, in words, and the change that it makes to a well-behaved server. */
export interface Flag {
  /** How its value is shown in the usage, or undefined when it takes none. */
  readonly takes?: string;
  readonly does: string;
  apply(behaviour: Behaviour, value: string): void;
}

/** A flag without a value. */
export function plain(does: string, apply: (behaviour: Behaviour) => void): Flag {
  return { does, apply };
}

/** A flag with a text, for instance the name of a method. May be given several times. */
export function withText(takes: string, does: string, apply: (behaviour: Behaviour, value: string) => void): Flag {
  return { takes, does, apply };
}

/** A flag with a whole number that is not negative. */
export function withNumber(takes: string, does: string, apply: (behaviour: Behaviour, value: number) => void): Flag {
  return {
    takes,
    does,
    apply(behaviour, value) {
      if (!/^\d+$/.test(value)) throw new Error(`needs a whole number, not "${value}"`);
      apply(behaviour, Number(value));
    },
  };
}

/** Applies `--name` and `--name=value` arguments. Throws an error that lists all flags when one is unknown or wrong. */
export function applyFlags(flags: Readonly<Record<string, Flag>>, args: readonly string[], behaviour: Behaviour): void {
  for (const arg of args) {
    const [, name = '', value] = /^--([^=]+)(?:=(.*))?$/s.exec(arg) ?? [];
    const flag = Object.hasOwn(flags, name) ? flags[name] : undefined;
    if (!flag) throw new Error(`Unknown flag ${arg}\n${usage(flags)}`);
    if ((flag.takes === undefined) !== (value === undefined)) {
      throw new Error(`--${name} takes ${flag.takes ? `=<${flag.takes}>` : 'no value'}\n${usage(flags)}`);
    }
    try {
      flag.apply(behaviour, value ?? '');
    } catch (error) {
      throw new Error(`--${name} ${(error as Error).message}`);
    }
  }
}

/** One line for each flag. */
export function usage(flags: Readonly<Record<string, Flag>>): string {
  const lines = Object.entries(flags).map(([name, { takes, does }]) => {
    const form = takes ? `--${name}=<${takes}>` : `--${name}`;
    return `  ${form.padEnd(28)} ${does}`;
  });
  return ['Flags, which combine:', ...lines].join('\n');
}
