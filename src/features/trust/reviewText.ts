import vscode = require('vscode');

import { exact, visible } from '../../base/text';
import { localized } from '../../editor/errorText';
import { t, verbatim } from '../../editor/window';
import {
  commandLine,
  debuggerText,
  type LaunchField,
  launchFields,
  powerOf,
  quoted,
  REMOVED,
  shownAddress,
  type VariablePower,
  valueText,
} from '../../host/launch';
import { argumentPairs, givenUpBy, type ProgramEntry, programIn } from '../../host/settings';
import { type CommandRisk, commandRisks } from './core/commandRisks';
import {
  type AllowedLaunch,
  changedUnseen,
  type FetchedVersions,
  type LaunchReview,
  launchChanges,
  sameButReadOtherwise,
  WORKSPACE_ROOTS,
} from './core/consent';
import { ownSandbox, type SandboxDemand, sandboxLines, unableText } from './sandboxText';

const MAX_CHANGE = 160;

/** The program with its arguments, or the address, in full on one line. */
export function launchLine({ reviewed }: LaunchReview): string {
  return reviewed.type === 'stdio' ? commandLine(reviewed.command, reviewed.args) : shownAddress(reviewed.url);
}

type PackagesOf = (review: LaunchReview) => readonly string[];

interface LaunchesText {
  readonly packages?: PackagesOf;
  /** Default: the person's setting. */
  readonly sandbox?: SandboxDemand;
  /** Whether each has its name above it. Default: if there are several. */
  readonly isNamed?: boolean;
}

/** Everything a person needs to judge launches; only secrets are masked (`shownVariable`). Nothing is left out. */
export function describeLaunches(
  reviews: readonly LaunchReview[],
  where: (review: LaunchReview) => string,
  { packages = () => [], sandbox = ownSandbox(), isNamed = reviews.length > 1 }: LaunchesText = {},
): string {
  const each = reviews.map(review => {
    const isFree = programIn(review.reviewed) && !sandboxLines(review, sandbox);
    const rights = isFree ? [t('This program runs with your permissions.')] : [];
    const parts = [...describeLaunch(review, where(review), packages, sandbox), ...rights];
    return isNamed ? [`● ${launchName(review)}`, ...parts].join('\n') : parts.join('\n\n');
  });
  return each.join('\n\n');
}

/** The configured name; a folder's name in it may hold anything. */
export const launchName = ({ definition }: LaunchReview): string => visible(definition.id, 300);

