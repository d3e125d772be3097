import type { Settings } from '@app/config';

/** An engine that may be the teacher. */
export interface TeacherCandidate {
  /** As an operator calls it. */
  readonly name: string;
  readonly baseUrl: string;
  readonly apiKey: string | null;
  readonly model: string;
}

type Known = 'prm' | 'policy';

const known = (name: Known, { server, opd }: Settings): TeacherCandidate[] => {
  const [baseUrl, model, apiKey] =
    name === 'prm'
      ? [server.judgeBaseUrl, server.judgeModel, server.judgeApiKey]
      : [server.baseUrl, server.policyModel, server.apiKey];
  if (baseUrl === null || model === null) return [];
  return [{ name, baseUrl, model: opd.teacherModel ?? model, apiKey: opd.teacherApiKey ?? apiKey }];
};

/** The policy's own engine, whose vocabulary the teacher must have; null where none is configured. */
export const policyCandidate = (settings: Settings): TeacherCandidate | null => {
  const { baseUrl, policyModel, apiKey } = settings.server;
  return baseUrl === null || policyModel === null ? null : { name: 'policy', baseUrl, model: policyModel, apiKey };
};

/** Engines that may be the teacher, the first that can is taken: `auto` prefers the judge's. */
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
      return [{ name: 'opd.teacher', baseUrl: teacher, apiKey: teacherApiKey, model }];
    }
  }
};
