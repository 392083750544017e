import { type DraftInput, type DraftNote, promptFor } from './serverDraft';

/** Whose way of writing servers it is. `unknown`: that of a README, where everything is understood. */
export type Dialect = keyof typeof VARIABLES | 'unknown';

/** The ways to write a variable. */
type VariableForm = 'editor' | 'environment' | 'dollar' | 'braces' | 'secrets';

/**
 * The variables that each host documents. `editor`: those of VS Code, `${env:NAME}` among them · `environment`: `${NAME}`, with a
 * default behind `:-` · `dollar`: `$NAME`, too · `braces`: `{env:NAME}` · `secrets`: `${{ secrets.NAME }}`. What looks like another
 * one is plain text there.
 */
const VARIABLES = {
  vscode: ['editor'],
  cursor: ['editor'],
  windsurf: ['editor'],
  cline: ['editor'],
  continue: ['editor', 'secrets'],
  claudeCode: ['editor', 'environment'],
  gemini: ['environment', 'dollar'],
  opencode: ['braces'],
  claudeDesktop: [],
  zed: [],
  codex: [],
  goose: [],
  antigravity: [],
  junie: [],
} as const satisfies Record<string, readonly VariableForm[]>;

const formsOf = (dialect: Dialect): readonly VariableForm[] =>
  dialect === 'unknown' ? ['editor', 'environment', 'secrets'] : VARIABLES[dialect];

/** Variables that mean the same here. */
const SAME = /^(workspaceFolder(:.*)?|workspaceFolderBasename|userHome|pathSeparator|\/|env:[^{}]+|config:[^{}]+)$/;
const VARIABLE =
  /\$\{\{\s*(?:secrets|inputs)\.([\w.-]+)\s*\}\}|\$\{([^{}]*)\}|(?<!\$)\{env:([A-Za-z_]\w*)\}|\$([A-Za-z_]\w*)/g;

interface VariableReport {
  note(note: DraftNote): void;
  /** An input that the text names, and that its file may not define. */
  input(id: string, input: DraftInput): void;
}

/** The text with the variables of another host as ours. What is no variable there becomes plain text here. */
export function mapVariables(text: string, dialect: Dialect, report: VariableReport): string {
  const forms = formsOf(dialect);
  const has = (form: VariableForm) => forms.includes(form);
  return text.replace(VARIABLE, (all: string, ...groups: (string | undefined)[]) => {
    const [secret, name, braced, bare] = groups;
    if (secret !== undefined) return has('secrets') ? inputFor(secret, report) : escaped(all);
    if (braced !== undefined) return has('braces') ? `\${env:${braced}}` : all;
    if (bare !== undefined) return has('dollar') ? `\${env:${bare}}` : all;
    if (name === undefined || !(has('editor') || has('environment'))) return escaped(all);
    if (has('editor')) {
      if (SAME.test(name)) return all;
      if (name.startsWith('input:')) return inputFor(name.slice('input:'.length), report);
      if (name === 'workspaceRoot') return '${workspaceFolder}';
    }
    // What is behind ":-" counts where the variable is empty.
    if (/^[A-Za-z_]\w*(:-.*)?$/s.test(name) && has('environment')) return `\${env:${name}}`;
    report.note({ kind: 'unknownVariable', what: all });
    return escaped(all);
  });
}

/** A line for a shell with variables of ours, and the shell's own as plain text. */
export const shellVariables = (text: string): string =>
  text.replace(/\$\{([^{}]*)\}/g, (all, name: string) =>
    SAME.test(name) || name.startsWith('input:') ? all : `$${all}`,
  );

function inputFor(wanted: string, report: VariableReport): string {
  const id = wanted.replace(/[\s{}$:]+/g, '-').slice(0, 100) || 'input';
  report.input(id, promptFor(id, wanted));
  return `\${input:${id}}`;
}

/** Escapes variables, so that they stay plain text. */
const escaped = (text: string) => text.replace(/\$\{(?!\{)/g, '$$${');
