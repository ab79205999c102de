/**
 * How much the heaps of this process may grow, in per cent of what is alive, before they are collected. By measurement, and not needed to
 * work: see decision 22. `touchstone-flags.mjs` sets the usual one at the start.
 */
import { setFlagsFromString } from 'node:v8'

const USUALLY = 100
/** With a second large heap beside the first, what both may grow by is too much. */
const BESIDE_ANOTHER = 60

export function setHeapGrowth(heaps: 'one heap' | 'two heaps'): void {
  setFlagsFromString(`--heap-growing-percent=${heaps === 'one heap' ? USUALLY : BESIDE_ANOTHER}`)
}
