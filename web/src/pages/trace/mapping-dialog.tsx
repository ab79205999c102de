import { useInfiniteQuery } from '@tanstack/react-query'
import { mappingQuery, type TraceKey } from '../../api/traces-query.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { PagedList } from '../shell/paged-list.tsx'

const outcomes = {
  used: 'used',
  outranked: 'not used: another attribute has precedence',
  kept: 'kept as metadata',
  linked: 'used to link the trace',
}

/** Which attribute became which field, and which were not understood. */
export function MappingDialog({ trace, onClose }: { trace: TraceKey; onClose: () => void }) {
  const entries = useInfiniteQuery(mappingQuery(trace))
  return (
    <Dialog title="How the attributes were understood" isOpen onClose={onClose} size="wide">
      <PagedList query={entries} empty={<p className="text-soft">The spans have no attributes.</p>}>
        {(rows) => (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region needs a tab stop (WCAG 2.1.1)
          <div tabIndex={0} className="max-h-[60dvh] overflow-auto">
            <table className="w-full text-left text-data">
              <thead className="text-meta text-faint">
                <tr>
                  <th className="py-1 pr-4 font-medium">Attribute</th>
                  <th className="py-1 pr-4 font-medium">Value</th>
                  <th className="py-1 pr-4 font-medium">Became</th>
                  <th className="py-1 font-medium">By</th>
                </tr>
              </thead>
              <tbody>
                {rows.map((entry, index) => (
                  // An attribute may occur in several sources of one span.
                  // biome-ignore lint/suspicious/noArrayIndexKey: the list is only ever extended
                  <tr key={index} className="border-t border-line align-top">
                    <td className="py-1 pr-4 font-mono text-code break-all">{entry.key}</td>
                    <td className="max-w-80 truncate py-1 pr-4 font-mono text-code">{JSON.stringify(entry.value)}</td>
                    <td className="py-1 pr-4">{entry.field ?? outcomes[entry.outcome]}</td>
                    <td className="py-1 text-soft">{entry.note ?? entry.convention ?? ''}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )}
      </PagedList>
    </Dialog>
  )
}
