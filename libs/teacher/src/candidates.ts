import type { Settings } from '@app/config';
import { planPools } from '@app/pools';

/** A model that may be the teacher. */
export interface TeacherCandidate {
  /** As an operator calls it. */
  readonly name: string;
  /** Of its engines, one at least. */
  readonly urls: readonly string[];
  readonly apiKey: string | null;
  readonly model: string;
}

type Known = 'prm' | 'policy';

const known = (name: Known, settings: Settings): TeacherCandidate[] => {
  const { server, opd } = settings;
  const { judgeUrls, policyUrls } = planPools(settings);
  const [urls, model, apiKey] =
    name === 'prm'
      ? [judgeUrls, server.judgeModel, server.judgeApiKey]
      : [policyUrls, server.policyModel, server.apiKey];
  if (urls.length === 0 || model === null) return [];
  return [{ name, urls, model: opd.teacherModel ?? model, apiKey: opd.teacherApiKey ?? apiKey }];
};

/** The policy's own engines, whose vocabulary the teacher must have; null where none is configured. */
export const policyCandidate = (settings: Settings): TeacherCandidate | null => {
  const { policyModel, apiKey } = settings.server;
  const urls = planPools(settings).policyUrls;
  return urls.length === 0 || policyModel === null ? null : { name: 'policy', urls, model: policyModel, apiKey };
};

/** Models that may be the teacher, the first that can is taken: `auto` prefers the judge's. */
export const teacherCandidates = (settings: Settings): readonly TeacherCandidate[] => {
  const { teacher, teacherModel, teacherApiKey } = settings.opd;
  switch (teacher) {
    case 'auto':
      return [...known('prm', settings), ...known('policy', settings)];
    case 'prm':
    case 'policy':
      return known(teacher, settings);
    default: {
      const model = teacherModel ?? settings.server.policyModel ?? 'teacher';
      return [{ name: 'opd.teacher', urls: [teacher], apiKey: teacherApiKey, model }];
    }
  }
};
