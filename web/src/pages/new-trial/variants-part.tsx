import type { UseInfiniteQueryResult } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Connection, Endpoint, Prompt, PromptVersionRow, TrialEstimate } from '../../api/generated/api.ts'
import { pagePaths } from '../../path-builder.ts'
import { Badge } from '../../ui/badge.tsx'
import { LoadMore } from '../../ui/load-more.tsx'
import { SelectField } from '../../ui/select-field.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { FormSection } from '../new-evaluation/form-section.tsx'
import { QueryError } from '../shell/query-error.tsx'
import { GridParameters } from './grid-parameters.tsx'
import { RecordedPart } from './recorded-part.tsx'
import { ServicePart } from './service-part.tsx'
import type { TrialDraft } from './trial-draft.ts'
import { errorIn, type TrialFieldError } from './trial-error.ts'
import { type ChosenModel, variantsOf } from './variant-list.ts'
import { VariantRows } from './variant-rows.tsx'

const VARIANTS_MAX = 50
const TOO_MANY = `A trial has at most ${VARIANTS_MAX} variants: choose fewer versions, models or values.`

interface VariantsPartProps {
  applicationId: string
  componentId: string
  draft: TrialDraft
  prompts: Prompt[]
  versions: UseInfiniteQueryResult<PromptVersionRow[]>
  connections: Connection[]
  endpoints: Endpoint[]
  estimate: TrialEstimate | undefined
  problem: TrialFieldError | undefined
  onChange: (changes: Partial<TrialDraft>) => void
}

/** Versions × models × parameters of a prompt, a service, and the team's own code; one of them is the baseline. */
export function VariantsPart(props: VariantsPartProps) {
  const { applicationId, componentId, draft, prompts, versions, connections, problem, onChange } = props
  const variants = variantsOf(draft)
  const error = variants.length > VARIANTS_MAX ? TOO_MANY : errorIn(problem, 'variants')
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
                onChange={({ target }) =>
                  onChange({ promptId: target.value, versions: [], variables: {}, removed: [] })
                }
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
            <GridParameters parameters={draft.parameters} onChange={(parameters) => onChange({ parameters })} />
          </div>
        </div>
        <ServicePart
          applicationId={applicationId}
          draft={draft}
          endpoints={props.endpoints}
          problem={problem}
          onChange={onChange}
        />
        <RecordedPart draft={draft} estimate={props.estimate} problem={problem} onChange={onChange} />
        <VariantRows draft={draft} estimate={props.estimate} problem={problem} onChange={onChange} />
        {error && (
          <p role="alert" className="border-t border-line px-5 py-3 text-data text-danger max-sm:px-4">
            {error}
          </p>
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
