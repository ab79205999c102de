/** Compares the processor time of the thread with that of a fixed amount of work, because neither a slow nor a busy machine must fail a test. */
const LIST = JSON.stringify(Array.from({ length: 1_000 }, (_, id) => ({ id, name: `name ${id}`, tags: ['a', 'b'] })))

/** What the work below needs on a machine of 2024. */
export const REFERENCE_MS = 30

function referenceWork(): void {
  for (let times = 0; times < 36; times += 1) JSON.stringify(JSON.parse(LIST))
}

export function cpuMs(since?: NodeJS.CpuUsage): number {
  const { user, system } = process.threadCpuUsage(since)
  return (user + system) / 1_000
}

export function referenceMs(): number {
  const before = process.threadCpuUsage()
  referenceWork()
  return cpuMs(before)
}

export const median = (values: readonly number[]) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

/** Milliseconds of the work on a machine of 2024: the least of three times. */
export function neededMs(work: () => unknown): number {
  const references = [referenceMs(), referenceMs(), referenceMs()]
  let least = Number.POSITIVE_INFINITY
  for (let attempt = 0; attempt < 3; attempt += 1) {
    const before = process.threadCpuUsage()
    work()
    least = Math.min(least, cpuMs(before))
    references.push(referenceMs())
  }
  return (least / median(references)) * REFERENCE_MS
}
