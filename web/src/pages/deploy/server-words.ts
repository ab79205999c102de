import { withMetricTitles } from '../../ui/metric-words.ts'

/** A text of the server in the words of the page: versions as v12, metrics by their titles. */
export function inPageWords(text: string): string {
  return withMetricTitles(text).replaceAll(/\b[Vv]ersion (?=\d)/g, 'v')
}
