import type { AnalyzedStep } from './analyzed-trace.ts'

/** Groups the steps of a trace by name and input. Steps with unknown input are omitted. */
export function groupEqualSteps(steps: readonly AnalyzedStep[], kind: string): AnalyzedStep[][] {
  const groups = new Map<string, AnalyzedStep[]>()
  for (const step of steps) {
    if (step.kind !== kind || step.inputHash === null) continue
    const key = `${step.inputHash}\n${step.name}`
    const group = groups.get(key)
    if (group) group.push(step)
    else groups.set(key, [step])
  }
  return [...groups.values()]
}

/** Groups of equal model calls that succeeded. A call after a failed one is a retry and not a repetition. */
export function repeatedModelCalls(steps: readonly AnalyzedStep[]): AnalyzedStep[][] {
  return groupEqualSteps(steps, 'llm').map((calls) => calls.filter(({ isError }) => !isError))
}
