import { createAffected, createTally, mostFrequent } from './bounded-tally.ts'
import type { Finder } from './insight.ts'
import { formatShare, truncateName } from './insight-text.ts'
import { INSIGHT_LIMITS, INSIGHT_THRESHOLDS } from './insight-thresholds.ts'

const { failedShareAbove, failuresAtLeast } = INSIGHT_THRESHOLDS.tool_error
const MESSAGE_LENGTH_MAX = 200
const MESSAGES_LISTED_MAX = 3

/** Finds tools that fail often. Frequency: the share of their calls. */
export function findToolErrors(): Finder {
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
