import assert from 'node:assert/strict';
import { stem, stemsOf } from '../../../../../src/features/chat/core/relevance';

describe('stemsOf', () => {
  it('splits compound names', () => {
    assert.deepEqual(stemsOf('readFile read_file read-file HTTPServer getURL'), [
      'read',
      'fil',
      'read',
      'fil',
      'read',
      'fil',
      'http',
      'server',
      'get',
      'url',
    ]);
  });

  it('removes endings, so that the forms of a word match', () => {
    for (const forms of [
      'deploy deploys deployed deploying deployment deployments',
      'create creates created creating creation',
      'branch branches branching',
      'query queries querying queried',
      'commit commits committed committing',
      'issue issues',
      'repository repositories',
    ]) {
      const stems = new Set(forms.split(' ').map(stem));
      assert.equal(stems.size, 1, `${forms}: ${[...stems]}`);
    }
    assert.deepEqual(['status', 'class', 'news', 'is', 'a', ''].map(stem), ['status', 'class', 'new', 'is', 'a', '']);
  });
});
