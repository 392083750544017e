// npm run package: the VSIX, in the repository.
import { inRepository } from '../setup/paths';
import { endWithStarter } from '../setup/processes';
import { packageVsix } from '../setup/vsix';
import { readRelease } from './releaseRules';

async function main(): Promise<void> {
  const { name, version } = readRelease();
  console.log(await packageVsix(inRepository(`${name}-${version}.vsix`)));
}

endWithStarter();
main().catch(error => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
