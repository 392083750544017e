import { formatSize } from '../../base/numberText';
import { type PlainText, rowText, visible } from '../../base/text';
import { t, window } from '../../editor/window';
import type { SkillState } from './core/skillApprovals';
import type { OfferedSkill } from './core/skillLists';

/** Lets the person search among skills by name, server, URI and description. */
export async function chooseSkill(
  skills: readonly OfferedSkill[],
  placeHolder: PlainText,
): Promise<OfferedSkill | undefined> {
  if (skills.length === 0) {
    void window.showInformationMessage(t('No MCP server offers such a skill.'));
    return undefined;
  }
  const rows = skills.map(one => ({
    label: rowText(one.skill.name),
    description: rowText(`${one.server.name} · ${visible(one.skill.uri, 150)}`),
    detail: rowText(one.skill.description),
    one,
  }));
  return (await window.showQuickPick(rows, { placeHolder, matchOnDescription: true, matchOnDetail: true }))?.one;
}

/**
 * Asks whether a skill may be used, without fetching it: the approval is for the entry, and each file is verified against it
 * when it is read.
 * @param namesakes approved skills of the same name.
 */
export async function askForApproval(
  { server, skill }: OfferedSkill,
  state: SkillState,
  namesakes: readonly OfferedSkill[],
): Promise<'approve' | 'open' | undefined> {
  const { name, description, uri, files, size, frontmatter } = skill;
  const question =
    state === 'changed'
      ? t('Approve the skill {0} of MCP server "{1}" as it is now?', name, server.name)
      : t('Approve the skill {0} of MCP server "{1}"?', name, server.name);
  const detail = [
    visible(description, 1_024),
    visible(uri, 300),
    t(
      'A skill is text from the server that tells the model in @mcp how to do something. It runs nothing and permits nothing: tool calls still need your approval.',
    ),
    t(
      'Your approval is for these {0} files ({1}) and no others: when one changes, you are asked again.',
      files.length,
      formatSize(size),
    ),
    'allowed-tools' in frontmatter && t('It asks for tools to be allowed ("allowed-tools"). That is ignored.'),
    ...namesakes.map(one =>
      t(
        'You have already approved a skill with the same name, from {0}: {1}.',
        one.server.name,
        visible(one.skill.uri, 150),
      ),
    ),
  ];
  const [approve, open] = [t('Approve'), state === 'changed' ? t('Show Changes') : t('Read It First')];
  const answer = await window.showWarningMessage(
    question,
    { modal: true, detail: detail.filter(Boolean).join('\n\n') },
    // The first has the focus.
    open,
    approve,
  );
  return answer === approve ? 'approve' : answer === open ? 'open' : undefined;
}
