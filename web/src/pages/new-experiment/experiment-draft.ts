import type { NewExperiment } from '../../api/experiments-query.ts'
import { type Config, evaluatorsOf, nameOf, textOf } from '../new-evaluation/evaluation-draft.ts'

export type Role = 'improve' | 'notWorse' | 'tieBreak'

/** What the form has so far. Undefined numbers are the defaults of the server. */
export interface ExperimentDraft {
  name: string
  promptId: string | undefined
  version: number | undefined
  datasetId: string
  /** JSON pointers of messages. */
  frozen: string[]
  /** Paragraphs that must stay word for word. */
  frozenTexts: string[]
  /** What was typed for each variable: a path, or a text in quotes. */
  variables: Record<string, string>
  shares: { train: number; validation: number; test: number }
  seed: number | undefined
  /** Of the evaluators and their connection. */
  config: Config
  roles: Record<string, { role: Role; margin: number | undefined }>
  /** Whether the cheaper one wins if the scores are equal. */
  cheaperWins: boolean
  optimizer: NonNullable<NewExperiment['optimizer']>
  target: ModelChoice | undefined
  reflection: ModelChoice | undefined
  maxCostUsd: number | undefined
  maxMinutes: number | undefined
  maxCalls: number | undefined
  patience: number | undefined
  maxPromptTokens: number | undefined
  finalists: number | undefined
  repetitions: number | undefined
  allowTooFew: boolean
}

export interface ModelChoice {
  provider: string
  model: string
}

export const SHARES = { train: 40, validation: 30, test: 30 }

/** Undefined as long as the experiment has no version to improve or nothing to score. */
export function requestOf(draft: ExperimentDraft, names: readonly string[]): NewExperiment | undefined {
  const { promptId, version, config } = draft
  const evaluators = evaluatorsOf(config)
  if (promptId === undefined || version === undefined || evaluators.length === 0) return undefined
  const provider = textOf(config['provider'])
  const budget = {
    ...(draft.maxCostUsd !== undefined && { maxCostUsd: draft.maxCostUsd }),
    ...(draft.maxMinutes !== undefined && { maxMinutes: draft.maxMinutes }),
    ...(draft.maxCalls !== undefined && { maxCalls: draft.maxCalls }),
    ...(draft.patience !== undefined && { patience: draft.patience }),
  }
  const variables = names.flatMap((name) => {
    const text = (Object.hasOwn(draft.variables, name) ? (draft.variables[name] ?? '') : '').trim()
    return text === '' ? [] : [[name, readVariable(text)] as const]
  })
  const { train, validation, test } = draft.shares
  return {
    ...(draft.name.trim() !== '' && { name: draft.name.trim() }),
    datasetId: draft.datasetId,
    prompt: { promptId, version },
    optimizer: draft.optimizer,
    ...(draft.target && { target: draft.target }),
    ...(draft.reflection && { reflection: draft.reflection }),
    ...(variables.length > 0 && { variables: Object.fromEntries(variables) }),
    evaluators,
    ...(provider !== undefined && { provider }),
    objectives: [
      ...evaluators.map((evaluator) => {
        const metric = nameOf(evaluator)
        const { role, margin } = roleOf(draft, metric)
        return { metric, role, ...(role === 'notWorse' && margin !== undefined && { margin }) }
      }),
      ...(draft.cheaperWins ? [{ metric: 'costUsd', role: 'tieBreak' as const }] : []),
    ],
    splits: {
      train: train / 100,
      validation: validation / 100,
      test: test / 100,
      ...(draft.seed !== undefined && { seed: draft.seed }),
    },
    ...(draft.frozen.length > 0 && { frozen: draft.frozen }),
    ...(draft.frozenTexts.length > 0 && { frozenTexts: draft.frozenTexts }),
    ...(draft.maxPromptTokens !== undefined && { maxPromptTokens: draft.maxPromptTokens }),
    ...(Object.keys(budget).length > 0 && { budget }),
    ...(draft.finalists !== undefined && { finalists: draft.finalists }),
    ...(draft.repetitions !== undefined && { repetitions: draft.repetitions }),
    ...(draft.allowTooFew && { allowTooFew: true }),
  }
}

/** An evaluator is improved unless another role was chosen. */
export function roleOf(
  { roles }: Pick<ExperimentDraft, 'roles'>,
  metric: string,
): { role: Role; margin: number | undefined } {
  const known = Object.hasOwn(roles, metric) ? roles[metric] : undefined
  return known ?? { role: 'improve', margin: undefined }
}

/** `"Halden"` is the same text for all items; everything else is a path into the item. */
function readVariable(text: string): string | { value: unknown } {
  if (!text.startsWith('"')) return text
  try {
    return { value: JSON.parse(text) }
  } catch {
    return { value: text.replace(/^"|"$/g, '') }
  }
}

/** The paragraphs of the messages that are long enough to be worth freezing. */
export function paragraphsOf(messages: readonly object[]): string[] {
  const texts = messages.flatMap((message) => ('content' in message ? [String(message.content)] : []))
  const parts = texts.flatMap((text) => text.split(/\n+/)).map((text) => text.trim())
  return [...new Set(parts.filter(({ length }) => length >= PARAGRAPH_LENGTH_MIN))]
}

const PARAGRAPH_LENGTH_MIN = 20
