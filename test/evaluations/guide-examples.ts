import { readFileSync } from 'node:fs'

export const GUIDE = readFileSync(new URL('../../docs/guide/evaluators.md', import.meta.url), 'utf8')

/** The JSON that the guide to evaluators shows: first a config, then an example of every evaluator without a model. */
const [config, examples] = [...GUIDE.matchAll(/```json\n([\s\S]*?)```/g)].map(([, text = '']) => JSON.parse(text))

export const GUIDE_CONFIG: { evaluators: unknown } = config
export const GUIDE_EXAMPLES: Record<string, unknown>[] = examples
