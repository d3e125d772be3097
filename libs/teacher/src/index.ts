export { policyCandidate, teacherCandidates, type TeacherCandidate } from './candidates';
export { CannotScoreError, VocabularyMismatchError } from './errors';
export { findTeacher, isUnsuited, type FoundTeacher, type TeacherSeat } from './find-teacher';
