import type { UseInfiniteQueryResult } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Connection, Prompt, PromptVersionRow } from '../../api/generated/api.ts'
import { pagePaths } from '../../path-builder.ts'
import { Badge } from '../../ui/badge.tsx'
import { LoadMore } from '../../ui/load-more.tsx'
import { SelectField } from '../../ui/select-field.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { FormSection } from '../new-evaluation/form-section.tsx'
import { QueryError } from '../shell/query-error.tsx'
import { VariantMark } from '../trials/variant-mark.tsx'
import { baselineIn, type ChosenModel, type TrialDraft, variantsOf } from './trial-draft.ts'

const VARIANTS_MAX = 50

interface VariantsPartProps {
  applicationId: string
  componentId: string
  draft: TrialDraft
  prompts: Prompt[]
  versions: UseInfiniteQueryResult<PromptVersionRow[]>
  connections: Connection[]
  onChange: (changes: Partial<TrialDraft>) => void
}

/** Versions × models of a prompt, and the team's own code; one of them is the baseline. */
export function VariantsPart(props: VariantsPartProps) {
  const { applicationId, componentId, draft, prompts, versions, connections, onChange } = props
  const variants = variantsOf(draft)
  const baseline = baselineIn(variants, draft.baseline)
  const models = connections.flatMap(({ name, models: all }) => all.map((model) => ({ provider: name, model })))
  const isChosen = (one: ChosenModel) =>
    draft.models.some(({ provider, model }) => provider === one.provider && model === one.model)
  return (
    <FormSection title="Variants" aside={`${variants.length} of at most ${VARIANTS_MAX}`}>
      <div className="rounded-card border border-line bg-surface shadow-lift">
        <div className="grid gap-5 p-5 max-sm:p-4 sm:grid-cols-2">
          <div className="flex min-w-0 flex-col gap-3">
            {prompts.length > 1 && (
              <SelectField
                label="Prompt"
                value={draft.promptId ?? ''}
                onChange={({ target }) => onChange({ promptId: target.value, versions: [], variables: {} })}
              >
                {prompts.map(({ id, name }) => (
                  <option key={id} value={id}>
                    {name}
                  </option>
                ))}
              </SelectField>
            )}
            {prompts.length === 0 ? (
              <p className="text-data text-soft">
                No prompt is kept here yet.{' '}
                <Link to={pagePaths.prompts(applicationId, componentId)} className="underline hover:text-ink">
                  Add one
                </Link>
                , or try your own code.
              </p>
            ) : (
              <Chips label={`Versions of ${prompts.find(({ id }) => id === draft.promptId)?.name ?? 'the prompt'}`}>
                {versions.isPending && <Skeleton rows={1} />}
                <QueryError query={versions} />
                {(versions.data ?? []).map(({ number, labels }) => (
                  <Chip
                    key={number}
                    isOn={draft.versions.includes(number)}
                    onToggle={() => onChange({ versions: toggled(draft.versions, number) })}
                  >
                    v{number}
                    {labels.map((label) => (
                      <Badge key={label}>{label}</Badge>
                    ))}
                  </Chip>
                ))}
                <LoadMore
                  hasMore={versions.hasNextPage}
                  isLoading={versions.isFetchingNextPage}
                  onLoad={() => void versions.fetchNextPage()}
                />
              </Chips>
            )}
          </div>
          <div className="flex min-w-0 flex-col gap-3">
            <Chips label="Models" hint="None chosen: each version with the model that is saved in it.">
              {models.map((one) => (
                <Chip
                  key={`${one.provider} ${one.model}`}
                  isOn={isChosen(one)}
                  onToggle={() =>
                    onChange({
                      models: isChosen(one)
                        ? draft.models.filter(({ provider, model }) => provider !== one.provider || model !== one.model)
                        : [...draft.models, one],
                    })
                  }
                >
                  {one.model} <span className="text-meta text-soft">{one.provider}</span>
                </Chip>
              ))}
              {connections.length === 0 && (
                <p className="text-data text-soft">
                  No model is connected.{' '}
                  <Link to={pagePaths.settings(applicationId, 'models')} className="underline hover:text-ink">
                    Add a model connection
                  </Link>
                </p>
              )}
            </Chips>
            <TextField
              label="Your code"
              isOptional
              placeholder="support-agent"
              hint="The name of a queue. Your program fetches its calls, also from behind a firewall."
              value={draft.queue}
              onChange={({ target }) => onChange({ queue: target.value })}
            />
          </div>
        </div>
        {variants.length > 0 && (
          <fieldset className="border-t border-line">
            <legend className="sr-only">Baseline</legend>
            <p aria-hidden className="px-5 pt-3 text-meta text-faint max-sm:px-4">
              Baseline: what the others are compared with
            </p>
            {variants.map(({ name, target }, place) => (
              <label
                key={name}
                className="flex min-h-9 items-center gap-3 px-5 py-1.5 text-data hover:bg-hover touch:min-h-11 max-sm:px-4"
              >
                <input
                  type="radio"
                  name="baseline"
                  checked={name === baseline}
                  onChange={() => onChange({ baseline: name })}
                  className="accent-action"
                />
                <span className="min-w-0 wrap-anywhere">
                  <VariantMark place={place} />
                  <bdi className="font-medium">{name}</bdi>{' '}
                  {target.type === 'worker' && <span className="text-soft">your code</span>}
                </span>
              </label>
            ))}
          </fieldset>
        )}
      </div>
    </FormSection>
  )
}

function Chips({ label, hint, children }: { label: string; hint?: string; children: ReactNode }) {
  return (
    <fieldset className="min-w-0">
      <legend className="mb-1.5 text-data font-medium">{label}</legend>
      <div className="flex flex-wrap gap-2">{children}</div>
      {hint && <p className="mt-1.5 text-meta text-soft">{hint}</p>}
    </fieldset>
  )
}

function Chip({ isOn, onToggle, children }: { isOn: boolean; onToggle: () => void; children: ReactNode }) {
  return (
    <label className="flex min-h-8 cursor-pointer items-center gap-1.5 rounded-control border border-edge/60 bg-raised px-2.5 text-data has-checked:border-ink has-checked:font-medium has-focus-visible:outline-2 has-focus-visible:outline-gold-ink touch:min-h-11">
      <input type="checkbox" checked={isOn} onChange={onToggle} className="accent-action" />
      {children}
    </label>
  )
}

function toggled(numbers: readonly number[], number: number): number[] {
  return numbers.includes(number) ? numbers.filter((one) => one !== number) : [...numbers, number].sort((a, b) => a - b)
}
