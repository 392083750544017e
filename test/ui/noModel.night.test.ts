import { answerNotification } from '../drivers/notifications';
import { openWorkbench, type Workbench } from '../drivers/workbench';

describe('chat without a language model', () => {
  let w: Workbench;
  before(async () => {
    w = await openWorkbench({ noModel: true });
  });
  after(() => w?.close());

  it('is offered one when @mcp is asked', async () => {
    await w.wb.command('MCP Host: Ask @mcp in Chat');
    await w.wb.notification('Chat has no language model yet');
    await w.picture('no-model-notice');
    await answerNotification(w, 'Chat has no language model yet', 'Add a Language Model…');
    await w.page.getByRole('button', { name: 'Add Models' }).waitFor();
    await w.picture('no-model-added');
  });
});
