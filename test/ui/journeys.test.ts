// What people come for, each from its beginning to its end. A picture of each step; clicks, questions and pages have a budget.
import * as assert from 'node:assert/strict';
import { openWorkbench, type Workbench } from '../drivers/workbench';
import type { Journey } from './journeys/journey';
import { Person } from './journeys/person';
import { places } from './journeys/places';
import { withServers } from './journeys/servers';
import { withTools } from './journeys/tools';

const journeys: readonly Journey[] = [...withServers, ...withTools];

describe('a person', () => {
  for (const [place, options] of Object.entries(places)) {
    describe(`in a window with ${place}`, () => {
      let w: Workbench;
      before(async () => {
        w = await openWorkbench(options());
      });
      after(() => w?.close());
      afterEach(async () => {
        await w.host.command('workbench.action.closeAllEditors');
        await w.host.command('notifications.clearAll');
        await w.host.command('workbench.action.closeAuxiliaryBar');
        await w.host.command('workbench.actions.treeView.mcpHost.servers.collapseAll');
      });

      for (const { name, budget, before: prepare, go, leftOut } of journeys.filter(one => one.place === place)) {
        it(`gets ${name}`, async function () {
          if (await leftOut?.()) return this.skip();
          const person = await Person.at(w, name);
          await prepare?.(person);
          await go(person);
          const { clicks, questions, pages } = person.cost;
          console.log(`    ${clicks} clicks, ${questions} questions, ${pages} pages, ${person.tookMs / 1_000} s`);
          for (const [kind, most] of Object.entries(budget) as [keyof typeof budget, number][])
            assert.ok(person.cost[kind] <= most, `${kind}: ${person.cost[kind]}, at most ${most}`);
        });
      }
    });
  }
});
