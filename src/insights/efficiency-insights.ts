/** The types of insights about what could be faster or cheaper: repeated calls, wasted tokens, expensive steps, slow traces. */
import { quartiles } from '../statistics/quantiles.ts'
import { createAffected, createTally, dollarsOf, dollarUnits } from './bounded-tally.ts'
import type { AnalyzedStep, Finder } from './insight.ts'
import { formatCount, formatDollars, formatDuration, formatPercent, formatShare, truncateName } from './insight-text.ts'
import { INSIGHT_LIMITS, INSIGHT_THRESHOLDS } from './insight-thresholds.ts'

/** Finds tools that are called repeatedly with equal arguments in one trace. Frequency: the share of traces. */
export function findToolLoops(): Finder {
  const { equalCallsAtLeast } = INSIGHT_THRESHOLDS.tool_loop
  const tools = createTally(INSIGHT_LIMITS.names, () => ({ loops: 0, longest: 0, affected: createAffected() }))
  return {
    add({ id, steps }) {
      for (const calls of groupEqualSteps(steps, 'tool')) {
        const [first] = calls
        const tool = first && calls.length >= equalCallsAtLeast ? tools.of(first.name) : undefined
        if (!tool) continue
        tool.loops += 1
        tool.longest = Math.max(tool.longest, calls.length)
        tool.affected.add(id)
      }
    },
    finish(traces) {
      return tools.entries().map(([name, { loops, longest, affected }]) => ({
        title: `${truncateName(name)} was called at least ${equalCallsAtLeast} times with equal arguments in ${formatShare(affected.count(), traces, 'trace')}`,
        description: `Within one trace the same call of ${truncateName(name)} was repeated up to ${longest} times with unchanged arguments.`,
        frequency: affected.count() / traces,
        affected,
        details: { tool: name, loops, longestLoop: longest },
        suggestedFix: `Remember the result of ${truncateName(name)} for the rest of the trace and answer an equal call from it, with a note to the model that it has asked this before; and end the loop after a fixed number of steps.`,
      }))
    },
  }
}

/**
 * Finds model calls that are repeated in the same trace although the first one succeeded. Frequency: the share of
 * traces.
 */
export function findRedundantCalls(): Finder {
  const { equalCallsAtLeast } = INSIGHT_THRESHOLDS.redundant_call
  const steps = createTally(INSIGHT_LIMITS.names, () => ({ repeats: 0, tokens: 0, affected: createAffected() }))
  return {
    add(trace) {
      for (const [first, ...repeats] of repeatedModelCalls(trace.steps)) {
        const step = first && repeats.length + 1 >= equalCallsAtLeast ? steps.of(first.name) : undefined
        if (!step) continue
        step.repeats += repeats.length
        step.tokens += repeats.reduce((sum, { tokens }) => sum + tokens, 0)
        step.affected.add(trace.id)
      }
    },
    finish(traces) {
      return steps.entries().map(([name, { repeats, tokens, affected }]) => ({
        title: `${truncateName(name)} was repeated with the same input in ${formatShare(affected.count(), traces, 'trace')}`,
        description: `The model call ${truncateName(name)} was repeated ${formatCount(repeats, 'time')} with the same model, settings and messages although it had succeeded, which used ${formatCount(tokens, 'token')}.`,
        frequency: affected.count() / traces,
        affected,
        details: { step: name, repeats, tokens },
        suggestedFix: `Reuse the output of ${truncateName(name)} within the trace, or cache it by request. If several samples are needed, request them in one call.`,
      }))
    },
  }
}

