export type { Skill } from './core/skill';
export type { OfferedSkill, SkillCaller, SkillFile } from './core/skillLists';
export type { Skills } from './skills';
