import { MORE } from '../../../bench/lint/servers';
import { PACKAGED } from '../../../bench/npm/servers';
import { comparedWithNpx } from './npxComparison';

describe('other servers of products, with npx and without', () =>
  comparedWithNpx([
    ...PACKAGED.slice(17),
    // Its dependencies take longer to install than those of ten others.
    ...MORE.filter(({ name }) => name !== 'mongodb-mcp-server'),
  ]));
