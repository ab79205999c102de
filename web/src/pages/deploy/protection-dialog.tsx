import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useId, useState } from 'react'
import { datasetsQuery } from '../../api/components-query.ts'
import { type LabelKey, labelCheckKey, protectLabel } from '../../api/deployment-query.ts'
import type { PromptLabelProtection } from '../../api/generated/api.ts'
import { promptResultsQuery, refreshPrompts } from '../../api/prompts-query.ts'
import { useSubmission } from '../../api/use-submission.ts'
import { Checkbox } from '../../ui/checkbox.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { metricTitle } from '../../ui/metric-words.ts'
import { SelectField } from '../../ui/select-field.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { FormEnd } from '../shell/form-end.tsx'
import { readText } from '../shell/read-text.ts'

interface ProtectionDialogProps {
  labelKey: LabelKey
  protection: PromptLabelProtection | undefined
  isAdmin: boolean
  onClose: () => void
}

/** Every run has them, without an evaluator. The margin of those of traces is a ratio, except for errors. */
const RATIOS = ['durationMs', 'costUsd', 'totalTokens']
const OF_EVERY_RUN = ['rating', 'error', ...RATIOS]
const MAX_AGE_DAYS = 14

/** Who moves a label, and which verdict a version needs first. Changing it is in the audit log. */
export function ProtectionDialog({ labelKey, protection, isAdmin, onClose }: ProtectionDialogProps) {
  const { applicationId, componentId, promptId, label } = labelKey
  const queryClient = useQueryClient()
  const gate = protection?.gate ?? null
  const id = useId()
  const [isGated, setIsGated] = useState(gate !== null)
  const [chosenId, setChosenId] = useState(gate?.datasetId)
  const [chosenMetric, setMetric] = useState(gate?.metric)
  const datasets = useInfiniteQuery(datasetsQuery(applicationId, componentId))
  const datasetId = chosenId ?? datasets.data?.[0]?.id
  const results = useQuery({
    ...promptResultsQuery({ applicationId, componentId, promptId }, { datasetId: datasetId ?? '', metric: undefined }),
    enabled: isGated && datasetId !== undefined,
  })
  const metrics = [...new Set([...(results.data?.metrics ?? []), ...(gate ? [gate.metric] : []), ...OF_EVERY_RUN])]
  const metric = chosenMetric ?? metrics[0] ?? ''
  const isRatio = RATIOS.includes(metric)
  const change = useSubmission({
    mutationFn: (body: PromptLabelProtection) => protectLabel(labelKey, body),
    onSuccess: async () => {
      void queryClient.invalidateQueries({ queryKey: labelCheckKey(applicationId) })
      void refreshPrompts(queryClient, applicationId)
      onClose()
    },
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const minRole = readText(form, 'minRole') === 'admin' ? 'admin' : 'editor'
    if (!isGated || datasetId === undefined) {
      change.mutate({ minRole, gate: null })
      return
    }
    const margin = Number(readText(form, 'margin'))
    change.mutate({ minRole, gate: { datasetId, metric, margin, maxAgeDays: Number(readText(form, 'maxAgeDays')) } })
  }
  const hasNoDataset = isGated && datasetId === undefined && datasets.data !== undefined
  const listed = datasets.data ?? []
  // A page of the list may not have it.
  const others = listed.some(({ id: one }) => one === datasetId) || !results.data ? [] : [results.data.dataset]
  const reason = !isAdmin
    ? 'Conditions are changed by admins.'
    : hasNoDataset
      ? 'A verdict needs a dataset, and the component has none yet.'
      : undefined
  return (
    <Dialog title={`Conditions of ${label}`} isOpen onClose={onClose}>
      <form method="post" onSubmit={submit} className="flex flex-col gap-4">
        <SelectField
          label="Who may move it"
          name="minRole"
          defaultValue={protection?.minRole ?? 'editor'}
          hint="Rolling back is always open to editors."
        >
          <option value="editor">Editors and admins</option>
          <option value="admin">Admins, signed in: no API key</option>
        </SelectField>
        <label htmlFor={id} className="flex min-h-8 items-center gap-2 text-data font-medium touch:min-h-11">
          <Checkbox id={id} state={isGated ? 'on' : 'off'} onChange={() => setIsGated(!isGated)} />A version needs a
          verdict before it gets a share
        </label>
        {isGated && (
          <fieldset className="flex flex-col gap-4 border-l-2 border-line pl-4">
            <legend className="sr-only">The verdict</legend>
            <SelectField label="Dataset" value={datasetId ?? ''} onChange={(event) => setChosenId(event.target.value)}>
              {[...others, ...listed].map((dataset) => (
                <option key={dataset.id} value={dataset.id}>
                  {dataset.name}
                </option>
              ))}
            </SelectField>
            <SelectField label="Metric" value={metric} onChange={(event) => setMetric(event.target.value)}>
              {metrics.map((name) => (
                <option key={name} value={name}>
                  {metricTitle(name)}
                </option>
              ))}
            </SelectField>
            <TextField
              // The unit of the number depends on the metric.
              key={isRatio ? 'ratio' : 'difference'}
              label="Not worse by more than"
              name="margin"
              type="number"
              inputMode="decimal"
              step="any"
              min={isRatio ? 1 : 0}
              required
              defaultValue={gate && RATIOS.includes(gate.metric) === isRatio ? gate.margin : isRatio ? 1.1 : 0.02}
              hint={
                isRatio ? 'A ratio: 1.1 accepts a tenth more.' : 'The loss that is accepted, in the unit of the metric.'
              }
            />
            <TextField
              label="Days that a verdict holds"
              name="maxAgeDays"
              type="number"
              inputMode="numeric"
              step="1"
              min="1"
              max="365"
              required
              defaultValue={gate?.maxAgeDays ?? MAX_AGE_DAYS}
            />
          </fieldset>
        )}
        <FormEnd
          submitLabel="Save conditions"
          error={change.error}
          isBusy={change.isPending}
          disabledReason={reason}
          onCancel={onClose}
        />
      </form>
    </Dialog>
  )
}
