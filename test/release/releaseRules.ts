// What must hold for a release: the version, the change log, what a VSIX holds.
import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import type { BuildOptions } from 'esbuild';
import { inRepository, root } from '../setup/paths';
import { zipEntries } from '../setup/zip';

export interface Release {
  name: string;
  version: string;
  license: string;
  /** The address of the repository: what needs one takes it from here. A test compares docs/oauth-client.json with it. */
  repository: { url: string };
  /** Where authorization servers read who the editor is: `client_id` of docs/oauth-client.json, which the build takes. */
  oauthClient: string;
}

/** @returns what `package.json` says. */
export function readRelease(folder = root): Release {
  const read = (file: string) =>
    JSON.parse(fs.readFileSync(path.join(folder, file), 'utf8')) as Record<string, unknown>;
  return { ...read('package.json'), oauthClient: read('docs/oauth-client.json').client_id } as unknown as Release;
}

/** As the editor wants it: versions are numbers only, and an odd minor one is a pre-release. */
export const isPreRelease = (version: string) => Number(version.split('.')[1]) % 2 === 1;

/** The heading of a version that was published, or will be. */
const HEADING = /^## \[(\d+\.\d+\.\d+)\] - \d{4}-\d\d-\d\d$/;

/** The part of a change log about `version` (or `Unreleased`), without its heading, or undefined where there is none. */
export function notesOf(changelog: string, version: string): string | undefined {
  const sections = changelog.split(/^## /m).slice(1);
  const section = sections.find(text => text.startsWith(`[${version}]`));
  return section?.slice(section.indexOf('\n')).trim();
}

/**
 * Why `tag` can't be published.
 * @param source `owner/name` of the repository that is built, where that is known.
 */
export function obstacles(
  tag: string,
  { version, repository, oauthClient }: Pick<Release, 'version' | 'repository' | 'oauthClient'>,
  changelog: string,
  source?: string,
): string[] {
  const [, owner, name] = /^https:\/\/github\.com\/([^/]+)\/([^/]+?)(?:\.git)?$/.exec(repository.url) ?? [];
  const found: [boolean, string][] = [
    [tag === `v${version}`, `the tag is ${tag}, and the version in package.json ${version}`],
    [/^\d+\.\d+\.\d+$/.test(version), `${version} is no version for the Marketplace: it takes three numbers`],
    [
      changelog.split('\n').some(line => HEADING.exec(line)?.[1] === version),
      `CHANGELOG.md has no heading "## [${version}] - <date>"`,
    ],
    [Boolean(notesOf(changelog, version)), `CHANGELOG.md says nothing about ${version}`],
    // No account on GitHub can have such a name.
    [!owner?.startsWith('-'), 'package.json: "repository" is still the placeholder'],
    [
      /^https:\/\/[^/]+\/.+/.test(oauthClient) && !oauthClient.includes('--'),
      'docs/oauth-client.json: "client_id" is still the placeholder, so that nobody could sign in where clients are known by it',
    ],
    [!source || source === `${owner}/${name}`, `package.json: "repository" is ${repository.url}, this is ${source}`],
  ];
  return found.filter(([holds]) => !holds).map(([, why]) => why);
}

const KB = 1024;
const SECRETS = [
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[\sA-Za-z0-9+/=\\]{50,}/,
  /\b(gh[pousr]_[A-Za-z0-9]{36}|github_pat_\w{60,}|npm_[A-Za-z0-9]{36}|AKIA[0-9A-Z]{16}|xox[abprs]-[\w-]{20,})\b/,
];

/** What vsce calls some files in the package. */
const RENAMED: Record<string, string> = {
  'README.md': 'readme.md',
  'CHANGELOG.md': 'changelog.md',
  LICENSE: 'LICENSE.txt',
};

/** The name of a file of the extension in `expectedContents`: that of a chunk changes with what is in it. */
const listedName = (file: string) => file.replace(/^dist\/chunk-\w+\.js$/, 'dist/chunk-*.js');

const SHIPPED = ['media', 'l10n', 'package.json', 'package.nls*.json', 'README.md', 'CHANGELOG.md', 'LICENSE'];

/** Every file of the extension: what git knows of these, and what the build makes. */
function expectedContents(): string[] {
  const tracked = execFileSync('git', ['ls-files', ...SHIPPED], { cwd: root, encoding: 'utf8' })
    .trim()
    .split('\n');
  const { programs } = require(inRepository('esbuild.js')) as { programs(production: boolean): BuildOptions[] };
  const names = programs(true).flatMap(({ entryPoints }) => (entryPoints as { out: string }[]).map(({ out }) => out));
  const built = [...names, 'chunk-*'].map(name => `dist/${name === 'quickjs' ? 'quickjs.br' : `${name}.js`}`);
  return [...tracked, 'ThirdPartyNotices.txt', ...built];
}

/** What is wrong with a VSIX: files that are missing or too many, its size, secrets, traces of the machine that made it. */
export function problemsOfVsix(zip: Buffer, expected = expectedContents()): string[] {
  const files = zipEntries(zip).filter(({ name }) => !['extension.vsixmanifest', '[Content_Types].xml'].includes(name));
  const names = [...new Set(files.map(({ name }) => listedName(name.replace('extension/', ''))))];
  const wanted = expected.map(name => RENAMED[name] ?? name);
  const problems = [
    ...wanted.filter(name => !names.includes(name)).map(name => `${name} is missing`),
    ...names.filter(name => !wanted.includes(name)).map(name => `${name} is neither in git nor built`),
  ];
  if (zip.length > 2300 * KB) problems.push(`it has ${Math.ceil(zip.length / KB)} KB: at most 2,300 are allowed`);
  const traces = [root, os.homedir()].map(folder => folder + path.sep);
  for (const { name, content } of files) {
    const text = content().toString('latin1');
    if (SECRETS.some(secret => secret.test(text)))
      problems.push(`${name} has something in it that looks like a secret`);
    for (const trace of traces)
      if (text.includes(Buffer.from(trace).toString('latin1')))
        problems.push(`${name} names a folder of this machine: ${trace}`);
  }
  return problems;
}
