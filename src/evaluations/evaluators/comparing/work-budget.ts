/** Thrown when a comparison takes more work than the event loop can be kept from. */
export class TooMuchWork extends Error {}

/** Counts work instead of time, so that a case gets the same verdict on every machine. */
export type WorkBudget = { spend(steps: number): void }

export function workBudget(stepsMax: number): WorkBudget {
  let left = stepsMax
  return {
    spend(steps) {
      left -= steps
      if (left < 0) throw new TooMuchWork(`more than ${stepsMax} steps`)
    },
  }
}
