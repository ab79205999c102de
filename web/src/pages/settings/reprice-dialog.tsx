import { type FormEvent, useState } from 'react'
import { useRepriceTraces } from '../../api/prices-query.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { SelectField } from '../../ui/select-field.tsx'
import { showToast } from '../../ui/toast-store.ts'
import { FormEnd } from '../shell/form-end.tsx'

const DAY_MS = 86_400_000

export function RepriceDialog({ applicationId, onClose }: { applicationId: string; onClose: () => void }) {
  const reprice = useRepriceTraces(applicationId)
  const [days, setDays] = useState('')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const startAfter = days === '' ? null : new Date(Date.now() - Number(days) * DAY_MS).toISOString()
    const onSuccess = () => {
      showToast({ tone: 'good', message: 'Costs are computed again, in the background.' })
      onClose()
    }
    reprice.mutate(startAfter, { onSuccess })
  }
  return (
    <Dialog title="Apply to stored traces" isOpen onClose={onClose}>
      <form method="post" onSubmit={submit} className="flex flex-col gap-4">
        <ul className="flex list-disc flex-col gap-1.5 pl-5 text-soft marker:text-faint">
          <li>The costs of stored traces are computed again with the current prices, in the background.</li>
          <li>Costs that the sender reported do not change.</li>
          <li>Totals and charts follow step by step. The former costs are not kept.</li>
        </ul>
        <SelectField label="Traces" value={days} onChange={(event) => setDays(event.target.value)}>
          <option value="">all</option>
          <option value="7">of the last 7 days</option>
          <option value="30">of the last 30 days</option>
          <option value="90">of the last 90 days</option>
        </SelectField>
        <FormEnd submitLabel="Apply prices" error={reprice.error} isBusy={reprice.isPending} onCancel={onClose} />
      </form>
    </Dialog>
  )
}
