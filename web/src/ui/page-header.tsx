import type { ReactNode } from 'react'

interface PageHeaderProps {
  title: string
  /** The window title goes from the page to the product; this is the part between. */
  within?: string
  /** At the right of the title, below it where there is no room. */
  beside?: ReactNode
  text?: ReactNode
  actions?: ReactNode
  /** Next to the title on narrow screens, where the actions have a row of their own. */
  menu?: ReactNode
}

export function PageHeader({ title, within, beside, text, actions, menu }: PageHeaderProps) {
  return (
    <header className="mb-6 flex flex-wrap items-start justify-between gap-4">
      <title>{[title, within, 'Touchstone'].filter(Boolean).join(' · ')}</title>
      <div className="min-w-0 flex-1 basis-60">
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <h1 className="min-w-0 font-display text-title font-semibold tracking-tight break-words">{title}</h1>
          {beside}
        </div>
        {text && <div className="mt-1 max-w-3xl text-soft text-pretty">{text}</div>}
      </div>
      {menu && <div className="shrink-0 sm:order-last">{menu}</div>}
      {/* A row of their own on narrow screens: what arrives later must not move the page down. */}
      {actions && <div className="flex max-w-full gap-2 max-sm:w-full">{actions}</div>}
    </header>
  )
}
