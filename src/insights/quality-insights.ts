/** The types of insights about what goes wrong: errors, bad ratings, and outputs that are missing, cut off or of another form. */
import { hash } from 'node:crypto'
import { createAffected, createTally, mostFrequent } from './bounded-tally.ts'
import type { Finder } from './insight.ts'
import { formatCount, formatShare, truncateName } from './insight-text.ts'
import { INSIGHT_LIMITS, INSIGHT_THRESHOLDS } from './insight-thresholds.ts'

const STEPS_LISTED_MAX = 5

/** Finds a high share of failed traces. Frequency: the share of traces. */
export function findErrorRate(): Finder {
  const { failedShareAbove } = INSIGHT_THRESHOLDS.error_rate
  const affected = createAffected()
  /** The number of failed traces in which a step of this kind and name failed. */
  const failing = createTally(INSIGHT_LIMITS.names, () => ({ count: 0 }))
  return {
    add({ id, isError, steps }) {
      if (!isError) return
      affected.add(id)
      const failed = steps.filter((step) => step.isError)
      for (const key of new Set(failed.map(({ kind, name }) => `${kind} ${name}`))) {
        const step = failing.of(key)
        if (step) step.count += 1
      }
    },
    finish(traces) {
      const failed = affected.count()
      if (traces === 0 || failed / traces <= failedShareAbove) return []
      const failingSteps = mostFrequent(failing, STEPS_LISTED_MAX).map(({ text, count }) => ({
        step: text,
        failedTraces: count,
      }))
      const [most] = failingSteps
      return [
        {
          title: `${formatShare(failed, traces, 'trace')} failed`,
          description: most
            ? `The step that failed most often in them is ${truncateName(most.step)}: in ${formatShare(most.failedTraces, failed, 'failed trace')}.`
            : 'None of them has a failed step below its root, so the error is in the code around the steps or was not recorded on them.',
          frequency: failed / traces,
          affected,
          details: { failed, traces, failingSteps },
          suggestedFix: most
            ? `Start with ${truncateName(most.step)}: open some of the failed traces at that step, and retry or replace what fails there.`
            : 'Record errors on the spans in which they happen (status and exception), so that the failing step can be seen.',
        },
      ]
    },
  }
}

/** Finds traces with negative ratings. Frequency: the share of rated traces. */
export function findNegativeFeedback(): Finder {
  const { ratings: negativeRatings, ratedSoAtLeast } = INSIGHT_THRESHOLDS.negative_feedback
  const negative = new Set<string>(negativeRatings)
  const affected = createAffected()
  let rated = 0
  let ratingCount = 0
  let negativeCount = 0
  return {
    add({ id, ratings }) {
      if (ratings.length === 0) return
      rated += 1
      ratingCount += ratings.length
      const negativeInTrace = ratings.filter((rating) => negative.has(rating)).length
      negativeCount += negativeInTrace
      if (negativeInTrace > 0) affected.add(id)
    },
    finish() {
      const disliked = affected.count()
      if (disliked < ratedSoAtLeast) return []
      return [
        {
          title: `${formatShare(disliked, rated, 'rated trace')} got a negative rating`,
          description: `${formatShare(negativeCount, ratingCount, 'rating')} are negative. Traces without ratings are not counted.`,
          frequency: disliked / rated,
          affected,
          details: { ratedTraces: rated, ratings: ratingCount, negativeRatings: negativeCount },
          suggestedFix:
            'Read the comments on these traces and sort them by cause; turn the most frequent cause into dataset items with the expected answer, so that a change can be measured.',
        },
      ]
    },
  }
}

const MESSAGE_LENGTH_MAX = 200
const MESSAGES_LISTED_MAX = 3

/** Finds tools that fail often. Frequency: the share of their calls. */
export function findToolErrors(): Finder {
  const { failedShareAbove, failuresAtLeast } = INSIGHT_THRESHOLDS.tool_error
  const tools = createTally(INSIGHT_LIMITS.names, () => ({
    calls: 0,
    failures: 0,
    messages: createTally(INSIGHT_LIMITS.messages, () => ({ count: 0 })),
    affected: createAffected(),
  }))
  return {
    add({ id, steps }) {
      for (const { kind, name, isError, errorMessage } of steps) {
        const tool = kind === 'tool' ? tools.of(name) : undefined
        if (!tool) continue
        tool.calls += 1
        if (!isError) continue
        tool.failures += 1
        tool.affected.add(id)
        const message = errorMessage === null ? undefined : tool.messages.of(errorMessage.slice(0, MESSAGE_LENGTH_MAX))
        if (message) message.count += 1
      }
    },
    finish() {
      return tools.entries().flatMap(([name, { calls, failures, messages, affected }]) => {
        const isReported = failures > 0 && (failures / calls > failedShareAbove || failures >= failuresAtLeast)
        if (!isReported) return []
        const topMessages = mostFrequent(messages, MESSAGES_LISTED_MAX).map(({ text, count }) => ({
          message: text,
          count,
        }))
        const [most] = topMessages
        return {
          title: `${truncateName(name)} failed in ${formatShare(failures, calls, 'call')}`,
          description: `The tool ${truncateName(name)} was called ${calls} times and ended with an error ${failures} times.${
            most ? ` The most frequent message: ${most.message}` : ''
          }`,
          frequency: failures / calls,
          affected,
          details: { tool: name, calls, failures, messages: topMessages },
          suggestedFix: most
            ? `Open a failed call of ${truncateName(name)} and look at its arguments: either the tool does not accept what the model sends (document the accepted arguments in its description, and validate them before calling), or a dependency fails (retry with a delay, and return the message to the model).`
            : `Record the error of ${truncateName(name)} as the status message of its span, then look at the arguments of the failed calls: document the accepted arguments in the tool's description, and return the message to the model so that it can correct the call.`,
        }
      })
    },
  }
}

