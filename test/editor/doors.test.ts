import * as assert from 'node:assert/strict';
import * as path from 'node:path';
import * as vscode from 'vscode';
import { inRepository } from '../setup/paths';

interface Program {
  readonly program: string;
  /** Below src, without extension. */
  readonly module: string;
  /** It runs when it is loaded. */
  readonly isStarted?: boolean;
}

const dist = path.join(vscode.extensions.getExtension('mcp-host.mcp-host')!.extensionPath, 'dist');
const { shared } = require(inRepository('esbuild.js')) as { shared: readonly Program[] };

describe('each lazily loaded program', () => {
  for (const { program, module } of shared.filter(({ isStarted }) => !isStarted)) {
    it(`${program} exports what its module exports`, () => {
      const [shipped, source] = [path.join(dist, program), inRepository('out', 'src', module)].map(
        file => require(file) as Record<string, unknown>,
      );
      // It may hand out more, to programs that share a module with it.
      const kinds = (of: Record<string, unknown> = {}) =>
        Object.keys(source ?? {}).map(name => `${name}: ${typeof of[name]}`);
      assert.deepEqual(kinds(shipped), kinds(source));
    });
  }
});
