// What an organization's rules would refuse, for administrators and their CI:
//   node mcppolicy.js managed-settings.json settings.json …
// Exit code 0: everything may start; 1: something is refused, or the rules are not valid; 2: the arguments are wrong.
import { messageOf } from '../base/errors';
import { readBounded } from '../base/files';
import { english } from '../base/phrase';
import { parseManagedFile } from '../features/organization/core/managedFile';
import { refusalOf } from '../features/organization/core/organizationRules';
import { verdictOf } from '../features/organization/core/rulesText';
import { settlePaths } from '../host/definition';
import { definitionsIn } from './settingsFile';

const USAGE = `usage: node mcppolicy.js managed-settings.json settings.json …

  Says what the rules of an organization refuse of the servers in settings files: those in "mcpHost.servers", or in the
  "servers" or "mcpServers" of another host's file.
`;
const MAX_BYTES = 1024 * 1024;

async function main([file, ...settings]: readonly string[]): Promise<number> {
  if (file === undefined || settings.length === 0 || file.startsWith('-')) {
    process.stderr.write(USAGE);
    return 2;
  }
  const parsed = parseManagedFile(await readBounded(file, MAX_BYTES), file, 'own');
  if ('values' in parsed)
    process.stdout.write(`${file} is not accepted, so it refuses every server: ${english(parsed)}\n`);
  const rules = { files: [{ kind: 'own', path: file, settings: parsed }], access: 'all' } as const;
  let isRefused = 'values' in parsed;
  for (const path of settings) {
    for (const { name, entry, inputs, place } of await definitionsIn(path)) {
      const launch = entry && { name, inputs, entry: settlePaths(entry, place) };
      const verdict = launch ? verdictOf(rules, launch) : undefined;
      isRefused ||= launch !== undefined && refusalOf(rules, launch, !inputs) !== undefined;
      process.stdout.write(`${path}: ${verdict ? english(verdict) : `${name}: its entry is not valid`}\n`);
    }
  }
  return isRefused ? 1 : 0;
}

main(process.argv.slice(2)).then(
  code => {
    process.exitCode = code;
  },
  error => {
    process.stderr.write(`${messageOf(error)}\n\n${USAGE}`);
    process.exitCode = 2;
  },
);
