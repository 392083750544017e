// A window of the editor, without one, whose chats may use its servers: a process of its own, beside that of an agent host.
//   node chatWindow.js <home> <servers as JSON>
import { TestChats } from '../unit/features/nativeChat/core/testChats';

const [home = '', servers = '{}'] = process.argv.slice(2);
const window = new TestChats(home, 'w1');
window.admit = async () => 'denied';
process.on('SIGTERM', () => void window.close().then(() => process.exit(0)));
void window.begin(JSON.parse(servers)).then(() => console.log('ready'));
