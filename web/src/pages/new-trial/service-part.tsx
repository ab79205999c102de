import { Link } from '@tanstack/react-router'
import type { Endpoint } from '../../api/generated/api.ts'
import { pagePaths } from '../../path-builder.ts'
import { JsonTextField } from '../../ui/schema-form/json-text-field.tsx'
import { SelectField } from '../../ui/select-field.tsx'
import { TextField } from '../../ui/text-field.tsx'
import type { TrialDraft } from './trial-draft.ts'
import { errorIn, type TrialFieldError } from './trial-error.ts'

interface ServicePartProps {
  applicationId: string
  draft: TrialDraft
  endpoints: readonly Endpoint[]
  problem: TrialFieldError | undefined
  onChange: (changes: Partial<TrialDraft>) => void
}

/** What is sent before anything was changed: all that an item has. */
const BODY = { input: '{{input}}' }

/** Variants that no model answers directly: a service behind an endpoint, and a program that fetches its calls. */
export function ServicePart({ applicationId, draft, endpoints, problem, onChange }: ServicePartProps) {
  return (
    <div className="grid items-start gap-5 border-t border-line p-5 max-sm:p-4 sm:grid-cols-2">
      <div className="flex min-w-0 flex-col gap-3">
        {endpoints.length === 0 ? (
          <div className="text-data">
            <p className="mb-1.5 font-medium">Your service</p>
            <p className="text-soft">
              No endpoint is set up.{' '}
              <Link to={pagePaths.settings(applicationId, 'endpoints')} className="underline hover:text-ink">
                Add the address of your service
              </Link>
            </p>
          </div>
        ) : (
          <SelectField
            label="Your service"
            isOptional
            error={draft.endpoint === undefined ? undefined : errorIn(problem, 'endpoint')}
            value={draft.endpoint ?? ''}
            onChange={({ target }) =>
              onChange({
                endpoint: target.value === '' ? undefined : target.value,
                ...(draft.body === undefined && { body: BODY }),
              })
            }
          >
            <option value="">None</option>
            {endpoints.map(({ id, name, baseUrl }) => (
              <option key={id} value={name}>
                {name}, {baseUrl}
              </option>
            ))}
          </SelectField>
        )}
        {draft.endpoint !== undefined && (
          <>
            <JsonTextField
              label="Body of the request"
              hint="Any JSON. {{input}} and paths such as {{input.question}} are replaced."
              rows={3}
              value={draft.body}
              onChange={(body) => onChange({ body })}
            />
            <TextField
              label="Output in the response"
              isOptional
              placeholder="/answer"
              hint="A JSON Pointer. Without it, the whole response is the output."
              spellCheck={false}
              value={draft.output}
              onChange={({ target }) => onChange({ output: target.value })}
              className="font-mono"
            />
          </>
        )}
      </div>
      <TextField
        label="Your code"
        isOptional
        placeholder="support-agent"
        hint="The name of a queue. Your program fetches its calls, also from behind a firewall."
        error={errorIn(problem, 'queue')}
        value={draft.queue}
        onChange={({ target }) => onChange({ queue: target.value })}
      />
    </div>
  )
}
