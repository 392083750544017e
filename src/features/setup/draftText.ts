import { visible } from '../../base/text';
import { t, verbatim } from '../../editor/window';
import type { DraftInput, DraftNote, ServerDraft } from './core/serverDraft';
import type { Trial } from './tryServer';

/** Notes for the person about a draft besides its launch. */
export function notesOf({ notes, values, inputs, entry }: ServerDraft): string[] {
  const secrets = values.size;
  const asked = inputs.filter(({ id }) => !values.has(id)).length;
  return [
    ...(secrets === 1 ? [t('1 secret will be kept in secret storage')] : []),
    ...(secrets > 1 ? [t('{0} secrets will be kept in secret storage', secrets)] : []),
    ...inputs.filter(({ type }) => type === 'command').map(commandNote),
    ...(asked === 1 ? [t('asks for 1 input when it starts')] : []),
    ...(asked > 1 ? [t('asks for {0} inputs when it starts', asked)] : []),
    ...(entry.enabled === false ? [t('disabled')] : []),
    ...notes.map(noteText),
  ];
}

const commandNote = ({ command }: DraftInput) =>
  verbatim('runs the editor command {0} for an input', visible(command, 60));

function noteText({ kind, what }: DraftNote): string {
  const shown = visible(what, 60);
  if (kind === 'leftOut') return verbatim('"{0}" is not imported', shown);
  return verbatim('{0} is not a known variable', shown);
}

/** "12 tools, 3 prompts, 1 resource". */
export function countsOf({ tools, prompts, resources, templates }: Extract<Trial, { kind: 'ready' }>): string {
  const counts = [
    [tools, t('1 tool'), t('{0} tools', tools)],
    [prompts, t('1 prompt'), t('{0} prompts', prompts)],
    [resources, t('1 resource'), t('{0} resources', resources)],
    [templates, t('1 resource template'), t('{0} resource templates', templates)],
  ] as const;
  const shown = counts.filter(([count]) => count > 0).map(([count, one, many]) => (count === 1 ? one : many));
  return shown.join(', ') || t('nothing yet');
}
