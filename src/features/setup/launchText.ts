import { mapTexts } from '../../base/json';
import { exact, visible } from '../../base/text';
import { t, verbatim } from '../../editor/window';
import type { ServerDefinition } from '../../host/definition';
import { commandLine, isClearText, launchFields, valueText } from '../../host/launch';
import { askConsent, askWhole, fitsDialog } from '../review';
import { describeLaunches, type LaunchReview, wantedRoots } from '../trust';
import { type DraftEntry, marked, type ServerDraft, type SettingsAddition } from './core/serverDraft';
import type { Trial } from './tryServer';

export function launchLineOf({ command, args, url }: DraftEntry): string {
  if (typeof command !== 'string') return valueText(marked(String(url)));
  return commandLine(marked(command), Array.isArray(args) ? args.map(arg => marked(String(arg))) : []);
}

/**
 * Everything that would be launched, literally; only secret values are masked (`shownVariable`).
 * @param brought values of inputs, by id, that came with the draft: their author influences what is launched, so they are shown
 * in place like everything else.
 * @param added the inputs that come with the draft. All others are in settings already and may have a value, which the author
 * of the draft would get.
 */
export function launchText(
  definitions: readonly ServerDefinition[],
  where: string,
  brought: ReadonlyMap<string, string>,
  added: SettingsAddition['inputs'],
): string {
  const reviews = definitions.flatMap((definition): LaunchReview[] => {
    const { inputs, fromWorkspace } = definition;
    if (!definition.reviewed) return [];
    const reviewed = mapTexts(definition.reviewed, text =>
      text.replace(/\0\{input:([^{}]*)\}/g, (reference, id: string) => brought.get(id) ?? reference),
    );
    const asked = inputs?.definitions.filter(({ id }) => !brought.has(id)) ?? [];
    const fields = launchFields(reviewed, asked, '');
    const clearText = reviewed.type !== 'stdio' && isClearText(reviewed.url);
    const shownDefinition = { ...definition, inputs: { definitions: asked, places: [] } };
    const scope = fromWorkspace ? 'workspace' : 'user';
    const none = {
      fingerprint: '',
      ofSettings: undefined,
      newRoots: [],
      packages: {},
      newPackages: [],
      before: undefined,
      answer: undefined,
    };
    return [{ definition: shownDefinition, reviewed, scope, fields, roots: wantedRoots(reviewed), clearText, ...none }];
  });
  const known = new Set(added.map(({ id }) => id));
  const named = definitions.flatMap(({ inputs }) => inputs?.definitions.map(({ id }) => id) ?? []);
  const shared = [...new Set(named)].filter(id => !known.has(id)).map(id => `"${exact(id)}"`);
  return [
    describeLaunches(reviews, () => where, { isNamed: true }),
    ...(shared.length > 0
      ? [`⚠ ${t('Receives the values you have saved for these inputs: {0}', shared.join(', '))}`]
      : []),
    ...(brought.size > 0 ? [t('Secrets are kept in secret storage, not in settings.')] : []),
  ].join('\n\n');
}

/**
 * Asks about something that is to be launched and shows all of it: in the dialog, or, if that is too long, on a page that
 * workspace settings cannot affect and that allows it only at its end. Undefined: cancelled.
 * @param isLinked whether a link outside of the editor leads to it: then always on a page. A dialog's first button has the focus, and a
 *   key that is held down since the link was opened would press it.
 * @param buttons those that allow it.
 * @param others those that do not.
 */
export async function askAboutLaunch(
  { question, text, isLinked = false }: { question: string; text: string; isLinked?: boolean | undefined },
  buttons: readonly string[],
  ...others: readonly string[]
): Promise<string | undefined> {
  if (!isLinked && fitsDialog(text)) return askConsent(question, text, { allow: buttons, others });
  return askWhole({ title: t('MCP servers'), question, content: { text }, allow: buttons, others });
}

/** Notes for the person about a draft besides its launch. */
export function notesOf({ notes, values, inputs, entry }: ServerDraft): string[] {
  const secrets = values.size;
  const asked = inputs.filter(({ id }) => !values.has(id)).length;
  return [
    ...(secrets === 1 ? [t('1 secret will be kept in secret storage')] : []),
    ...(secrets > 1 ? [t('{0} secrets will be kept in secret storage', secrets)] : []),
    ...inputs
      .filter(({ type }) => type === 'command')
      .map(({ command }) => verbatim('runs the editor command {0} for an input', visible(command, 60))),
    ...(asked === 1 ? [t('asks for 1 input when it starts')] : []),
    ...(asked > 1 ? [t('asks for {0} inputs when it starts', asked)] : []),
    ...(entry.enabled === false ? [t('disabled')] : []),
    ...notes.map(({ kind, what }) =>
      kind === 'leftOut'
        ? verbatim('"{0}" is not imported', visible(what, 60))
        : verbatim('{0} is not a known variable', visible(what, 60)),
    ),
  ];
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
