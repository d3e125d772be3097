export { svgChart, textChart, type Series } from './chart';
export { DISTORTIONS, distortBatch, type Distortion, type Signals } from './distortion';
export { drawErrand, ROLES, type Errand, type Role } from './errand';
export { drawExam, gradeExam, type Score } from './exam';
export { compareHealth, type Health } from './health';
export { flipScore, isMisread } from './judge-noise';
export { Session } from './session';
export { meanCurve, spreadOf, type Spread } from './spread';
