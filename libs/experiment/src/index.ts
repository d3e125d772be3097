export { svgChart, textChart, type Series } from './chart';
export { drawErrand, ROLES, type Errand, type Role } from './errand';
export { drawExam, gradeExam, type Score } from './exam';
export { Session } from './session';
