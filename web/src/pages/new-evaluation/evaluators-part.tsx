import type { ReactNode } from 'react'
import type { Connection, EvaluatorType } from '../../api/generated/api.ts'
import type { NewEvaluation } from '../../api/new-evaluation-query.ts'
import { metricTitle } from '../../ui/metric-words.ts'
import type { FieldError } from '../../ui/schema-form/json-schema.ts'
import { withProperty } from '../../ui/schema-form/json-value.ts'
import { showUndoToast } from '../../ui/toast-store.ts'
import { evaluatorError, isUnfilled } from './config-error.ts'
import {
  type Config,
  type EvaluationDraft,
  type EvaluatorEntry,
  evaluatorsOf,
  nameOf,
  textOf,
  withEvaluators,
} from './evaluation-draft.ts'
import { EvaluatorCards } from './evaluator-cards.tsx'
import { EvaluatorSection } from './evaluator-section.tsx'
import { describeTypes } from './evaluator-words.ts'
import { FormSection } from './form-section.tsx'
import { TryEvaluator } from './try-evaluator.tsx'

interface EvaluatorsPartProps {
  applicationId: string
  componentId: string
  types: EvaluatorType[]
  connections: Connection[]
  draft: EvaluationDraft
  request: NewEvaluation | undefined
  problem: FieldError | undefined
  /** The connection of the judges, below them. */
  modelPart: ReactNode
  /** What happens without a choice. */
  noneText?: string
  onConfig: (config: Config) => void
}

const DEFAULT_ONES =
  'Without a choice, the default ones run where they apply: same as expected, words in common, valid JSON and ratings of people.'

/** Which evaluators run, and the options of each. */
export function EvaluatorsPart(props: EvaluatorsPartProps) {
  const { applicationId, componentId, types, connections, draft, request, problem, modelPart, noneText, onConfig } =
    props
  const { config } = draft
  const chosen = evaluatorsOf(config)
  const words = describeTypes(types)
  const asksModel = (type: string) => words.find((one) => one.type === type)?.asksModel === true
  const set = (next: EvaluatorEntry[]) => onConfig(withConnection(withEvaluators(config, next)))
  /** The newest connection, unless one is chosen: most applications have one. */
  const withConnection = (next: Config): Config => {
    const isNeeded = textOf(next['provider']) === undefined && evaluatorsOf(next).some(({ type }) => asksModel(type))
    const [connection] = connections
    return isNeeded && connection ? withProperty(next, 'provider', connection.name) : next
  }
  const add = (type: string) => set([...chosen, newEntry(type, chosen)])
  const remove = (isRemoved: (entry: EvaluatorEntry, index: number) => boolean) => {
    const removed = chosen.filter(isRemoved)
    set(chosen.filter((entry, index) => !isRemoved(entry, index)))
    const hasOptions = removed.some((entry) => Object.keys(entry).length > 1)
    if (hasOptions)
      showUndoToast(`Removed ${removed.map((entry) => metricTitle(nameOf(entry))).join(', ')}.`, () => onConfig(config))
  }
  const toggle = (type: string) =>
    chosen.some((entry) => entry.type === type) ? remove((entry) => entry.type === type) : add(type)
  // What is only empty is named next to the button that starts, and not marked as wrong.
  const wrong = problem && isUnfilled(problem) ? undefined : problem
  const placed = chosen.map((entry, index) => ({ entry, index, error: evaluatorError(wrong, index) }))
  const byType = [...Map.groupBy(placed, ({ entry }) => entry.type)]
  const general = problem?.path[0] === 'evaluators' && problem.path.length === 1 ? problem.message : undefined
  const section = ([type, entries]: (typeof byType)[number]) => (
    <EvaluatorSection
      key={type}
      title={words.find((one) => one.type === type)?.title ?? type}
      definition={types.find((one) => one.type === type)}
      entries={entries}
      models={connections.find(({ name }) => name === textOf(config['provider']))?.models ?? []}
      onChange={(index, entry) => set(chosen.map((old, other) => (other === index ? entry : old)))}
      onRemove={(index) => remove((_, other) => other === index)}
      onAdd={() => add(type)}
      renderTry={(entry) => (
        <TryEvaluator
          // Another evaluator has other results.
          key={nameOf(entry)}
          applicationId={applicationId}
          componentId={componentId}
          request={request}
          entry={entry}
        />
      )}
    />
  )
  return (
    <>
      <FormSection title="Evaluators" aside={`${chosen.length} chosen`}>
        <EvaluatorCards types={words} chosen={chosen} onToggle={toggle} />
        {chosen.length === 0 && <p className="mt-3 text-data text-soft">{noneText ?? DEFAULT_ONES}</p>}
        {general && (
          <p role="alert" className="mt-3 text-data text-danger">
            {general}
          </p>
        )}
      </FormSection>
      {/* Judges first: their instructions are most of the work. */}
      {byType.filter(([type]) => asksModel(type)).map(section)}
      {modelPart}
      {byType.filter(([type]) => !asksModel(type)).map(section)}
    </>
  )
}

/** Names must be unique; the first one needs none. */
function newEntry(type: string, chosen: EvaluatorEntry[]): EvaluatorEntry {
  const names = new Set(chosen.map(nameOf))
  if (!names.has(type)) return { type }
  for (let number = 2; ; number += 1) {
    const name = `${metricTitle(type)} ${number}`
    if (!names.has(name)) return { type, name }
  }
}
