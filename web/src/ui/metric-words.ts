/** Metrics without a chosen name have that of a field or of an evaluator type. Names that are words already are not listed. */
const words: Readonly<Record<string, string>> = {
  durationMs: 'duration',
  costUsd: 'cost',
  totalTokens: 'tokens',
  exactMatch: 'same as expected',
  tokenF1: 'words in common',
  jsonValid: 'valid JSON',
  jsonEqual: 'same JSON',
  structuredOutput: 'fields of JSON',
  jsonSchema: 'keeps a schema',
  humanRating: 'ratings of people',
  toolCalls: 'right tools',
  toolSelection: 'right tool',
  containsAny: 'contains one of',
  containsAll: 'contains all of',
  rougeL: 'ROUGE-L',
  rougeN: 'ROUGE-N',
  llmJudge: 'your own judge',
  comparisonJudge: 'same meaning',
  referenceJudge: 'not worse than expected',
  embeddingSimilarity: 'similar meaning',
}

const names = new RegExp(`\\b(?:${Object.keys(words).join('|')})\\b`, 'g')

/** The name of a metric or evaluator: as it was chosen, or in words. */
export function metricTitle(name: string): string {
  return (Object.hasOwn(words, name) && words[name]) || name
}

/** A summary of the server, which names metrics as the API does. */
export function withMetricTitles(summary: string): string {
  return summary
    .replace(names, metricTitle)
    .replace('Plan the looks (plannedLooks), or decide by sequential.', 'Plan the looks of the next evaluation.')
}
