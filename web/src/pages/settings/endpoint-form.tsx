import { type FormEvent, type ReactNode, useRef, useState } from 'react'
import type { EndpointSettings } from '../../api/endpoints-query.ts'
import type { Endpoint } from '../../api/generated/api.ts'
import { TextField } from '../../ui/text-field.tsx'
import { FormEnd } from '../shell/form-end.tsx'
import { readText } from '../shell/read-text.ts'
import { AllowTarget } from './allow-target.tsx'
import { HeaderFields } from './header-fields.tsx'
import { type HeaderRow, storedRows } from './header-rows.ts'

interface EndpointFormProps {
  applicationId: string
  /** The endpoint to change; undefined for a new one. */
  endpoint?: Endpoint
  submitLabel: string
  isBusy: boolean
  error: Error | null
  onSubmit: (settings: EndpointSettings, headers: HeaderRow[]) => void
  onCancel: () => void
  /** About the stored headers, if the base URL has changed. */
  lostNotice?: ReactNode
}

export function EndpointForm({ endpoint, submitLabel, isBusy, error, lostNotice, ...props }: EndpointFormProps) {
  const form = useRef<HTMLFormElement>(null)
  const [baseUrl, setBaseUrl] = useState(endpoint?.baseUrl ?? '')
  const [rows, setRows] = useState(() => storedRows(endpoint?.headerNames ?? []))
  const isLost = endpoint !== undefined && baseUrl.trim() !== endpoint.baseUrl
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const data = new FormData(event.currentTarget)
    const perMinute = readText(data, 'requestsPerMinute')
    const settings = {
      name: readText(data, 'name'),
      baseUrl: baseUrl.trim(),
      concurrency: Number(readText(data, 'concurrency')),
      requestsPerMinute: perMinute === '' ? null : Number(perMinute),
      timeoutSeconds: Number(readText(data, 'timeoutSeconds')),
    }
    props.onSubmit(settings, rows)
  }
  return (
    <form ref={form} method="post" onSubmit={submit} className="flex flex-col gap-4">
      <TextField
        label="Name"
        name="name"
        required
        pattern=".*\S.*"
        autoComplete="off"
        placeholder="staging"
        defaultValue={endpoint?.name}
        hint="Trials refer to the endpoint by this name."
      />
      <TextField
        label="Base URL"
        type="url"
        required
        autoComplete="off"
        spellCheck={false}
        placeholder="https://staging.example.com/answer"
        value={baseUrl}
        onChange={(event) => setBaseUrl(event.target.value)}
        hint="Receives each call, as a POST with a JSON body."
      />
      <HeaderFields rows={rows} isLost={isLost} onChange={setRows} />
      <div role="status" className="empty:-mt-4">
        {isLost && rows.some(({ isStored }) => isStored) && lostNotice}
      </div>
      <div className="grid grid-cols-3 items-end gap-4">
        <TextField
          label="Requests at a time"
          name="concurrency"
          type="number"
          min={1}
          max={100}
          required
          defaultValue={endpoint?.concurrency ?? 4}
        />
        <TextField
          label="Requests per minute"
          name="requestsPerMinute"
          type="number"
          min={1}
          max={100_000}
          placeholder="no limit"
          defaultValue={endpoint?.requestsPerMinute ?? ''}
        />
        <TextField
          label="Timeout in seconds"
          name="timeoutSeconds"
          type="number"
          min={1}
          max={300}
          required
          defaultValue={endpoint?.timeoutSeconds ?? 60}
        />
      </div>
      <AllowTarget applicationId={props.applicationId} error={error} onAllowed={() => form.current?.requestSubmit()} />
      <FormEnd submitLabel={submitLabel} error={error} isBusy={isBusy} onCancel={props.onCancel} />
    </form>
  )
}
