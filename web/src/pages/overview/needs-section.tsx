import { Link } from '@tanstack/react-router'
import { ChevronRight } from 'lucide-react'
import { useState } from 'react'
import { Button, buttonClass } from '../../ui/button.tsx'
import type { Need } from './list-needs.ts'

const SHOWN = 5

/** What needs the user, one line each; on narrow screens the whole line is the link. */
export function NeedsSection({ needs }: { needs: Need[] }) {
  const [shown, setShown] = useState(SHOWN)
  if (needs.length === 0) return null
  return (
    <section aria-label="What needs you" className="mb-8">
      <ul className="divide-y divide-line rounded-card border border-line bg-surface shadow-lift">
        {needs.slice(0, shown).map(({ key, icon: Icon, title, text, action, to, search }) => (
          <li
            key={key}
            className="relative grid grid-cols-[20px_minmax(0,1fr)_auto] items-center gap-x-3 px-4 py-2.5 md:grid-cols-[20px_minmax(10rem,16rem)_minmax(0,1fr)_auto]"
          >
            <Icon aria-hidden className="size-[18px] text-gold-ink max-md:row-span-2" />
            <b className="font-semibold break-words">{title}</b>
            <span className="text-data text-soft break-words max-md:col-start-2 max-md:row-start-2 md:line-clamp-2">
              {text}
            </span>
            <Link
              to={to}
              {...(search && { search })}
              className={`${buttonClass('secondary', 'small')} min-w-21 max-md:row-span-2 max-md:row-start-1 max-md:col-start-3 max-md:min-w-0 max-md:border-0 max-md:bg-transparent max-md:px-0 max-md:shadow-none max-md:after:absolute max-md:after:inset-0`}
            >
              <span className="max-md:sr-only">{action}</span>
              <span className="sr-only">: {title}</span>
              <ChevronRight aria-hidden className="size-4 md:hidden" />
            </Link>
          </li>
        ))}
      </ul>
      {needs.length > shown && (
        <Button look="quiet" size="small" className="mt-2" onClick={() => setShown(needs.length)}>
          Show all {needs.length}
        </Button>
      )}
    </section>
  )
}
