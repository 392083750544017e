// `extensionTestsPath` of the editor layer: what runs inside the extension host, of either kind.
import { runMocha } from './mochaRun';
import { suiteLine } from './report';

/** Called by VS Code. Rejects when a test failed. */
export async function run(): Promise<void> {
  const { TEST_FILES: files = '[]', TEST_REPORT: report = '' } = process.env;
  const print = (line: string) => console.log(suiteLine + line);
  const { failures } = await runMocha({ files: JSON.parse(files) as string[], timeoutMs: 20_000, report, print });
  if (failures > 0) throw new Error(`${failures} of the editor tests failed`);
}
