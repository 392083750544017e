import assert from 'node:assert/strict';
import {
  isCommonValue,
  isRandom,
  isSecretName,
  isTokenShaped,
  knownTokens,
  withoutKnownTokens,
} from '../../../../src/base/secretWords';
import { maskedEntry, type ReportSurroundings, scrubber } from '../../../../src/features/health/core/diagnosticsReport';
import { exportText } from '../../../../src/features/setup/core/exportText';
import { secretsToInputs } from '../../../../src/features/setup/core/missingValues';
import { secretsOfEntry, secretsOfEnvValues, secretsOfVariables } from '../../../../src/host/secrets/entrySecrets';
import type { ServerEntry } from '../../../../src/host/settings';
import { argumentPairs, findPlainSecrets, secretParts } from '../../../../src/host/settings/plainSecrets';

/** Repeated, each is the worst for some pattern: what takes time by the square of the length takes hours. */
const SEEDS = [
  ...[
    '?',
    '&',
    '?a',
    '&a=',
    '=',
    'a=',
    ' a=',
    ';',
    'a;',
    ';a=',
    ' ',
    ' x',
    '\n',
    'a',
    'A',
    '1',
    'Aa1',
    '-',
    'a-',
    '_',
    '.',
  ],
  ...[
    '-eyJ',
    'eyJaaaaaaaaa.',
    '-eyJaaaaaaaaa',
    'SG.',
    '-SG.aaaaaaaaaaaaaaaaa',
    'sk-',
    '-ghp_',
    'xoxb-',
    '.eyJ',
    'ya29.',
  ],
  ...[
    'a://',
    'a://u',
    'a://u:',
    'a://u:p',
    'a://?x=',
    'a://?x=a://',
    '://',
    '://a/',
    'a.a-a+',
    'a://${',
    '${',
    '${a}',
    '$',
  ],
  ...[
    '/',
    './a/',
    'C:\\',
    '@',
    ':',
    'a:',
    'Bearer ',
    '"',
    "'",
    '%',
    '#',
    'https://hooks.slack.com/services/',
    '--a',
    '`',
  ],
];
const [LENGTH, IN_ENTRIES] = [1_000_000, 60_000];
const server = (entry: object) => ({ name: 'a', path: ['a'], entry: entry as ServerEntry, raw: entry, problems: [] });
const stdio = (more: object) => ({ type: 'stdio', command: 'x', args: [], env: {}, ...more });
const draft = (entry: object) => ({ name: 'a', entry: entry as never, inputs: [], values: new Map(), notes: [] });

describe('a long text from a workspace or server', () => {
  for (const seed of SEEDS) {
    it(`is searched in linear time: ${JSON.stringify(seed)} repeated`, function () {
      this.timeout(120_000);
      const long = seed.repeat(LENGTH / seed.length);
      for (const look of [isSecretName, isCommonValue, isRandom, isTokenShaped, knownTokens, secretParts]) look(long);
      withoutKnownTokens(long, '•••');
      argumentPairs([long, `-${long}`, `--x=${long}`], 1);
      findPlainSecrets(server(stdio({ args: [`x://${long}`] })));
      const text = seed.repeat(IN_ENTRIES / seed.length);
      const entries = [
        stdio({ args: [text, '-e', text, `--a=${text}`, `-ea=${text}`, `x://${text}`, '--token', text] }),
        stdio({ env: { A: text, TOKEN: `Bearer ${text}`, [text]: text, URL: `https://${text}` } }),
        { type: 'http', url: `https://x/?${text}`, headers: { Authorization: text, [text]: 'a' } },
      ] as unknown as ServerEntry[];
      secretsOfVariables({ A: text, TOKEN: `Basic ${text}` });
      secretsOfEnvValues([{ name: 'A', value: text, path: ['env', 'A'] }] as never);
      for (const entry of entries) {
        secretsOfEntry(entry);
        for (const byName of [true, false]) findPlainSecrets(server(entry), { byName });
        maskedEntry(entry);
        const definition = { entry } as never;
        const surroundings = {
          homeFolder: '/home/me',
          workspaceFolders: [`/w/${text}`],
        } satisfies Partial<ReportSurroundings>;
        scrubber({ definition, redact: all => all }, surroundings)(text);
      }
    });
  }

  it('becomes an input, however much of it looks like a secret @longTexts.becomes-input-however', function () {
    this.timeout(120_000);
    const many = Array.from({ length: 2_000 }, (_, n) => `token${n}=sommer${n}2024`).join('&');
    const entry = { command: 'x', args: [`https://x.example/?${many}`], env: { A: 'x'.repeat(LENGTH) } };
    const text = exportText([{ name: 'a', entry, inputs: [] }]);
    assert.ok(!text.includes('sommer') && text.length < 2_000);
    const safe = secretsToInputs(draft(entry), { byName: true });
    assert.ok(!JSON.stringify([safe.entry, safe.inputs]).includes('sommer'));
  });

  it('in settings can be redacted from a report @longTexts.settings-redacted-report', () => {
    const value = 'Zq'.repeat(20_000);
    const definition = { entry: stdio({ env: { A: value } }) } as never;
    const scrub = scrubber({ definition, redact: all => all }, { homeFolder: '/home/me', workspaceFolders: [] });
    assert.equal(scrub(`a ${value.toUpperCase()} b`), 'a ••• b');
  });
});
