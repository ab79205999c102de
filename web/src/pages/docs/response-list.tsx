import { ChevronRight } from 'lucide-react'
import { Badge } from '../../ui/badge.tsx'
import { FieldList } from './field-list.tsx'
import type { ResponseRow } from './reference.ts'

/** The fields of a response are collapsed: most readers look for the request. */
export function ResponseList({ responses }: { responses: ResponseRow[] }) {
  if (responses.length === 0) return null
  return (
    <section>
      <h4 className="mb-2 text-data font-semibold">Responses</h4>
      <ul className="divide-y divide-line border-y border-line text-data">
        {responses.map((response) => (
          <li key={response.status}>
            {response.fields.length === 0 ? (
              <p className="flex items-center gap-3 py-2 pl-7">
                <ResponseTitle response={response} />
              </p>
            ) : (
              <details className="group/response">
                <summary className="flex list-none items-center gap-3 rounded-control py-2 hover:bg-hover/60 touch:min-h-11">
                  <ChevronRight
                    aria-hidden
                    className="size-4 shrink-0 text-faint transition-transform group-open/response:rotate-90"
                  />
                  <ResponseTitle response={response} />
                </summary>
                <div className="pb-4 pl-7">
                  <FieldList fields={response.fields} />
                </div>
              </details>
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}

function ResponseTitle({ response: { status, description } }: { response: ResponseRow }) {
  return (
    <>
      <Badge tone={status.startsWith('2') ? 'good' : 'neutral'}>{status}</Badge>
      <span className="text-soft">{description}</span>
    </>
  )
}
