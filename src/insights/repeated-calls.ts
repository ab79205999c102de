import type { AnalyzedStep } from './analyzed-trace.ts'

/**
 * Steps of a trace that were asked the same, by what they have in common: kind, name and input. Those of which nobody knows what they
 * were asked are equal to nothing.
 */
export function equalSteps(steps: readonly AnalyzedStep[], kind: string): AnalyzedStep[][] {
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

/** Model calls that succeeded and were made again all the same. A call after a failed one is a retry, and has its reason. */
export function repeatedModelCalls(steps: readonly AnalyzedStep[]): AnalyzedStep[][] {
  return equalSteps(steps, 'llm').map((calls) => calls.filter(({ isError }) => !isError))
}
