import { Plus, Trash2 } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import type { EvaluatorType } from '../../api/generated/api.ts'
import { Button } from '../../ui/button.tsx'
import { metricTitle } from '../../ui/metric-words.ts'
import type { FieldError, JsonSchema } from '../../ui/schema-form/json-schema.ts'
import { JsonTextField } from '../../ui/schema-form/json-text-field.tsx'
import { isObject, withProperty } from '../../ui/schema-form/json-value.ts'
import { SchemaForm } from '../../ui/schema-form/schema-form.tsx'
import { TextAreaField } from '../../ui/text-area-field.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { type EvaluatorEntry, nameOf, textOf } from './evaluation-draft.ts'
import { instructionsLabel, optionLabels, rareOptions } from './evaluator-words.ts'
import { JudgeScaleField } from './judge-scale-field.tsx'
import { OptionsCard } from './options-card.tsx'

interface PlacedEntry {
  /** Its place in the config, by which the server names it. */
  index: number
  entry: EvaluatorEntry
  error: FieldError | undefined
}

interface EvaluatorSectionProps {
  title: string
  /** Undefined for a type that this server does not know. */
  definition: EvaluatorType | undefined
  entries: PlacedEntry[]
  models: string[]
  onChange: (index: number, entry: EvaluatorEntry) => void
  onRemove: (index: number) => void
  onAdd: () => void
  /** The button that tries the chosen one, and its results. */
  renderTry: (entry: EvaluatorEntry) => ReactNode
}

/** The options of all evaluators of one type: two judges have the same form, one at a time. */
export function EvaluatorSection(props: EvaluatorSectionProps) {
  const { title, definition, entries, models, onChange, onRemove, onAdd, renderTry } = props
  const [shown, setShown] = useState(0)
  const wrong = entries.find(({ error }) => error !== undefined)
  const current = entries[Math.min(shown, entries.length - 1)]
  if (!current) return null
  const { entry, index, error } = current
  return (
    <OptionsCard title={title} isFoldable={isFoldable(definition)} hasError={wrong !== undefined}>
      <fieldset
        aria-label={`Evaluators of the type ${title}`}
        className="-mt-1 mb-4 flex flex-wrap gap-x-5 border-b border-line"
      >
        {entries.map((one, place) => (
          <button
            key={one.index}
            type="button"
            aria-pressed={one === current}
            onClick={() => setShown(place)}
            className="-mb-px max-w-60 truncate border-b-2 border-transparent py-2 text-data text-soft hover:text-ink aria-pressed:border-gold aria-pressed:font-semibold aria-pressed:text-ink touch:min-h-11"
          >
            {metricTitle(nameOf(one.entry))}
            {one === wrong && one !== current && <span className="text-danger"> (has an error)</span>}
          </button>
        ))}
        <button
          type="button"
          onClick={() => {
            onAdd()
            setShown(entries.length)
          }}
          className="flex items-center gap-1 py-2 text-data text-soft hover:text-ink touch:min-h-11"
        >
          <Plus aria-hidden className="size-3.5" />
          another
        </button>
        <Button look="quiet" size="small" className="my-1 ml-auto" onClick={() => onRemove(index)}>
          <Trash2 aria-hidden className="size-3.5" />
          Remove<span className="sr-only"> {metricTitle(nameOf(entry))}</span>
        </Button>
      </fieldset>
      <EvaluatorForm
        // Another evaluator has other texts in progress.
        key={index}
        definition={definition}
        entry={entry}
        error={error}
        models={models}
        onChange={(next) => onChange(index, next)}
      />
      <div className="mt-5 border-t border-line pt-4">{renderTry(entry)}</div>
    </OptionsCard>
  )
}

/** An evaluator that works without any option: few people need to see them. */
function isFoldable(definition: EvaluatorType | undefined): boolean {
  if (!definition || definition.needs.includes('model')) return false
  const { required = [] }: JsonSchema = definition.options
  return required.length === 0
}

interface EvaluatorFormProps {
  definition: EvaluatorType | undefined
  entry: EvaluatorEntry
  error: FieldError | undefined
  models: string[]
  onChange: (entry: EvaluatorEntry) => void
}

function EvaluatorForm({ definition, entry, error, models, onChange }: EvaluatorFormProps) {
  const { type, name, ...options } = entry
  const change = (next: Record<string, unknown>) => onChange({ type, ...(name !== undefined && { name }), ...next })
  const schema: JsonSchema | undefined = definition?.options
  // A judge that says passed or not has no score to draw a line at.
  const drawn = isJudgeOf(schema) && entry['scale'] === undefined ? withoutOption(schema, 'passAt') : (schema ?? {})
  const isJudge = isJudgeOf(schema)
  const own = error && (error.path.length === 0 || error.path[0] === 'type' || !schema) ? error.message : undefined
  const nameField = (
    <TextField
      label="Name"
      isOptional
      hint="Runs are compared by this name."
      placeholder={metricTitle(type)}
      error={error?.path[0] === 'name' ? error.message : undefined}
      value={name ?? ''}
      onChange={(event) =>
        onChange({ type, ...(event.target.value !== '' && { name: event.target.value }), ...options })
      }
    />
  )
  return (
    <div className="flex flex-col gap-4">
      {own && (
        <p role="alert" className="text-data text-danger">
          {own}
        </p>
      )}
      {schema ? (
        <SchemaForm
          schema={drawn}
          leading={nameField}
          value={options}
          onChange={change}
          error={error}
          labels={optionLabels}
          rare={rareOptions}
          choices={models.length > 0 ? { model: models.map((model) => ({ value: model, label: model })) } : {}}
          fields={{
            instructions: (field) => (
              <TextAreaField
                label={instructionsLabel(type)}
                rows={4}
                error={field.error}
                value={textOf(field.value) ?? ''}
                onChange={(event) => field.onChange(event.target.value === '' ? undefined : event.target.value)}
              />
            ),
            ...(isJudge && {
              scale: (field) => (
                <JudgeScaleField
                  {...field}
                  name={nameOf(entry)}
                  canPass={type !== 'referenceJudge'}
                  onChange={(scale) => change(withScale(options, scale))}
                />
              ),
            }),
          }}
        />
      ) : (
        <>
          {nameField}
          <JsonTextField
            label={`Options of ${type}`}
            hint="This server does not know the type, so its options are edited as JSON."
            rows={6}
            value={options}
            onChange={(next) => change(isObject(next) ? next : {})}
          />
        </>
      )}
    </div>
  )
}

function isJudgeOf(schema: JsonSchema | undefined): boolean {
  return schema?.properties !== undefined && 'scale' in schema.properties
}

function withoutOption(schema: JsonSchema | undefined, name: string): JsonSchema {
  const { [name]: _, ...properties } = schema?.properties ?? {}
  return { ...schema, properties }
}

/** Without a scale, there is no score at which a case passes. */
function withScale(options: Record<string, unknown>, scale: unknown): Record<string, unknown> {
  const next = withProperty(options, 'scale', scale)
  return scale === undefined ? withProperty(next, 'passAt', undefined) : next
}
