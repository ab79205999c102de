import type { UseInfiniteQueryResult } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { PromptLabel, PromptVersionRow } from '../../api/generated/api.ts'
import { Avatar } from '../../ui/avatar.tsx'
import { Badge } from '../../ui/badge.tsx'
import type { Series } from '../../ui/charts/series-mark.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { PagedList } from '../shell/paged-list.tsx'
import { LabelChip } from './label-chip.tsx'
import { VersionMark } from './version-mark.tsx'

interface VersionRailProps {
  path: string
  /** Where production is moved. */
  deployPath: string
  playgroundPath: string
  query: UseInfiniteQueryResult<PromptVersionRow[]>
  labels: PromptLabel[]
  /** The version in the middle; `draft` for what is not saved. */
  shown: number | 'draft' | undefined
  /** What it changes; undefined without a draft. */
  draftText: string | undefined
  seriesOf: (version: number) => Series | undefined
  view: 'diff' | 'json' | undefined
  nameOf: (userId: string) => string
}

/** The versions of a prompt, newest first, and the draft above them. */
export function VersionRail({
  path,
  deployPath,
  playgroundPath,
  query,
  labels,
  shown,
  draftText,
  seriesOf,
  view,
  nameOf,
}: VersionRailProps) {
  return (
    <section aria-labelledby="versions" className="min-w-0">
      <h2 id="versions" className="mb-2 text-body font-semibold">
        Versions
      </h2>
      {draftText !== undefined && (
        <Entry path={path} isShown={shown === 'draft'} search={{ view }} look="draft">
          <span className="flex items-center gap-2 text-data font-semibold">
            Draft <Badge tone="gold">not saved</Badge>
          </span>
          <span className="block text-meta text-soft">{draftText}</span>
        </Entry>
      )}
      <PagedList
        query={query}
        empty={<p className="text-data text-faint">None yet. Save the draft as the first one.</p>}
      >
        {(versions) => (
          <ol className="divide-y divide-line border-y border-line">
            {versions.map((version) => (
              <li key={version.number}>
                <Entry
                  path={path}
                  isShown={shown === version.number}
                  search={{ version: version.number, view }}
                  look="saved"
                >
                  <span className="flex flex-wrap items-center gap-1.5 text-data font-semibold">
                    <VersionMark version={version.number} series={seriesOf(version.number)} />
                    <span className="ml-auto flex flex-wrap gap-1">
                      <Chips labels={labels} number={version.number} />
                    </span>
                  </span>
                  {version.note && (
                    <span className="line-clamp-2 text-data wrap-anywhere text-pretty">{version.note}</span>
                  )}
                  <span className="mt-0.5 flex items-center gap-1.5 text-meta text-soft">
                    <Avatar name={nameOf(version.createdBy)} />
                    <span className="min-w-0 truncate">{nameOf(version.createdBy)}</span>·
                    <RelativeTime time={version.createdAt} />
                  </span>
                </Entry>
                {shown === version.number && (
                  <div className="flex flex-wrap items-center gap-x-4 border-l-2 border-l-gold bg-selected px-3 pb-2.5 text-data">
                    <Link to={deployPath} search={{ version: version.number }} preload={false} className={linkClass}>
                      Deploy v{version.number}
                    </Link>
                    <Link
                      to={playgroundPath}
                      search={{ versions: String(version.number), rows: 'items', pick: 'first' }}
                      preload={false}
                      className={linkClass}
                    >
                      Try on 3 items
                    </Link>
                  </div>
                )}
              </li>
            ))}
          </ol>
        )}
      </PagedList>
    </section>
  )
}

const linkClass =
  'touch-link flex touch:min-h-11 items-center text-soft underline decoration-edge underline-offset-4 hover:text-ink'

interface EntryProps {
  path: string
  isShown: boolean
  search: { version?: number; view: 'diff' | 'json' | undefined }
  look: 'draft' | 'saved'
  children: ReactNode
}

function Entry({ path, isShown, search, look, children }: EntryProps) {
  const frame =
    look === 'draft' ? 'mb-2 rounded-control border border-dashed border-edge/60' : 'border-l-2 border-transparent'
  return (
    <Link
      to={path}
      search={search}
      resetScroll={false}
      preload={false}
      activeOptions={{ exact: true, includeSearch: true }}
      aria-current={isShown ? 'true' : undefined}
      className={`block px-3 py-2.5 hover:bg-hover ${frame} ${isShown ? 'border-l-gold! bg-selected' : ''}`}
    >
      {children}
    </Link>
  )
}

function Chips({ labels, number }: { labels: PromptLabel[]; number: number }) {
  return labels.flatMap(({ name, splits }) =>
    splits
      .filter(({ version }) => version === number)
      .map(({ weight }) => <LabelChip key={name} label={name} weight={weight} />),
  )
}
