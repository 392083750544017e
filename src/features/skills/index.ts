export { servesSkills } from './core/servesSkills';
export type { Skill } from './core/skill';
export type { OfferedSkill, SkillCaller } from './core/skillLists';
export type { SkillFile } from './core/skillRequests';
export type { Skills } from './skills';
