import { Link } from '@tanstack/react-router'
import type { Connection, PromptVersion } from '../../api/generated/api.ts'
import { pagePaths } from '../../path-builder.ts'
import { Notice } from '../../ui/notice.tsx'
import { NumberField } from '../../ui/schema-form/number-field.tsx'
import { SelectField } from '../../ui/select-field.tsx'
import { FormSection } from '../new-evaluation/form-section.tsx'
import type { ExperimentDraft, ModelChoice } from './experiment-draft.ts'

interface SearchPartProps {
  applicationId: string
  draft: ExperimentDraft
  connections: Connection[]
  version: PromptVersion | undefined
  onChange: (changes: Partial<ExperimentDraft>) => void
}

const optimizers = [
  {
    value: 'gepa',
    title: 'Reflective',
    text: 'A model reads what went wrong in 8 training items, says why, and rewrites the prompt.',
    note: '2 parents a step',
  },
  {
    value: 'bootstrapFewShot',
    title: 'Few-shot',
    text: 'Puts training answers that passed into the prompt as examples: sets of 1, 2, 4 and 8.',
    note: 'no model writes; cheaper',
  },
  {
    value: 'gepaThenFewShot',
    title: 'Both',
    text: 'Rewrites first, then looks for examples for the best.',
    note: 'about twice the cost',
  },
  {
    value: 'miproV2',
    title: 'Combinations',
    text: 'Writes several instructions, and learns which of them goes well with which examples.',
    note: 'many small tries',
  },
] as const

/** How proposals are found, and by which models. */
export function SearchPart({ applicationId, draft, connections, version, onChange }: SearchPartProps) {
  const own = version && [version.content.model, version.content.provider].filter(Boolean).join(', ')
  return (
    <FormSection title="How to search">
      <fieldset className="grid gap-3 sm:grid-cols-2 xl:grid-cols-4">
        <legend className="sr-only">Optimizer</legend>
        {optimizers.map(({ value, title, text, note }) => (
          <label
            key={value}
            className="relative cursor-pointer rounded-card border border-line bg-surface p-4 text-data shadow-lift has-checked:border-action has-checked:ring-1 has-checked:ring-action has-focus-visible:outline-2 has-focus-visible:outline-gold-ink"
          >
            <input
              type="radio"
              name="optimizer"
              checked={draft.optimizer === value}
              onChange={() => onChange({ optimizer: value })}
              className="absolute top-4 right-4 accent-action"
            />
            <b className="block pr-6 font-semibold">{title}</b>
            <span className="block text-soft">{text}</span>
            <span className="mt-2 block text-meta text-faint">{note}</span>
          </label>
        ))}
      </fieldset>
      {connections.length === 0 && (
        <div className="mt-4">
          <Notice title="No model is connected">
            Answers and proposals need a connection, unless this server has a default model. Add one in{' '}
            <Link
              to={pagePaths.settings(applicationId, 'models')}
              className="underline decoration-edge underline-offset-3 hover:text-ink"
            >
              Settings, Models
            </Link>
            .
          </Notice>
        </div>
      )}
      <div className="mt-4 grid gap-3 sm:grid-cols-2">
        <ModelSelect
          label="Answers with"
          none={own ? `as in v${version.number}: ${own}` : 'as in the version'}
          connections={connections}
          value={draft.target}
          onChange={(target) => onChange({ target })}
        />
        <ModelSelect
          label="Proposals by"
          none="the model that answers"
          hint="A stronger model proposes better prompts."
          connections={connections}
          value={draft.reflection}
          onChange={(reflection) => onChange({ reflection })}
        />
      </div>
      <details className="mt-4">
        <summary className="cursor-pointer text-data text-soft hover:text-ink touch:min-h-11">
          <b className="font-medium text-ink">Guards and limits</b> copies, length, frozen parts: all on
        </summary>
        <div className="mt-3 grid items-start gap-3 sm:grid-cols-2 lg:grid-cols-3">
          <NumberField
            label="Tokens of a prompt, at most"
            placeholder="twice the start"
            value={draft.maxPromptTokens}
            onChange={(maxPromptTokens) => onChange({ maxPromptTokens })}
          />
          <NumberField
            label="Stop after proposals without gain"
            placeholder="10"
            value={draft.patience}
            onChange={(patience) => onChange({ patience })}
          />
          <NumberField
            label="Calls at most"
            placeholder="5000"
            value={draft.maxCalls}
            onChange={(maxCalls) => onChange({ maxCalls })}
          />
          <NumberField
            label="Finalists"
            placeholder="1"
            hint="Each more needs a larger difference."
            value={draft.finalists}
            onChange={(finalists) => onChange({ finalists })}
          />
          <NumberField
            label="Answers to each test item"
            placeholder="1"
            value={draft.repetitions}
            onChange={(repetitions) => onChange({ repetitions })}
          />
        </div>
        <p className="mt-3 max-w-[72ch] text-meta text-soft">
          A proposal with 8 words or 40 characters in a row of a training item that it was shown is rejected, unless
          they were in the prompt before. Variables, roles and labels of a classification always stay.
        </p>
      </details>
    </FormSection>
  )
}

interface ModelSelectProps {
  label: string
  /** What happens without a choice. */
  none: string
  hint?: string
  connections: Connection[]
  value: ModelChoice | undefined
  onChange: (value: ModelChoice | undefined) => void
}

function ModelSelect({ label, none, hint, connections, value, onChange }: ModelSelectProps) {
  const choices = connections.flatMap(({ name, models }) => models.map((model) => ({ provider: name, model })))
  const keyOf = ({ provider, model }: ModelChoice) => JSON.stringify([provider, model])
  return (
    <SelectField
      label={label}
      {...(hint && { hint })}
      value={value ? keyOf(value) : ''}
      onChange={({ target }) => onChange(choices.find((one) => keyOf(one) === target.value))}
    >
      <option value="">{none}</option>
      {choices.map((one) => (
        <option key={keyOf(one)} value={keyOf(one)}>
          {one.model}, {one.provider}
        </option>
      ))}
    </SelectField>
  )
}
