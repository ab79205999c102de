import { MoreHorizontal } from 'lucide-react'
import type { Endpoint } from '../../api/generated/api.ts'
import { Button } from '../../ui/button.tsx'
import { countOf } from '../../ui/format-number.ts'
import { Menu, menuItemClass } from '../../ui/menu.tsx'
import { MenuItem } from '../../ui/menu-parts.tsx'
import { describeLimits } from './describe-limits.ts'

interface EndpointCardProps {
  endpoint: Endpoint
  /** Why the user may not manage endpoints. */
  disabledReason: string | undefined
  onOpen: (dialog: 'test' | 'edit' | 'delete') => void
}

export function EndpointCard({ endpoint, disabledReason, onOpen }: EndpointCardProps) {
  const { name, baseUrl, headerNames, concurrency, requestsPerMinute, timeoutSeconds } = endpoint
  return (
    <li aria-label={name} className="rounded-card border border-line bg-surface shadow-lift">
      <div className="flex flex-wrap items-start justify-between gap-x-6 gap-y-3 px-5 pt-4 pb-3">
        <div className="min-w-0">
          <h2 className="text-reading font-semibold wrap-anywhere">{name}</h2>
          <p className="font-mono text-[0.8125rem] break-all text-soft">{baseUrl}</p>
        </div>
        <div className="flex gap-2">
          <Button
            size="small"
            disabledReason={disabledReason}
            aria-label={`Test ${name}`}
            onClick={() => onOpen('test')}
          >
            Test…
          </Button>
          <Button
            size="small"
            disabledReason={disabledReason}
            aria-label={`Edit ${name}`}
            onClick={() => onOpen('edit')}
          >
            Edit
          </Button>
          {!disabledReason && (
            <Menu
              trigger={
                <Button look="quiet" size="small" aria-label={`More for ${name}`}>
                  <MoreHorizontal aria-hidden className="size-4" />
                </Button>
              }
            >
              <MenuItem className={`${menuItemClass} text-danger`} onSelect={() => onOpen('delete')}>
                Delete endpoint…
              </MenuItem>
            </Menu>
          )}
        </div>
      </div>
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] items-baseline gap-x-6 gap-y-1.5 border-t border-line px-5 py-3 text-data">
        <dt className="text-faint">Headers</dt>
        <dd className="flex flex-wrap items-baseline gap-1.5">
          {headerNames.length === 0 && <span className="text-soft">none</span>}
          {headerNames.map((header) => (
            <code key={header} className="rounded bg-hover px-1.5 font-mono text-[0.8125rem] wrap-anywhere">
              {header}
            </code>
          ))}
        </dd>
        <dt className="text-faint">Limits</dt>
        <dd className="text-soft tabular-nums">
          {describeLimits(concurrency, requestsPerMinute)}, {countOf(timeoutSeconds, 'second')} for each
        </dd>
      </dl>
    </li>
  )
}
