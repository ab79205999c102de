import type { UseInfiniteQueryResult } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Connection } from '../../api/generated/api.ts'
import { pagePaths } from '../../path-builder.ts'
import { Notice } from '../../ui/notice.tsx'
import { numberOf } from '../../ui/schema-form/json-value.ts'
import { NumberField } from '../../ui/schema-form/number-field.tsx'
import { SelectField } from '../../ui/select-field.tsx'
import { QueryError } from '../shell/query-error.tsx'
import { type Config, textOf } from './evaluation-draft.ts'
import { FormSection } from './form-section.tsx'

interface ModelSectionProps {
  applicationId: string
  config: Config
  connections: UseInfiniteQueryResult<Connection[]>
  errorOf: (key: string) => string | undefined
  onChange: (key: string, value: unknown) => void
}

/** Which connection the judges ask, and how often. */
export function ModelSection({ applicationId, config, connections, errorOf, onChange }: ModelSectionProps) {
  const provider = textOf(config['provider'])
  const rows = connections.data ?? []
  const isListed = provider === undefined || rows.some(({ name }) => name === provider)
  const link = (
    <Link
      to={pagePaths.settings(applicationId, 'models')}
      className="underline decoration-edge underline-offset-3 hover:text-ink"
    >
      Settings, Models
    </Link>
  )
  return (
    <FormSection title="Model">
      <div className="flex flex-col gap-3">
        <QueryError query={connections} />
        {connections.data?.length === 0 && (
          <Notice title="No model is connected">
            Evaluators that ask a model need a connection, unless this server has a default model. Add one in {link}.
            Your choices on this page stay.
          </Notice>
        )}
        <div className="grid grid-cols-1 gap-3 sm:grid-cols-2">
          <SelectField
            label="Connection"
            error={errorOf('provider')}
            value={provider ?? ''}
            onChange={(event) => onChange('provider', textOf(event.target.value))}
          >
            <option value="">The default model of the server</option>
            {rows.map(({ id, name }) => (
              <option key={id} value={name}>
                {name}
              </option>
            ))}
            {!isListed && <option value={provider}>{provider}</option>}
          </SelectField>
          <NumberField
            label="Asked per case"
            placeholder="1"
            hint="More than once shows how much a judge varies; each time costs."
            error={errorOf('repetitions')}
            value={numberOf(config['repetitions'])}
            onChange={(value) => onChange('repetitions', value)}
          />
        </div>
      </div>
    </FormSection>
  )
}
