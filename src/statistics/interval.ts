/** A confidence interval, both ends included. */
export type Interval = readonly [low: number, high: number]
