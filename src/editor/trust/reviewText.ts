import * as vscode from 'vscode';
import type { AllowedLaunch, LaunchReview } from '../../host/consent';
import { changedUnseen, launchChanges } from '../../host/launchChanges';
import { commandLine, type LaunchField, launchFields, shown } from '../../host/launchReview';
import { exact, visible } from '../../host/text';

const { t } = vscode.l10n;

const MAX_CHANGE = 160;

/** Variables that can make nearly any program run code of somebody else's choice. */
const POWERFUL =
  /^(PATH|NODE_OPTIONS|NODE_PATH|LD_\w+|DYLD_\w+|BASH_ENV|ENV|PYTHON(PATH|STARTUP|HOME)|PERL5OPT|PERL5LIB|RUBYOPT|RUBYLIB|JAVA_TOOL_OPTIONS|npm_config_\w+|NPM_CONFIG_\w+|GIT_\w+|HTTPS?_PROXY|NODE_EXTRA_CA_CERTS|NODE_TLS_REJECT_UNAUTHORIZED)$/i;

/** The program with its arguments, or the address, on one line and whole. */
export function launchLine({ reviewed }: LaunchReview): string {
  return reviewed.type === 'stdio' ? commandLine(reviewed.command, reviewed.args) : shown(reviewed.url);
}

/** Everything a person needs to judge launches; values of variables and headers are masked. Nothing is left out. */
export function describeLaunches(reviews: readonly LaunchReview[], where: (review: LaunchReview) => string): string {
  const programs = reviews.some(({ reviewed }) => reviewed.type === 'stdio');
  const rights = programs ? [t('What is started runs on this machine with all your rights.')] : [];
  const [first] = reviews;
  if (first && reviews.length === 1) return [...describeLaunch(first, where(first)), ...rights].join('\n\n');
  const each = reviews.map(review => [`● ${nameOf(review)}`, ...describeLaunch(review, where(review))].join('\n'));
  return [...each, ...rights].join('\n\n');
}

/** The configured name; a folder's name in it may hold anything. */
export const nameOf = ({ definition }: LaunchReview): string => visible(definition.id, 300);

function describeLaunch(review: LaunchReview, where: string): string[] {
  const { definition, reviewed, before, clearText } = review;
  const parts: (string | undefined)[] = [before && describeChanges(before, review.fields)];
  // Those of the review are cut.
  const fields = launchFields(reviewed, definition.inputs?.definitions ?? [], '', Number.POSITIVE_INFINITY);
  if (reviewed.type === 'stdio') {
    parts.push(
      `${t('Command line:')}\n${launchLine(review)}`,
      lines(
        reviewed.cwd !== undefined && t('Runs in: {0}', shown(reviewed.cwd)),
        ...valuesOf(fields, 'env', t('Environment:')),
        reviewed.envFile !== undefined &&
          t('More environment from {0}, whatever that file says by then', shown(reviewed.envFile)),
      ),
    );
  } else {
    parts.push(
      `${t('Address:')}\n${launchLine(review)}`,
      lines(...valuesOf(fields, 'header', t('Headers:'))),
      lines(...valuesOf(fields, 'oauth', t('Sign-in:'))),
      clearText
        ? t(
            'This is http: to another machine: everybody on the way can read and change what is sent, secrets included.',
          )
        : undefined,
    );
  }
  parts.push(lines(...valuesOf(fields, 'input', t('Inputs:'))));
  parts.push(
    definition.source.scope === 'user' && review.scope === 'workspace'
      ? t('Configured in {0}, with values from the settings of this workspace', where)
      : t('Configured in {0}', where),
  );
  return parts.filter(part => part !== undefined && part !== '') as string[];
}

/**
 * A launch as a document for the diff editor, one line for each field. What reads like its counterpart in `other` and is
 * not the same gets `mark`.
 */
export function launchDocument(fields: readonly LaunchField[], other: readonly LaunchField[], mark: string): string {
  const unseen = changedUnseen(other, fields);
  return `${fields.map(field => fieldLine(field) + (unseen.has(field) ? `  ${mark}` : '')).join('\n')}\n`;
}

function describeChanges({ at, fields: before }: AllowedLaunch, now: readonly LaunchField[]): string {
  const { removed, added } = launchChanges(before, now);
  const unseen = changedUnseen(before, now);
  const same = new Set([...unseen].map(fieldLine));
  const changes = [
    ...removed.filter(field => !same.has(fieldLine(field))).map(field => `− ${shortLine(field)}`),
    ...added.map(field => (unseen.has(field) ? t('± {0} (another value)', shortLine(field)) : `+ ${shortLine(field)}`)),
  ];
  const title = t('Changed since you allowed it on {0}:', new Date(at).toLocaleString());
  return [title, ...(changes.length > 0 ? changes : [t('the order of what is passed')])].join('\n');
}

/** Here a long value may be cut: the command line that follows has it whole. */
function shortLine(field: LaunchField): string {
  const line = fieldLine(field);
  return line.length > MAX_CHANGE ? `${line.slice(0, MAX_CHANGE)}…` : line;
}

function fieldLine({ kind, name = '', text }: LaunchField): string {
  const label = {
    type: t('Type'),
    command: t('Command'),
    argument: t('Argument'),
    cwd: t('Runs in'),
    envFile: t('Environment file'),
    env: t('Environment'),
    url: t('Address'),
    header: t('Header'),
    oauth: t('Sign-in'),
    input: t('Input'),
  }[kind];
  return `${label}: ${name ? `${visible(name, 500)} = ` : ''}${text}`;
}

function valuesOf(fields: readonly LaunchField[], kind: LaunchField['kind'], title: string): string[] {
  const values = fields
    .filter(field => field.kind === kind)
    .map(({ name = '', text }) => {
      const risk = kind === 'env' && POWERFUL.test(name) ? ` ${t('(can change what is run)')}` : '';
      return `  ${exact(name)} = ${text}${risk}`;
    });
  return values.length > 0 ? [title, ...values] : [];
}

const lines = (...all: (string | false)[]) => all.filter(line => line !== false).join('\n');
