import vscode = require('vscode');

import { isSecretName } from '../../base/secretWords';
import { type PlainText, plain, rowText } from '../../base/text';
import { type PlainRow, t } from '../../editor/window';
import { powerOf } from '../../host/launch';
import type { DraftEntry } from './core/serverDraft';
import { askText, BACK, pickOne, type StepEnd } from './wizard';

type Row = PlainRow & { name?: string; add?: true; done?: true; remove?: true };

/** Asks for environment variables of a program, or headers for an address, until the person continues. */
export async function askPairs(title: string, entry: DraftEntry, pairs: Map<string, string>): Promise<StepEnd> {
  const isProgram = entry.command !== undefined;
  for (;;) {
    const items: Row[] = [
      {
        iconPath: new vscode.ThemeIcon('check'),
        label: t('Continue'),
        description: isProgram ? goOnProgram(pairs.size) : goOnAddress(pairs.size),
        done: true,
      },
      {
        iconPath: new vscode.ThemeIcon('add'),
        label: isProgram ? t('Add an Environment Variable…') : t('Add a Header…'),
        add: true,
      },
      ...[...pairs].map(([name, value]) => ({
        label: rowText(name, 100),
        description: shown(name, value),
        name,
        buttons: [{ iconPath: new vscode.ThemeIcon('trash'), tooltip: t('Remove') }],
      })),
    ];
    const placeholder = isProgram ? t('Which environment variables does it need?') : t('Which headers does it need?');
    const answer: Row | typeof BACK | undefined = await pickOne<Row>({
      title,
      placeholder,
      items,
      canGoBack: true,
      onButton: item => ({ ...item, remove: true }),
    });
    if (answer === BACK) return 'back';
    if (!answer) return undefined;
    if (answer.done) return 'next';
    if (answer.remove) pairs.delete(answer.name!);
    else if ((await askPair(title, isProgram, pairs, answer.name)) === undefined) return undefined;
  }
}

async function askPair(
  title: string,
  isProgram: boolean,
  pairs: Map<string, string>,
  name: string | undefined,
): Promise<true | undefined> {
  const pattern = isProgram ? /^\s*([^=\s]+)=(.*)$/s : /^\s*([\w!#$%&'*+.^`|~-]+)\s*:\s*(.*)$/s;
  const separator = isProgram ? '=' : ': ';
  const answer = await askText({
    title,
    prompt: isProgram
      ? t(
          'Enter NAME=value. If its name or value looks like a secret, the value is kept in secret storage, not in settings.',
        )
      : t(
          'Enter Name: value. If its name or value looks like a secret, the value is kept in secret storage, not in settings.',
        ),
    placeholder: isProgram ? 'API_KEY=…' : 'Authorization: Bearer …',
    ...(name !== undefined && { value: `${name}${separator}${pairs.get(name) ?? ''}` }),
    canGoBack: true,
    problem: value =>
      pattern.test(value) ? undefined : isProgram ? t('Enter it as NAME=value.') : t('Enter it as Name: value.'),
  });
  if (answer === undefined) return undefined;
  if (answer === BACK) return true;
  const [, key = '', value = ''] = pattern.exec(answer) ?? [];
  if (name !== undefined && name !== key) pairs.delete(name);
  pairs.set(key, value.trim());
  return true;
}

function goOnProgram(count: number): PlainText {
  if (count === 0) return t('without environment variables');
  return count === 1 ? t('with 1 environment variable') : t('with {0} environment variables', count);
}

function goOnAddress(count: number): PlainText {
  if (count === 0) return t('without headers');
  return count === 1 ? t('with 1 header') : t('with {0} headers', count);
}

/** A value that may be secret is not shown again. */
const shown = (name: string, value: string) =>
  isSecretName(name) && !powerOf(name) && !value.includes('${') ? plain('•••') : rowText(value, 80);
