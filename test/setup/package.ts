// npm run package: the VSIX, in the repository.
import { inRepository } from './paths';
import { endWithStarter } from './processes';
import { readRelease } from './releaseRules';
import { packageVsix } from './vsix';

async function main(): Promise<void> {
  const { name, version } = readRelease();
  console.log(await packageVsix(inRepository(`${name}-${version}.vsix`)));
}

endWithStarter();
main().catch(error => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
