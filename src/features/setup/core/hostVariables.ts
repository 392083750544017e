import { type DraftInput, type DraftNote, promptFor } from './serverDraft';

/** Whose way of writing servers it is. `unknown`: that of a README, where everything is understood. */
export type Dialect =
  | 'vscode'
  | 'claudeDesktop'
  | 'claudeCode'
  | 'cursor'
  | 'windsurf'
  | 'zed'
  | 'cline'
  | 'continue'
  | 'unknown';

/** Hosts that know no variables: what looks like one there is plain text. */
const WITHOUT_VARIABLES: ReadonlySet<Dialect> = new Set(['claudeDesktop', 'zed']);
/** Hosts in whose files `${NAME}` is a variable of the environment. */
const BARE_ENVIRONMENT: ReadonlySet<Dialect> = new Set(['claudeCode', 'unknown']);

/** Variables that mean the same here. */
const SAME = /^(workspaceFolder(:.*)?|userHome|pathSeparator|\/|env:[^{}]+|config:[^{}]+)$/;
const VARIABLE = /\$\{\{\s*(?:secrets|inputs)\.([\w.-]+)\s*\}\}|\$\{([^{}]*)\}/g;

interface VariableReport {
  note(note: DraftNote): void;
  /** An input that the text names, and that its file may not define. */
  input(id: string, input: DraftInput): void;
}

/** The text with the variables of another host as ours. What is no variable there becomes plain text here. */
export function mapVariables(text: string, dialect: Dialect, report: VariableReport): string {
  return text.replace(VARIABLE, (all: string, secret: string | undefined, name = '') => {
    if (secret !== undefined) {
      if (dialect !== 'continue' && dialect !== 'unknown') return escaped(all);
      return inputFor(secret, report);
    }
    if (WITHOUT_VARIABLES.has(dialect)) return escaped(all);
    if (SAME.test(name)) return all;
    if (name.startsWith('input:')) return inputFor(name.slice('input:'.length), report);
    if (name === 'workspaceRoot') return '${workspaceFolder}';
    // What is behind ":-" counts where the variable is empty.
    if (/^[A-Za-z_]\w*(:-.*)?$/s.test(name) && BARE_ENVIRONMENT.has(dialect)) return `\${env:${name}}`;
    report.note({ kind: 'unknownVariable', what: all });
    return escaped(all);
  });
}

function inputFor(wanted: string, report: VariableReport): string {
  const id = wanted.replace(/[\s{}$:]+/g, '-').slice(0, 100) || 'input';
  report.input(id, promptFor(id, wanted));
  return `\${input:${id}}`;
}

/** Escapes variables, so that they stay plain text. */
const escaped = (text: string) => text.replace(/\$\{(?!\{)/g, '$$${');
