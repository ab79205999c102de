import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { apiKey } from '../../api/api-query.ts'
import type { PromptContent } from '../../api/generated/api.ts'
import { useLiveQuery } from '../../api/live-events.ts'
import {
  PROMPT_PAGE_NUMBERS,
  type PromptKey,
  promptLabelsQuery,
  promptLiveQuery,
  promptSummaryQuery,
  promptVersionQuery,
  promptVersionsQuery,
} from '../../api/prompts-query.ts'
import { pagePaths } from '../../path-builder.ts'
import type { Series } from '../../ui/charts/series-mark.tsx'
import { EMPTY_CONTENT } from './prompt-draft.ts'
import type { PromptSearch } from './prompt-search.ts'
import { usePromptDraft } from './use-prompt-draft.ts'

const PROMPT = '/components/{componentId}/prompts/{promptId}'

/** What the page of a prompt shows: the draft or a version, what production serves, and with which version it is compared. */
export function usePromptPage(key: PromptKey, search: PromptSearch) {
  const navigate = useNavigate()
  const versions = useInfiniteQuery(promptVersionsQuery(key))
  const labels = useQuery(promptLabelsQuery(key))
  const live = useQuery(promptLiveQuery(key))
  const summary = useQuery(promptSummaryQuery(key, PROMPT_PAGE_NUMBERS))
  useLiveQuery(key.applicationId, ['prompts'], apiKey(`${PROMPT}/versions`, key.applicationId))
  useLiveQuery(key.applicationId, ['prompts'], apiKey(`${PROMPT}/labels`, key.applicationId))
  useLiveQuery(key.applicationId, ['prompts'], apiKey(`${PROMPT}/live`, key.applicationId))
  const { draft, isKept, setDraft } = usePromptDraft(key.promptId)
  const rows = versions.data
  const newest = rows?.[0]?.number
  const isFirst = rows?.length === 0
  // The address of a version is left with the first letter of its draft, but not at once: the letters after it belong to the draft.
  const [leftVersion, setLeftVersion] = useState<number>()
  useEffect(() => {
    if (search.version === undefined) setLeftVersion(undefined)
  }, [search.version])
  const version = search.version === leftVersion ? undefined : search.version
  const isDraft = version === undefined && (draft !== undefined || isFirst)
  const number = isDraft ? (draft?.base ?? undefined) : (version ?? newest)
  const saved = useQuery({ ...promptVersionQuery(key, number ?? 0), enabled: number !== undefined })
  const content = isDraft ? (draft?.content ?? EMPTY_CONTENT) : saved.data?.content
  const shown = isDraft ? ('draft' as const) : number
  const path = pagePaths.prompt(key.applicationId, key.componentId, key.promptId)
  const change = (changes: Partial<PromptSearch>, history: 'push' | 'replace' = 'push') =>
    void navigate({ to: path, search: { ...search, ...changes }, replace: history === 'replace', resetScroll: false })
  const liveSplits = labels.data?.data.find(({ name }) => name === 'production')?.splits ?? []
  const liveNumber = liveSplits.toSorted((a, b) => b.weight - a.weight)[0]?.version
  const older = rows?.find((row) => number !== undefined && row.number < number)?.number
  // What a version is compared with: what users get now, or else the version before.
  const baseline =
    search.from ?? (isDraft ? number : liveNumber === undefined || liveNumber === number ? older : liveNumber)
  const seriesOf = (version: number): Series | undefined => {
    if (version === number && !isDraft) return 'candidate'
    return version === baseline ? 'baseline' : undefined
  }

  /** The first change of a version begins a draft of it. */
  const edit = (changed: PromptContent) => {
    const base = isDraft ? (draft?.base ?? null) : (number ?? null)
    setDraft({ base, seen: draft?.seen ?? newest ?? 0, content: changed })
    if (version === undefined) return
    setLeftVersion(version)
    change({ version: undefined, from: undefined }, 'replace')
  }
  const discard = () => {
    setDraft(undefined)
    change({ version: undefined, view: undefined, from: undefined }, 'replace')
  }
  return {
    path,
    versions,
    rows,
    labels,
    live,
    summary,
    draft,
    isKept,
    isDraft,
    number,
    newest,
    saved,
    content,
    shown,
    liveNumber,
    baseline,
    seriesOf,
    change,
    edit,
    discard,
    setDraft,
  }
}

export type PromptPageState = ReturnType<typeof usePromptPage>
