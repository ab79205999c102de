import { type ReactNode, useId } from 'react'
import { panelProps, TabList } from './tab-list.tsx'

interface Tab {
  value: string
  title: string
  count?: string | undefined
  panel: ReactNode
}

interface TabsProps {
  label: string
  value: string
  tabs: Tab[]
  onChange: (value: string) => void
}

export function Tabs({ label, value, tabs, onChange }: TabsProps) {
  const id = useId()
  return (
    <div>
      <TabList
        id={id}
        label={label}
        value={value}
        onChange={onChange}
        className="mb-6 flex gap-5 overflow-x-auto border-b border-line px-1"
        tabClass="-mb-px flex items-center gap-2 border-b-2 border-transparent py-2 text-data font-medium text-soft touch:min-h-11 touch:min-w-11 transition-colors hover:text-ink focus-visible:-outline-offset-2 aria-selected:border-gold aria-selected:text-ink"
        tabs={tabs.map((tab) => ({
          value: tab.value,
          title: (
            <>
              {tab.title}
              {tab.count !== undefined && (
                <span className="text-meta font-normal text-faint tabular-nums">{tab.count}</span>
              )}
            </>
          ),
        }))}
      />
      {tabs.map((tab) => (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the next stop after the tabs, also in a panel without links
        <div key={tab.value} {...panelProps(id, tab.value, value)} tabIndex={0} className="rounded-card">
          {tab.value === value && tab.panel}
        </div>
      ))}
    </div>
  )
}
