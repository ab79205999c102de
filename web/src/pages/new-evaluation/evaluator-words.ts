import type { EvaluatorType } from '../../api/generated/api.ts'
import { labelOf } from '../../ui/schema-form/json-schema.ts'

interface Words {
  title: string
  text: string
  /** How often a model is asked about a case. */
  calls?: number
}

/** The evaluators in plain words, those that most people need first. */
const words: Record<string, Words> = {
  tokenF1: { title: 'Words in common', text: 'Words that the answer and the expected one share' },
  regex: { title: 'Has a pattern', text: 'Matches a regular expression, such as a citation' },
  exactMatch: { title: 'Same as expected', text: 'Exactly the expected answer' },
  jsonSchema: { title: 'Keeps a schema', text: 'Is JSON with the fields that you describe' },
  humanRating: { title: 'Ratings of people', text: 'The share of positive ratings of the trace' },
  latency: { title: 'Fast enough', text: 'Needs no longer than your limit' },
  toolCalls: { title: 'Right tools', text: 'Calls the expected tools with the expected arguments' },
  contains: { title: 'Contains a text', text: 'Contains your text, or the expected answer' },
  containsAny: { title: 'Contains one of', text: 'Contains at least one of several texts' },
  containsAll: { title: 'Contains all of', text: 'The share of several texts that it contains' },
  toolSelection: { title: 'Right tool', text: 'Calls the expected tool, or none if none is expected' },
  jsonValid: { title: 'Valid JSON', text: 'Can be parsed as JSON' },
  structuredOutput: { title: 'Fields of JSON', text: 'Has the fields of the expected JSON' },
  jsonEqual: { title: 'Same JSON', text: 'Is JSON with the expected value' },
  numeric: { title: 'Right number', text: 'Is the expected number, within a tolerance' },
  length: { title: 'Right length', text: 'Is neither too short nor too long' },
  trajectory: { title: 'Right steps', text: 'Takes the expected steps, by their names' },
  cost: { title: 'Cheap enough', text: 'Costs no more than your limit' },
  tokens: { title: 'Few tokens', text: 'Uses no more tokens than your limit' },
  f1: { title: 'Right class', text: 'Is the expected class; F1 of each class' },
  external: { title: 'Your own scores', text: 'Your code delivers them while the evaluation waits' },
  levenshtein: { title: 'Similar letters', text: 'How few letters differ from the expected answer' },
  rougeL: { title: 'ROUGE-L', text: 'The longest sequence of words in common' },
  rougeN: { title: 'ROUGE-N', text: 'Runs of n words in common' },
  bleu: { title: 'BLEU', text: 'Sentence BLEU-4, as sacreBLEU computes it' },
  llmJudge: { title: 'Your own judge', text: 'A model says whether the answer does what you ask', calls: 1 },
  comparisonJudge: { title: 'Same meaning', text: 'A model says whether both mean the same', calls: 1 },
  pairwise: { title: 'Better of two', text: 'A model picks this or the baseline’s, in both orders', calls: 2 },
  classify: { title: 'Which label fits', text: 'A model sorts each answer into your labels', calls: 1 },
  referenceJudge: {
    title: 'Not worse than expected',
    text: 'A model scores this and the expected answer separately',
    calls: 2,
  },
  embeddingSimilarity: { title: 'Similar meaning', text: 'How close both are for an embedding model', calls: 1 },
}

/** Shown before all others are asked for. */
const COMMON = 8
const order = Object.keys(words)

export interface EvaluatorCardWords extends Words {
  type: string
  asksModel: boolean
  isCommon: boolean
}

/** The types of the server in the order of this list. A type that is not in it has its own summary. */
export function describeTypes(types: EvaluatorType[]): EvaluatorCardWords[] {
  const described = types.map(({ type, summary, needs }) => {
    const asksModel = needs.includes('model')
    const known = words[type]
    return { type, asksModel, isCommon: false, ...(known ?? { title: labelOf(type), text: summary }) }
  })
  const sorted = described.sort((a, b) => placeOf(a.type) - placeOf(b.type))
  const free = sorted.filter(({ asksModel }) => !asksModel).slice(0, COMMON)
  return sorted.map((one) => ({ ...one, isCommon: one.asksModel || free.includes(one) }))
}

export function priceText({ asksModel, calls }: EvaluatorCardWords): string {
  if (!asksModel) return 'free'
  return calls === undefined ? 'asks a model' : `${calls} ${calls === 1 ? 'call' : 'calls'} a case`
}

function placeOf(type: string): number {
  const place = order.indexOf(type)
  return place === -1 ? order.length : place
}

/** Labels of options, where the name of the option alone says too little. */
export const optionLabels: Record<string, string> = {
  passAt: 'Passes from',
  threshold: 'Passes from',
  path: 'Where in the JSON',
  not: 'The opposite',
  ignoreCase: 'Ignore upper and lower case',
  maxMs: 'At most, in milliseconds',
  maxUsd: 'At most, in US dollars',
  max: 'At most, in tokens',
  n: 'Words in a run',
  value: 'What to look for',
  values: 'Text',
  calls: 'Call',
  steps: 'Step',
  labels: 'Label',
  passLabels: 'Label that passes',
  showInput: 'Show the input to the judge',
  against: 'Compared with',
  find: 'Which number counts',
  schema: 'JSON Schema',
  timeoutMinutes: 'Wait at most, in minutes',
  higherIsBetter: 'Higher scores are better',
}

export const rareOptions = ['path', 'temperature', 'multiline', 'dotAll', 'fullMatch', 'kinds', 'showInput']

export function instructionsLabel(type: string): string {
  if (type === 'pairwise') return 'Which answer is better?'
  if (type === 'classify') return 'What do the labels mean?'
  return type === 'referenceJudge' ? 'What is good, and what is not?' : 'When does an answer pass?'
}
