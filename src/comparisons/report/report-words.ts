import type { Snapshot } from './read-snapshot.ts'

/** Metrics that every run has are called by the names of fields, which readers of a report do not know. */
const WORDS: ReadonlyMap<string, { title: string; inSentences: string }> = new Map([
  ['durationMs', { title: 'duration in ms', inSentences: 'duration' }],
  ['costUsd', { title: 'cost in $', inSentences: 'cost' }],
  ['totalTokens', { title: 'tokens', inSentences: 'tokens' }],
  ['humanRating', { title: 'ratings of people', inSentences: 'ratings of people' }],
])

const NAMES = new RegExp(`\\b(?:${[...WORDS.keys()].join('|')})\\b`, 'g')

function titleOf(name: string): string {
  return WORDS.get(name)?.title ?? name
}

function sentence<Text extends string | null>(text: Text): Text {
  return text
    ?.replace(NAMES, (name) => WORDS.get(name)?.inSentences ?? name)
    .replace(
      'Plan the looks (plannedLooks), or decide by sequential.',
      'Plan the looks of the next evaluation.',
    ) as Text
}

/** The snapshot with metrics and remedies in words instead of the fields of the API. */
export function inWords(snapshot: Snapshot): Snapshot {
  return {
    ...snapshot,
    metric: snapshot.metric && titleOf(snapshot.metric),
    summary: sentence(snapshot.summary),
    warnings: snapshot.warnings.map(sentence),
    looking: { ...snapshot.looking, summary: sentence(snapshot.looking.summary) },
    notCompared: snapshot.notCompared.map((one) => ({ ...one, name: titleOf(one.name), reason: sentence(one.reason) })),
    metrics: snapshot.metrics.map((metric) => ({
      ...metric,
      name: titleOf(metric.name),
      summary: sentence(metric.summary),
      warning: sentence(metric.warning),
      missingItems: { ...metric.missingItems, summary: sentence(metric.missingItems.summary) },
    })),
  }
}
