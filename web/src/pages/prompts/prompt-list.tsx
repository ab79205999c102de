import type { UseInfiniteQueryResult } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { SearchX } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import type { PromptSummaries, PromptSummary } from '../../api/generated/api.ts'
import type { ComponentKey } from '../../api/prompts-query.ts'
import { pagePaths } from '../../path-builder.ts'
import { useShortcut } from '../../shortcuts/shortcut-store.ts'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { LoadMore } from '../../ui/load-more.tsx'
import { QueryError } from '../shell/query-error.tsx'
import { matchesPrompt } from './match-prompt.ts'
import { PromptFilters } from './prompt-filters.tsx'
import { PromptTable } from './prompt-table.tsx'
import type { PromptsSearch } from './prompts-search.ts'
import { UnknownPrompts } from './unknown-prompts.tsx'

interface PromptListProps {
  component: ComponentKey
  query: UseInfiniteQueryResult<{ prompts: PromptSummary[]; first: PromptSummaries | undefined }>
  search: PromptsSearch
  activeId: string | undefined
  onActive: (promptId: string) => void
  onChange: (changes: Partial<PromptsSearch>, history?: 'push' | 'replace') => void
}

/** One line for each prompt, with the versions that were served below it. */
export function PromptList({ component, query, search, activeId, onActive, onChange }: PromptListProps) {
  const { data, hasNextPage, isFetching, fetchNextPage } = query
  const { prompts = [], first } = data ?? {}
  // The first one is open, so that a newcomer sees what is in there.
  const [toggled, setToggled] = useState<ReadonlySet<string>>(new Set())
  const isOpen = (id: string) => toggled.has(id) !== (id === prompts[0]?.id)
  const toggle = (id: string) =>
    setToggled(new Set(toggled.has(id) ? [...toggled].filter((other) => other !== id) : [...toggled, id]))
  const list = useRef<HTMLDivElement>(null)
  const shown = prompts.filter((prompt) => matchesPrompt(prompt, search))
  const isFiltered = search.q !== undefined || search.label !== undefined
  // What is looked for may be on a page that is not loaded.
  useEffect(() => {
    if (isFiltered && hasNextPage && !isFetching) void fetchNextPage()
  }, [isFiltered, hasNextPage, isFetching, fetchNextPage])
  const step = (by: 1 | -1) => () => {
    const index = shown.findIndex(({ id }) => id === activeId)
    const next = shown[index === -1 ? 0 : index + by]
    list.current?.querySelector<HTMLElement>(`[data-prompt="${next?.id}"]`)?.focus()
  }
  const active = shown.find(({ id }) => id === activeId)
  useShortcut('nextPrompt', step(1))
  useShortcut('previousPrompt', step(-1))
  useShortcut('openVersions', active && !isOpen(active.id) ? () => toggle(active.id) : undefined)
  useShortcut('closeVersions', active && isOpen(active.id) ? () => toggle(active.id) : undefined)
  if (!first) return null
  return (
    <div ref={list} className="flex flex-col gap-4">
      <PromptFilters prompts={prompts} first={first} search={search} onChange={onChange} />
      {shown.length > 0 && (
        <PromptTable
          component={component}
          prompts={shown}
          summaries={first}
          isOpen={isOpen}
          onToggle={toggle}
          onActive={onActive}
        />
      )}
      {shown.length === 0 && (
        <EmptyState
          icon={SearchX}
          title={search.q === undefined ? 'No prompt has this label' : `No prompt is like “${search.q}”`}
          text="The search looks at names, descriptions, labels and notes."
          action={<Button onClick={() => onChange({ q: undefined, label: undefined })}>Show all prompts</Button>}
        />
      )}
      <QueryError query={{ ...query, refetch: query.isFetchNextPageError ? query.fetchNextPage : query.refetch }} />
      <LoadMore hasMore={hasNextPage} isLoading={query.isFetchingNextPage} onLoad={() => void fetchNextPage()} />
      <UnknownPrompts prompts={first.unknownPrompts} />
      <p className="max-w-3xl text-meta text-faint text-pretty">
        Intervals are 95 %; cost is a mean of a trace. Not every trace has a rating or a score. Versions that were live
        at other times had other questions, so their rates are no comparison:{' '}
        <Link
          to={pagePaths.newTrial(component.applicationId, component.componentId)}
          className="underline underline-offset-4 hover:text-ink"
        >
          start a trial
        </Link>{' '}
        for one.
      </p>
    </div>
  )
}