/** Finds tokens that were spent on failed and on repeated calls. Frequency: the share of tokens. */
export function findTokenWaste(): Finder {
  const { wastedShareAtLeast } = INSIGHT_THRESHOLDS.token_waste
  const affected = createAffected()
  let failed = 0
  let repeated = 0
  let all = 0
  return {
    add({ id, steps }) {
      let failedHere = 0
      for (const { kind, isError, tokens } of steps) {
        all += tokens
        if (isError && kind === 'llm') failedHere += tokens
      }
      let repeatedHere = 0
      for (const [, ...repeats] of repeatedModelCalls(steps)) for (const { tokens } of repeats) repeatedHere += tokens
      if (failedHere + repeatedHere > 0) affected.add(id)
      failed += failedHere
      repeated += repeatedHere
    },
    finish(traces) {
      const wasted = failed + repeated
      if (wasted === 0 || wasted / all < wastedShareAtLeast) return []
      return [
        {
          title: `${formatShare(wasted, all, 'token')} were wasted`,
          description: `${formatCount(failed, 'token')} went into model calls that failed and ${formatCount(repeated, 'token')} into repeated calls that had already succeeded, in ${formatShare(affected.count(), traces, 'trace')}.`,
          frequency: wasted / all,
          affected,
          details: { failedTokens: failed, repeatedTokens: repeated, wastedTokens: wasted, totalTokens: all },
          suggestedFix:
            failed >= repeated
              ? `Most of it (${formatPercent(failed / wasted)}) is in failed calls: check what is sent before sending it (length, schema, credentials), and retry with a pause and a limit instead of at once.`
              : `Most of it (${formatPercent(repeated / wasted)}) is in repeated calls: reuse outputs within a trace.`,
        },
      ]
    },
  }
}

/**
 * Finds steps that cause most of the cost. Frequency: the share of traces in which the step causes that share of the
 * cost.
 */
export function findCostHotspots(): Finder {
  const { costShareAtLeast, costingStepsAtLeast } = INSIGHT_THRESHOLDS.cost_hotspot
  const steps = createTally(INSIGHT_LIMITS.names, () => ({ units: 0, affected: createAffected() }))
  let totalUnits = 0
  return {
    add(trace) {
      const unitsByStep = new Map<string, number>()
      let traceUnits = 0
      for (const { kind, name, costUsd } of trace.steps) {
        const units = dollarUnits(costUsd)
        if (units === 0) continue
        const key = `${kind}\n${name}`
        unitsByStep.set(key, (unitsByStep.get(key) ?? 0) + units)
        traceUnits += units
      }
      totalUnits += traceUnits
      for (const [key, units] of unitsByStep) {
        const step = steps.of(key)
        if (!step) continue
        step.units += units
        if (units / traceUnits >= costShareAtLeast) step.affected.add(trace.id)
      }
    },
    finish(traces) {
      const costing = steps.entries()
      if (costing.length < costingStepsAtLeast) return []
      return costing.flatMap(([key, { units, affected }]) => {
        const share = units / totalUnits
        if (share < costShareAtLeast) return []
        const [kind = '', name = ''] = key.split('\n', 2)
        const costUsd = dollarsOf(units)
        const totalCostUsd = dollarsOf(totalUnits)
        return {
          title: `${truncateName(name)} is ${formatPercent(share)} of the cost`,
          description: `The ${kind} step ${truncateName(name)} cost ${formatDollars(costUsd)} of ${formatDollars(totalCostUsd)} in all traces, and at least ${formatPercent(costShareAtLeast)} of the cost in ${formatShare(affected.count(), traces, 'trace')}.`,
          frequency: affected.count() / traces,
          affected,
          details: { step: name, kind, costUsd, totalCostUsd, costShare: share },
          suggestedFix: `Optimize ${truncateName(name)} first: use a smaller model, a shorter prompt, or the provider's prompt cache for the constant part.`,
        }
      })
    },
  }
}

type TimedTrace = { id: string; durationMs: number }

