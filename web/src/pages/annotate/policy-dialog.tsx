import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useSaveAnnotationPolicy } from '../../api/annotation-policy-query.ts'
import type { AnnotationPolicy } from '../../api/generated/api.ts'
import { ratingSchemeQuery } from '../../api/rating-scheme-query.ts'
import type { RunKey } from '../../api/run-query.ts'
import { Checkbox } from '../../ui/checkbox.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { FormEnd } from '../shell/form-end.tsx'
import { ratingText } from './rating-bar.tsx'

interface PolicyDialogProps {
  run: RunKey
  policy: AnnotationPolicy
  onSaved: () => void
  onClose: () => void
}

/** Existing ratings stay under any new rules. */
export function PolicyDialog({ run, policy, onSaved, onClose }: PolicyDialogProps) {
  const { data: scheme } = useQuery(ratingSchemeQuery(run.applicationId))
  const [raters, setRaters] = useState(policy.ratersPerItem?.toString() ?? '')
  const [isBlind, setIsBlind] = useState(policy.blind)
  const [allowed, setAllowed] = useState(policy.ratings)
  const save = useSaveAnnotationPolicy(run)
  const known = scheme?.ratings ?? []
  const others = (policy.ratings ?? []).filter((value) => !known.some((rating) => rating.value === value))
  const choices = [...known, ...others.map((value) => ({ value, label: null }))]
  const isAllowed = (value: string) => allowed === null || allowed.includes(value)
  const toggle = (value: string) => {
    const next = choices.map((choice) => choice.value).filter((other) => isAllowed(other) !== (other === value))
    // All words of the scheme is the default, which also holds for words that are added later.
    setAllowed(next.length === choices.length && others.length === 0 ? null : next)
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const ratersPerItem = raters === '' ? null : Number(raters)
    save.mutate({ ratersPerItem, blind: isBlind, ratings: allowed }, { onSuccess: onSaved })
  }
  return (
    <Dialog title="How this run is rated" isOpen onClose={onClose}>
      <form onSubmit={submit} className="flex flex-col gap-5">
        <TextField
          label="People per trace"
          hint="Empty: any number. The queue reserves traces, so that no one rates in vain."
          type="number"
          min={1}
          max={100}
          isOptional
          value={raters}
          onChange={(event) => setRaters(event.target.value)}
        />
        <CheckLine
          label="Blind"
          hint="Annotators see what others said about a trace after they have rated it."
          isOn={isBlind}
          onToggle={() => setIsBlind(!isBlind)}
        />
        <fieldset>
          <legend className="mb-1.5 text-data font-medium">Allowed ratings</legend>
          {choices.map((choice) => (
            <CheckLine
              key={choice.value}
              label={ratingText(choice)}
              isOn={isAllowed(choice.value)}
              onToggle={() => toggle(choice.value)}
            />
          ))}
        </fieldset>
        <FormEnd
          submitLabel="Save"
          error={save.error}
          isBusy={save.isPending}
          disabledReason={allowed?.length === 0 ? 'Allow at least one rating.' : undefined}
          onCancel={onClose}
        />
      </form>
    </Dialog>
  )
}

interface CheckLineProps {
  label: string
  hint?: string
  isOn: boolean
  onToggle: () => void
}

function CheckLine({ label, hint, isOn, onToggle }: CheckLineProps) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the checkbox is inside of it
    <label className="flex min-h-8 items-start gap-2.5 py-1 text-data touch:min-h-11">
      <Checkbox state={isOn ? 'on' : 'off'} onChange={onToggle} className="mt-0.5" />
      <span>
        {label}
        {hint && <span className="block text-faint">{hint}</span>}
      </span>
    </label>
  )
}
