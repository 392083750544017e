// What the oldest editors lack. A test that needs it is left out there: `since('…').it(…)`. That stands in its title, is
// counted, and said at the end of the run.

import { wantedEditor } from './editorVersions';

/** By the first minor of VS Code 1 that has it, of those that the tests run in. */
const firstWith = {
  // Their API came with 1.104. In the build of 1.108 it hands out none.
  'language models of extensions': 117,
  'http.systemCertificatesNode': 106,
  'chat.mcp.access': 108,
  // Its build from npm has a picker before, with no model but the editor's own in it.
  'models of extensions in the picker': 139,
} as const;

export type Need = keyof typeof firstWith;

/** Whether the editor of this run has it. */
export function has(need: Need): boolean {
  // Inside an extension host, editorSuite.ts says which it is.
  const [, minor] = (process.env.TEST_EDITOR_VERSION ?? wantedEditor()?.version ?? '').split('.');
  return minor === undefined || Number(minor) >= firstWith[need];
}

/** Why something is left out where the editor does not have it. */
export const reasonOf = (need: Need): string => `since 1.${firstWith[need]}: ${need}`;

/** `it` for what needs it; inside `describe` too, whose hooks then do not run. */
export const since = (need: Need) => ({
  it: (title: string, fn: Mocha.AsyncFunc) => (has(need) ? it(title, fn) : it.skip(`${title} [${reasonOf(need)}]`, fn)),
  describe: (title: string, fn: () => void) =>
    has(need) ? describe(title, fn) : describe.skip(`${title} [${reasonOf(need)}]`, fn),
});
