export { exponential, nextArrival, type ArrivalRate } from './arrivals';
export { simulateDay, type DayPlan, type DayReport } from './day';
export { dayProfile } from './day-profile';
