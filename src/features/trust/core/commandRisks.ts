import { SHELLS } from '../../../host/launch';

/**
 * A risk that few servers need and that shows in a command line: more rights than the editor has (`elevates`), deleting
 * (`deletes`), running what was just downloaded (`fetches`), commands inside an argument (`script`), or the system's own
 * files and devices (`system`).
 */
export type CommandRisk = 'elevates' | 'deletes' | 'fetches' | 'script' | 'system';

/** Where a program can stand: at the beginning, after a path, a quote, a separator or another program. */
const AT = String.raw`(?<![\w.-])`;
const END = String.raw`(?:\.exe)?(?![\w./\\-])`;
const program = (names: string) => `${AT}(?:${names})${END}`;
const SHELL = SHELLS.join('|');
const FETCH = 'curl|wget|iwr|irm|invoke-webrequest|invoke-restmethod|bitsadmin|certutil';

/** Bounded everywhere: arguments may be of any length. */
const PATTERNS: Readonly<Record<CommandRisk, RegExp>> = {
  elevates: new RegExp(`${program('sudo|doas|pkexec|runas|gsudo|run0')}|${program('su')}\\s+(?:-|root)`, 'i'),
  deletes: new RegExp(
    [
      String.raw`${program('rm')}\s+(?:\S{1,200}\s+){0,5}?(?:-[a-z]{0,9}[rf][a-z]{0,9}|--recursive|--force)(?!\w)`,
      String.raw`${program('del|erase|rd|rmdir')}\s+(?:\S{1,200}\s+){0,5}?/[sq]`,
      String.raw`${program('remove-item|ri')}\s.{0,500}?-(?:recurse|force)`,
      program('shred|wipefs|diskpart|mkfs(?:[.][a-z0-9]{1,9})?'),
      String.raw`${program('find')}\s.{0,500}?\s-delete(?!\w)`,
    ].join('|'),
    'is',
  ),
  fetches: new RegExp(
    [
      String.raw`${program(FETCH)}.{0,1000}?\|\s{0,9}(?:sudo\s{1,9})?(?:\S{0,200}/)?(?:${SHELL}|python[\d.]{0,5}|node|perl|ruby|iex)${END}`,
      String.raw`(?:\$\(|\`|<\(|iex\s{0,9}\(?|invoke-expression\s{0,9}\(?)\s{0,9}(?:${FETCH})${END}`,
    ].join('|'),
    'is',
  ),
  script: new RegExp(
    String.raw`${program(SHELL)}\s+(?:\S{1,200}\s+){0,9}?(?:-[a-z]{0,9}c|/[ck]|-e(?:nc|ncodedcommand)?|-command)\s`,
    'is',
  ),
  system:
    /(?<![\w.-])(?:\/etc\/(?:passwd|shadow|sudoers|cron)|\/dev\/(?:sd|nvme|disk|mem)|\/boot(?:\/|(?!\S))|[a-z]:[\\/]windows[\\/]system32[\\/]config)/i,
};

/** Only this much of a command line is checked. */
const MAX_LENGTH = 100_000;

/** The risks that show in a command line. An empty result proves nothing: only known patterns are reported. */
export function commandRisks(command: string, args: readonly string[]): readonly CommandRisk[] {
  // The folder of the program may be called anything.
  const name = command.slice(Math.max(command.lastIndexOf('/'), command.lastIndexOf('\\')) + 1);
  const line = [name, ...args].join(' ').slice(0, MAX_LENGTH);
  return (Object.keys(PATTERNS) as CommandRisk[]).filter(risk => PATTERNS[risk].test(line));
}
