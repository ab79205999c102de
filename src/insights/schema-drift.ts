import { hash } from 'node:crypto'
import { createAffected, createTally } from './bounded-tally.ts'
import type { Finder } from './insight.ts'
import { formatShare, truncateName } from './insight-text.ts'
import { INSIGHT_LIMITS, INSIGHT_THRESHOLDS } from './insight-thresholds.ts'

const { answersAtLeast, commonShareAtLeast, deviatingShareAtLeast } = INSIGHT_THRESHOLDS.schema_drift
const KEYS_LISTED_MAX = 20
const KEYS_NAMED = 3

/**
 * Finds JSON outputs without the most common keys. Frequency: the share of JSON outputs. If no set of keys is common,
 * the keys are data and there is no finding.
 */
export function findSchemaDrift(): Finder {
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
