import type { KeyboardEvent, ReactNode } from 'react'

interface TabListProps {
  /** Of the tabs and their panels; see `panelProps`. */
  id: string
  label: string
  tabs: { value: string; title: ReactNode }[]
  value: string
  onChange: (value: string) => void
  className: string
  tabClass: string
}

/** Tabs that choose while the arrow keys walk over them; one of them is a tab stop. */
export function TabList({ id, label, tabs, value, onChange, className, tabClass }: TabListProps) {
  const walk = (event: KeyboardEvent<HTMLElement>) => {
    const index = tabs.findIndex((tab) => tab.value === value)
    const last = tabs.length - 1
    const next = {
      ArrowLeft: index <= 0 ? last : index - 1,
      ArrowRight: index === last ? 0 : index + 1,
      Home: 0,
      End: last,
    }[event.key]
    const tab = next === undefined ? undefined : tabs[next]
    if (next === undefined || !tab) return
    event.preventDefault()
    onChange(tab.value)
    event.currentTarget.querySelectorAll<HTMLElement>('[role=tab]')[next]?.focus()
  }
  return (
    <div role="tablist" aria-label={label} className={className} onKeyDown={walk}>
      {tabs.map((tab) => (
        <button
          key={tab.value}
          id={`${id}-${tab.value}-tab`}
          type="button"
          role="tab"
          aria-selected={tab.value === value}
          aria-controls={`${id}-${tab.value}`}
          tabIndex={tab.value === value ? 0 : -1}
          onClick={() => onChange(tab.value)}
          className={tabClass}
        >
          {tab.title}
        </button>
      ))}
    </div>
  )
}

/** Only the panel of the chosen tab has content. */
export function panelProps(id: string, value: string, chosen: string) {
  return {
    id: `${id}-${value}`,
    role: 'tabpanel',
    'aria-labelledby': `${id}-${value}-tab`,
    hidden: value !== chosen,
  }
}
