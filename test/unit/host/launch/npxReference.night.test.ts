// Thirty packages are compared in three files, as one would take too long on a machine that has none of them.
import { PACKAGED } from '../../../bench/npm/servers';
import { comparedWithNpx } from './npxComparison';

describe('reference servers and examples of apps, with npx and without', () => comparedWithNpx(PACKAGED.slice(0, 9)));