/** Finds traces that are much slower than most. Frequency: the share of traces that have ended. */
export function findLatencyOutliers(): Finder {
  const { quartileDistances, tracesAtLeast } = INSIGHT_THRESHOLDS.latency_outlier
  // An array of doubles needs eight bytes per entry, like a typed array, and grows by itself.
  const durations: number[] = []
  const slowest = createSlowest()
  return {
    add({ id, durationMs }) {
      if (durationMs === null) return
      durations.push(durationMs)
      slowest.add({ id, durationMs })
    },
    finish() {
      const count = durations.length
      const middle = count < tracesAtLeast ? undefined : quartiles(durations)
      if (middle === undefined) return []
      const { q1, median, q3 } = middle
      const fenceMs = q3 + quartileDistances * (q3 - q1)
      let outliers = 0
      for (const durationMs of durations) if (durationMs > fenceMs) outliers += 1
      if (outliers === 0) return []
      const listed = slowest.list().filter(({ durationMs }) => durationMs > fenceMs)
      const slowestMs = listed[0]?.durationMs ?? fenceMs
      return [
        {
          title: `${formatShare(outliers, count, 'trace')} took longer than ${formatDuration(fenceMs)}`,
          description: `Half of the traces take ${formatDuration(median)} or less and three quarters ${formatDuration(q3)} or less; these exceed the third quartile by more than ${quartileDistances} times the interquartile range. The slowest took ${formatDuration(slowestMs)}.`,
          frequency: outliers / count,
          affected: { add: () => {}, count: () => outliers, ids: () => listed.map(({ id }) => id).sort() },
          details: { q1Ms: q1, medianMs: median, q3Ms: q3, fenceMs, slowestMs },
          suggestedFix:
            'Open the slowest of them and look for the longest step: retries and waiting for a provider need a time limit, steps that do not need each other can run at the same time.',
        },
      ]
    },
  }
}

/** Keeps the slowest traces, up to the limit of ids per insight. Ties are broken by id. */
function createSlowest() {
  const max = INSIGHT_LIMITS.affectedIds
  let kept: TimedTrace[] = []
  let minKeptMs = 0
  const prune = () => {
    kept = kept.sort((a, b) => b.durationMs - a.durationMs || (a.id < b.id ? -1 : 1)).slice(0, max)
    if (kept.length === max) minKeptMs = kept.at(-1)?.durationMs ?? 0
  }
  return {
    add(trace: TimedTrace) {
      if (trace.durationMs < minKeptMs) return
      kept.push(trace)
      if (kept.length >= max * 2) prune()
    },
    list(): TimedTrace[] {
      prune()
      return kept
    },
  }
}

/** Finds tools that are offered to models and never called. Frequency: the share of traces that offer the tool. */
export function findUnusedTools(): Finder {
  const { offeredInAtLeast } = INSIGHT_THRESHOLDS.unused_tool
  // One tally for offers and calls: with two, a call could be dropped while its offer is kept.
  const tools = createTally(INSIGHT_LIMITS.names, () => ({ isCalled: false, affected: createAffected() }))
  const markCalled = (name: string) => {
    const tool = tools.of(name)
    if (tool) tool.isCalled = true
  }
  return {
    add({ id, steps, offeredTools, requestedTools }) {
      for (const name of offeredTools) tools.of(name)?.affected.add(id)
      for (const name of requestedTools) markCalled(name)
      for (const { kind, name } of steps) if (kind === 'tool') markCalled(name)
    },
    finish(traces) {
      return tools.entries().flatMap(([name, { isCalled, affected }]) => {
        const offered = affected.count()
        if (isCalled || offered < offeredInAtLeast) return []
        return {
          title: `${truncateName(name)} was offered in ${formatShare(offered, traces, 'trace')} and never called`,
          description: `The definition of ${truncateName(name)} was sent to the model in ${formatCount(offered, 'trace')}; it was never called. The definition costs input tokens in every call and makes tool selection harder.`,
          frequency: offered / traces,
          affected,
          details: { tool: name, offeredIn: offered },
          suggestedFix: `Remove ${truncateName(name)} from the tool definitions or, if it should have been used, describe in its definition when to call it.`,
        }
      })
    },
  }
}

/** Groups the steps of a trace by name and input. Steps with unknown input are omitted. */
function groupEqualSteps(steps: readonly AnalyzedStep[], kind: string): AnalyzedStep[][] {
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
function repeatedModelCalls(steps: readonly AnalyzedStep[]): AnalyzedStep[][] {
  return groupEqualSteps(steps, 'llm').map((calls) => calls.filter(({ isError }) => !isError))
}
