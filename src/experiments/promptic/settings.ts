/**
 * The experiments of promptic-sdk. A client describes one first, adds cases and evaluators, and starts it: only then can it be planned. Until
 * then its row has an empty plan, and its settings have a row of their own, which stays, because a client reads all of them again.
 */
import type { TemplateMessage } from '../../prompts/template.ts'
import type { ExperimentPlan } from '../experiment-plan.ts'

export const TASK_TYPES = ['classification', 'textGeneration', 'structuredOutput', 'toolSelection'] as const
export const PROMPTIC_OPTIMIZERS = ['promptic', 'prompticV2', 'miproV2', 'bootstrapFewShot', 'gepa'] as const

type ToolSettings = {
  tools: { name: string; description: string; inputSchema: Record<string, unknown> | null }[]
  toolSource: 'manual' | 'mcp'
  systemPrompt: string | null
  optimizeSystemPrompt: boolean
}

export type Settings = {
  description: string | null
  targetModel: string
  /** As the client has sent it: the name of a connection, or a kind of provider. */
  provider: string
  taskType: (typeof TASK_TYPES)[number]
  optimizer: (typeof PROMPTIC_OPTIMIZERS)[number]
  /** Of the start. */
  messages: TemplateMessage[]
  /** Whether the input was added to the prompt, which had no variable. */
  addsInput: boolean
  hyperparameters: Hyperparameters
  schema: Record<string, unknown> | null
  inputVariables: { name: string; column: string }[] | null
  toolSelection: ToolSettings | null
}

export type Hyperparameters = { epochs?: number; trainSplitRatio?: number; numFewShots?: number; enableCot?: boolean }

export const HYPERPARAMETERS: Hyperparameters = { epochs: 3, numFewShots: 8 }

const STARTS: Record<Settings['taskType'], string> = {
  classification: 'Answer with the label that fits the input, and nothing else.',
  textGeneration: 'Answer the input.',
  structuredOutput: 'Read the input, and answer with JSON that fits the schema.',
  toolSelection: 'Call the tool that fits the input, or none.',
}

/** A prompt without a variable gets the input as a message of the user. `{name}` of a known column is a variable, too. */
export function startOf(
  prompt: string | undefined,
  { taskType, inputVariables }: Pick<Settings, 'taskType' | 'inputVariables'>,
): Pick<Settings, 'messages' | 'addsInput'> {
  const names = new Set(['input', ...(inputVariables ?? []).map(({ name }) => name)])
  const text = (prompt ?? STARTS[taskType]).replace(/(?<!\{)\{([A-Za-z_]\w{0,63})\}(?!\})/g, (whole, name: string) =>
    names.has(name) ? `{{${name}}}` : whole,
  )
  if (/\{\{[ \t]*[A-Za-z_]\w*[ \t]*\}\}/.test(text))
    return { messages: [{ role: 'user', content: text }], addsInput: false }
  return {
    messages: [
      { role: 'system', content: text },
      { role: 'user', content: '{{input}}' },
    ],
    addsInput: true,
  }
}

/** As one text: what a client of the original service calls the prompt. */
export function promptTextOf(messages: readonly TemplateMessage[], { addsInput }: { addsInput: boolean }): string {
  const shown = addsInput && messages.length > 1 ? messages.slice(0, -1) : messages
  const texts = shown.map((message) => ('placeholder' in message ? `{{${message.placeholder}}}` : message.content))
  return texts.join('\n\n')
}

/** What an experiment has before it is planned: it cannot run with it. */
export function emptyPlan({ promptId, version, model }: { promptId: string; version: number; model: string }) {
  const plan: ExperimentPlan = {
    optimizer: 'gepa',
    target: { type: 'prompt', promptId, version, provider: null, model, parameters: {}, tools: 'record' },
    reflection: { provider: null, model: null },
    variables: {},
    evaluators: [],
    provider: null,
    weights: {},
    objectives: [],
    splits: { train: 0.4, validation: 0.3, test: 0.3, seed: 0 },
    optimize: ['messages'],
    frozen: [],
    frozenTexts: [],
    labels: [],
    maxPromptTokens: 0,
    budget: { maxCostUsd: null, maxCalls: 5_000, maxMinutes: 120, patience: 10 },
    finalists: 1,
    repetitions: 1,
    concurrency: 8,
    search: { parents: 2, proposals: 1, sampleSize: 8 },
    allowTooFew: true,
    callsPerAnswer: 1,
    expected: null,
    warnings: [],
  }
  return plan
}
