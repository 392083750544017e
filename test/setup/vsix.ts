// The packaged product, as a person installs it.
import * as fs from 'node:fs';
import * as path from 'node:path';
import { inRepository } from './paths';
import { run } from './processes';

/**
 * The VSIX of this build: `TEST_VSIX` when the caller made it already, else packaged now into artifacts/.
 * @throws Error with the output of vsce.
 */
export async function productVsix(): Promise<string> {
  const given = process.env.TEST_VSIX;
  if (given) return given;
  const vsix = inRepository('artifacts', 'mcp-host.vsix');
  fs.mkdirSync(path.dirname(vsix), { recursive: true });
  const vsce = inRepository('node_modules/@vscode/vsce/vsce');
  // As in the script "package" of package.json.
  const options = ['--no-dependencies', '--allow-missing-repository', '--no-rewrite-relative-links'];
  await run(process.execPath, [vsce, 'package', ...options, '--out', vsix], {
    cwd: inRepository(),
    timeoutMs: 120_000,
  });
  return vsix;
}
