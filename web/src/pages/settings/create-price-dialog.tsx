import type { FormEvent } from 'react'
import { useCreatePrice } from '../../api/prices-query.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { showToast } from '../../ui/toast-store.ts'
import { FormEnd } from '../shell/form-end.tsx'
import { readText } from '../shell/read-text.ts'

export function CreatePriceDialog({ applicationId, onClose }: { applicationId: string; onClose: () => void }) {
  const create = useCreatePrice(applicationId)
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const price = readPrice(new FormData(event.currentTarget))
    const onSuccess = () => {
      showToast({ tone: 'good', message: `Added a price for ${price.modelPattern}. It applies to new traces.` })
      onClose()
    }
    create.mutate(price, { onSuccess })
  }
  return (
    <Dialog title="Add price" isOpen onClose={onClose}>
      <form method="post" onSubmit={submit} className="flex flex-col gap-4">
        <TextField
          label="Model"
          name="modelPattern"
          required
          pattern=".*\S.*"
          autoComplete="off"
          spellCheck={false}
          placeholder="our-llama-.*"
          className="font-mono text-[0.8125rem]"
          hint="The whole name of the model, or a regular expression (RE2) for it. Case does not matter."
        />
        <TextField
          label="Provider"
          name="provider"
          isOptional
          autoComplete="off"
          placeholder="any"
          hint="Only for calls that report this provider."
        />
        <fieldset>
          <legend className="mb-2 text-data text-soft">US dollars for a million tokens</legend>
          <div className="grid grid-cols-2 gap-4">
            <TextField label="Input" name="input" required {...amount} />
            <TextField label="Output" name="output" required {...amount} />
            <TextField label="Cache read" name="cacheRead" placeholder="as input" {...amount} />
            <TextField label="Cache write" name="cacheWrite" placeholder="as input" {...amount} />
          </div>
        </fieldset>
        <fieldset>
          <legend className="mb-2 text-data text-soft">For calls in a period; days begin at midnight UTC</legend>
          <div className="grid grid-cols-2 gap-4">
            <TextField label="From" name="validFrom" type="date" isOptional />
            <TextField label="Before" name="validUntil" type="date" isOptional />
          </div>
        </fieldset>
        <FormEnd submitLabel="Add price" error={create.error} isBusy={create.isPending} onCancel={onClose} />
      </form>
    </Dialog>
  )
}

const amount = { type: 'number', min: 0, max: 1_000_000, step: 'any', inputMode: 'decimal' } as const

function readPrice(form: FormData) {
  return {
    modelPattern: readText(form, 'modelPattern'),
    provider: readText(form, 'provider') || null,
    inputPerMillion: Number(readText(form, 'input')),
    outputPerMillion: Number(readText(form, 'output')),
    cacheReadPerMillion: readAmount(form, 'cacheRead'),
    cacheWritePerMillion: readAmount(form, 'cacheWrite'),
    validFrom: readDay(form, 'validFrom'),
    validUntil: readDay(form, 'validUntil'),
  }
}

function readAmount(form: FormData, name: string): number | null {
  const text = readText(form, name)
  return text === '' ? null : Number(text)
}

function readDay(form: FormData, name: string): string | null {
  const text = readText(form, name)
  return text === '' ? null : `${text}T00:00:00Z`
}