function describeLaunch(review: LaunchReview, where: string, packages: PackagesOf, sandbox: SandboxDemand): string[] {
  const { definition, reviewed, before, clearText } = review;
  const parts: (string | undefined)[] = [before && describeChanges(before, review)];
  // Those of the review are cut.
  const inputs = definition.inputs?.definitions ?? [];
  const fields = launchFields(reviewed, inputs, '', Number.POSITIVE_INFINITY);
  const helper = programIn(reviewed);
  const commands = new Set(inputs.filter(({ type }) => type === 'command').map(({ id }) => id));
  if (reviewed.type === 'stdio') {
    parts.push(
      commandLines(t('Command line:'), reviewed),
      packages(review).length > 0 ? lines(t('Fetches:'), ...packages(review).map(line => `  ${line}`)) : undefined,
      lines(
        reviewed.cwd !== undefined && verbatim('Runs in: {0}', valueText(reviewed.cwd)),
        reviewed.url !== undefined && t('Reached at: {0}', shownAddress(reviewed.url)),
        ...valuesOf(fields, 'env', t('Environment:')),
        reviewed.envFile !== undefined &&
          (reviewed === definition.reviewed
            ? verbatim('More environment variables from {0}, read when the server starts', valueText(reviewed.envFile))
            : verbatim('With the environment variables from {0}', valueText(reviewed.envFile))),
      ),
    );
  } else {
    parts.push(
      `${t('Address:')}\n${launchLine(review)}`,
      lines(...valuesOf(fields, 'header', t('Headers:'))),
      ...(helper
        ? [
            commandLines(t('Program that prints more headers:'), helper),
            lines(
              helper.cwd !== undefined && verbatim('Runs in: {0}', valueText(helper.cwd)),
              ...valuesOf(fields, 'env', t('Environment:')),
            ),
          ]
        : []),
      lines(...valuesOf(fields, 'oauth', t('Sign-in:'))),
      clearText
        ? t(
            'Unencrypted connection (http) to another machine: anyone on the network can read and change what is sent, including secrets.',
          )
        : undefined,
    );
  }
  if (reviewed.type === 'stdio' && reviewed.dev?.build !== undefined)
    parts.push(`${t('Runs whenever its files change, with your permissions:')}\n${valueText(reviewed.dev.build)}`);
  if (reviewed.type === 'stdio' && reviewed.dev?.debug !== undefined)
    parts.push(`${t('Settings of its debugger, which can start programs:')}\n${debuggerText(reviewed.dev.debug)}`);
  const confined = sandboxLines(review, sandbox);
  parts.push(unableText(review, sandbox));
  if (confined) parts.push(lines(t('It is confined:'), ...confined.map(line => `  ${line}`)));
  parts.push(lines(...valuesOf(fields, 'input', t('Inputs:'), commands)));
  parts.push(
    lines(
      ...rootsText(review.roots),
      definition.leadsIntoWorkspace === true &&
        t('It runs in a folder of this workspace, or takes environment variables from a file there.'),
      definition.source.scope === 'user' && definition.fromWorkspace
        ? verbatim("Configured in {0}, with values from this workspace's settings", exact(where))
        : verbatim('Configured in {0}', exact(where)),
    ),
  );
  return parts.filter(part => part !== undefined && part !== '') as string[];
}

const commandLines = (title: string, { command, args }: ProgramEntry) =>
  lines(
    title,
    commandLine(command, args),
    ...commandRisks(command, args).map(risk => `  ⚠ ${riskText(risk)}`),
    ...warningsOf(args),
  );

/** The roots that it can ask for (spec: client/roots). */
function rootsText(roots: readonly string[]): string[] {
  if (roots.includes(WORKSPACE_ROOTS)) return [t('Can ask for the folders of this workspace')];
  return roots.length > 0 ? [verbatim('Can ask for these folders: {0}', roots.map(rootText).join(', '))] : [];
}

const rootText = (root: string) =>
  root === WORKSPACE_ROOTS ? t('all folders of the workspace') : quoted(valueText(root));

/** A launch for the diff editor, a line for each field. One that reads like that of `other` but differs gets `mark`. */
export function launchDocument(fields: readonly LaunchField[], other: readonly LaunchField[], mark: string): string {
  const unseen = changedUnseen(other, fields);
  return `${fields.map(field => fieldLine(field) + (unseen.has(field) ? `  ${mark}` : '')).join('\n')}\n`;
}

function describeChanges({ at, fields: before, fingerprint }: AllowedLaunch, review: LaunchReview): string {
  const when = new Date(at).toLocaleString(vscode.env.language);
  const now = review.fields;
  if (fingerprint === review.fingerprint && review.newRoots.length > 0) {
    const roots = review.newRoots.map(root => `+ ${rootText(root)}`);
    return [verbatim('It could ask for more folders than you allowed on {0}:', when), ...roots].join('\n');
  }
  if (fingerprint === review.fingerprint && review.newPackages.length > 0) {
    const versions = (from: FetchedVersions | undefined, sign: string) =>
      review.newPackages.map(name => `${sign} ${visible(`${name} ${from?.[name]}`, 200)}`);
    const changed = [...versions(review.before?.packages, '-'), ...versions(review.packages, '+')];
    const roots = review.newRoots.map(root => `+ ${rootText(root)}`);
    const versionsText = verbatim('It would run different versions than you allowed on {0}:', when);
    return [versionsText, ...changed, ...roots].join('\n');
  }
  if (fingerprint === review.fingerprint) {
    const uncovered = sameButReadOtherwise(before, now).map(field => `± ${shortLine(field)}`);
    return [verbatim('Not shown in full when you allowed it on {0}:', when), ...uncovered].join('\n');
  }
  const { removed, added } = launchChanges(before, now);
  const unseen = changedUnseen(before, now);
  const same = new Set([...unseen].map(fieldLine));
  const changes = [
    ...removed.filter(field => !same.has(fieldLine(field))).map(field => `− ${shortLine(field)}`),
    ...added.map(field =>
      unseen.has(field) ? verbatim('± {0} (another value)', shortLine(field)) : `+ ${shortLine(field)}`,
    ),
  ];
  const title = verbatim('Changed since you allowed it on {0}:', when);
  return [title, ...(changes.length > 0 ? changes : [t('the order of its values')])].join('\n');
}

