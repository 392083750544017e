import { PACKAGED } from '../../../bench/npm/servers';
import { comparedWithNpx } from './npxComparison';

describe('the first servers of products, with npx and without', () => comparedWithNpx(PACKAGED.slice(9, 17)));