/**
 * Finds traces that ended without an error and without an output. Frequency: the share of traces that ended without an
 * error. If no trace has an output, outputs are not recorded and there is no finding.
 */
export function findEmptyOutputs(): Finder {
  const { emptyAtLeast } = INSIGHT_THRESHOLDS.empty_output
  const affected = createAffected()
  let ended = 0
  let answers = 0
  return {
    add({ id, isError, durationMs, answer }) {
      const isEmpty = answer.form === 'none' || answer.form === 'empty'
      if (!isEmpty) answers += 1
      // A failed trace may have no output, and a running trace may still produce one.
      if (isError || durationMs === null) return
      ended += 1
      if (isEmpty) affected.add(id)
    },
    finish() {
      const empty = affected.count()
      if (answers === 0 || empty < emptyAtLeast) return []
      return [
        {
          title: `${formatShare(empty, ended, 'trace')} have no output`,
          description: `They ended without an error, but their output is missing or empty, while ${formatCount(answers, 'trace')} have one.`,
          frequency: empty / ended,
          affected,
          details: { empty, ended },
          suggestedFix:
            'Validate the output before returning it, and treat an empty one as an error. Common causes are a refusal, an output that consists of tool calls only, and a parser that found no match.',
        },
      ]
    },
  }
}

/** Finds model calls that ended because they reached their token limit. Frequency: the share of the step's calls. */
export function findTruncatedOutputs(): Finder {
  const { callsAtLeast, reasons } = INSIGHT_THRESHOLDS.truncated_output
  const limitReasons = new Set<string>(reasons)
  const steps = createTally(INSIGHT_LIMITS.names, () => ({ calls: 0, truncated: 0, affected: createAffected() }))
  return {
    add(trace) {
      for (const { kind, name, finishReasons } of trace.steps) {
        const step = kind === 'llm' ? steps.of(name) : undefined
        if (!step) continue
        step.calls += 1
        if (!finishReasons.some((reason) => limitReasons.has(reason))) continue
        step.truncated += 1
        step.affected.add(trace.id)
      }
    },
    finish() {
      return steps.entries().flatMap(([name, { calls, truncated, affected }]) => {
        if (truncated < callsAtLeast) return []
        return {
          title: `${truncateName(name)} was cut off in ${formatShare(truncated, calls, 'call')}`,
          description: `The model stopped in ${truncateName(name)} because it reached the token limit: the output is incomplete, and JSON in it is usually invalid.`,
          frequency: truncated / calls,
          affected,
          details: { step: name, calls, truncated },
          suggestedFix: `Raise the output token limit of ${truncateName(name)}, or request a shorter output; and treat the finish reason "length" as an error before the output is used.`,
        }
      })
    },
  }
}

const KEYS_LISTED_MAX = 20
const KEYS_NAMED = 3

/**
 * Finds JSON outputs without the most common keys. Frequency: the share of JSON outputs. If no set of keys is common,
 * the keys are data and there is no finding.
 */
export function findSchemaDrift(): Finder {
  const { answersAtLeast, commonShareAtLeast, deviatingShareAtLeast } = INSIGHT_THRESHOLDS.schema_drift
  const shapes = createTally(INSIGHT_LIMITS.shapes, createAffected)
  const keysSeen = createTally(INSIGHT_LIMITS.names, () => ({ count: 0 }))
  let answers = 0
  return {
    add({ id, answer }) {
      if (answer.form !== 'json') return
      answers += 1
      shapes.of(hash('sha256', JSON.stringify(answer.keys), 'base64url').slice(0, 22))?.add(id)
      for (const key of answer.keys) {
        const seen = keysSeen.of(key)
        if (seen) seen.count += 1
      }
    },
    finish() {
      if (answers < answersAtLeast) return []
      const [common, ...others] = shapes.entries().sort(([a, left], [b, right]) => {
        return right.count() - left.count() || (a < b ? -1 : 1)
      })
      const usual = common?.[1].count() ?? 0
      const deviating = answers - usual
      const isRule = usual / answers >= commonShareAtLeast
      if (!isRule || deviating === 0 || deviating / answers < deviatingShareAtLeast) return []
      const varying = keysSeen
        .entries()
        .map(([key, { count }]) => ({ key, presentIn: count }))
        .filter(({ presentIn }) => presentIn < answers)
        .sort((a, b) => b.presentIn - a.presentIn || (a.key < b.key ? -1 : 1))
      const named = varying
        .slice(0, KEYS_NAMED)
        .map(({ key, presentIn }) => `${truncateName(key)} is in ${formatShare(presentIn, answers, 'answer')}`)
      return [
        {
          title: `${formatShare(deviating, answers, 'answer')} in JSON do not have the most common keys`,
          description: `${formatShare(usual, answers, 'answer')} have the same keys. Keys that vary: ${named.join(', ')}.`,
          frequency: deviating / answers,
          affected: { add: () => {}, count: () => deviating, ids: () => firstIds(others.map(([, ids]) => ids.ids())) },
          details: {
            answers,
            usual,
            deviating,
            shapes: others.length + 1,
            varyingKeys: varying.slice(0, KEYS_LISTED_MAX),
          },
          suggestedFix:
            'Give the model a JSON schema that requires every key (structured output) instead of describing the form in the prompt, and check answers with the evaluator jsonSchema.',
        },
      ]
    },
  }
}

function firstIds(lists: string[][]): string[] {
  return lists.flat().sort().slice(0, INSIGHT_LIMITS.affectedIds)
}
