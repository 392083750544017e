// A window of the editor, without one, that shares its servers: a process of its own, so that tests can kill it.
//   node agentWindow.js <home> <folder> <servers as JSON>
import { TestWindow } from '../unit/features/agents/core/testAgents';

const [home = '', folder = '', servers = '{}'] = process.argv.slice(2);
const window = new TestWindow(home, [folder]);
process.on('SIGTERM', () => void window.close().then(() => process.exit(0)));
void window.share(JSON.parse(servers)).then(() => {
  const pids = Object.fromEntries(Object.keys(JSON.parse(servers)).map(id => [id, window.test.pid(id)]));
  console.log(JSON.stringify({ pids }));
});