/** A long value may be cut here, because the command line below has it in full. */
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
    sandbox: t('Sandbox'),
    build: t('Build'),
    debug: t('Debugger'),
  }[kind];
  return `${label}: ${name ? `${visible(name, 500)} = ` : ''}${text}`;
}

/** @param commands ids of the inputs whose value a command of the editor gives. */
function valuesOf(
  fields: readonly LaunchField[],
  kind: LaunchField['kind'],
  title: string,
  commands: ReadonlySet<string> = new Set(),
): string[] {
  const values = fields
    .filter(field => field.kind === kind)
    .flatMap(field => {
      const { name = '', text } = field;
      const shownName = quoted(exact(name));
      // The description of an input already shows where its values begin and end.
      const line =
        kind === 'input' && !commands.has(name)
          ? verbatim('You are asked for: {0}', shownName + text.replace(/^(prompt|pick)String/, ''))
          : `${shownName} = ${kind === 'input' ? text : quoted(text)}`;
      return [`  ${line}`, ...warningOf(field, commands.has(name))];
    });
  return values.length > 0 ? [title, ...values] : [];
}

function warningOf({ kind, name = '', text, mayRun }: LaunchField, isCommand: boolean): string[] {
  if (kind === 'input') return isCommand ? [`    ⚠ ${t('This editor command is run to get its value.')}`] : [];
  const givenUp = kind === 'oauth' ? givenUpBy(name) : undefined;
  if (givenUp) return [`    ⚠ ${localized(givenUp)}`];
  if (mayRun)
    return [
      `    ⚠ ${t('What is hidden here could be run as a command. Read it where it is set before you allow it.')}`,
    ];
  const power = kind === 'env' && text !== REMOVED ? powerOf(name) : undefined;
  return power ? [`    ⚠ ${powerText(power)}`] : [];
}

/** Warnings about variables that an argument sets for another program: `env NAME=value program`, `docker run -e NAME=value`. */
function warningsOf(args: readonly string[]): string[] {
  const names = args.flatMap((_, index) => argumentPairs(args, index).map(({ name }) => name));
  return [...new Set(names)].flatMap(name => {
    // Lower-case options are seldom variables.
    const power = /^[A-Z_\d]+$|^npm_config_/.test(name) ? powerOf(name) : undefined;
    return power ? [`  ⚠ ${exact(name)}: ${powerText(power)}`] : [];
  });
}

function riskText(risk: CommandRisk): string {
  return {
    elevates: t('It asks for more rights than the editor has.'),
    deletes: t('It deletes files.'),
    fetches: t('It runs what it has just downloaded.'),
    script: t('It runs the commands in one of its arguments.'),
    system: t('It uses files or devices of the operating system.'),
  }[risk];
}

function powerText(power: VariablePower): string {
  return {
    code: t('It can make programs load and run other code.'),
    programs: t('It can change which programs are run.'),
    packages: t('It can change which packages are downloaded and run, and from where.'),
    settings: t('It can make programs read other configuration, which can name programs to run.'),
    network: t('It can send traffic elsewhere or make it readable to others.'),
  }[power];
}

const lines = (...all: (string | false)[]) => all.filter(line => line !== false).join('\n');
