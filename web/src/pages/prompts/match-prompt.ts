import type { PromptSummary } from '../../api/generated/api.ts'
import type { PromptsSearch } from './prompts-search.ts'

/** Whether a prompt serves the label and contains each word that is looked for. */
export function matchesPrompt(prompt: PromptSummary, { q, label }: Pick<PromptsSearch, 'q' | 'label'>): boolean {
  if (label !== undefined && !hasLabel(prompt, label)) return false
  if (q === undefined) return true
  const { name, description, labels, newest, versions } = prompt
  const notes = [newest, ...versions].map((version) => version?.note)
  const text = [name, description, ...labels.map((one) => one.name), ...notes].join('\n').toLowerCase()
  return q
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word))
}

/** `none`: nothing is served. A label can be deleted and protected, and serves nothing then. */
export function hasLabel({ labels }: Pick<PromptSummary, 'labels'>, label: string): boolean {
  const serving = labels.filter(({ splits }) => splits.length > 0)
  return label === 'none' ? serving.length === 0 : serving.some(({ name }) => name === label)
}
