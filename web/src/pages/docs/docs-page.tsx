import { useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi, useLocation, useNavigate } from '@tanstack/react-router'
import { SearchX } from 'lucide-react'
import { useMemo } from 'react'
import { openapiQuery } from '../../api/openapi-query.ts'
import { apiPaths, pagePaths } from '../../path-builder.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { TopBar } from '../shell/top-bar.tsx'
import { DocsNav } from './docs-nav.tsx'
import { OperationArticle } from './operation-article.tsx'
import { buildReference, searchReference } from './reference.ts'

const route = getRouteApi('/docs')

/** So many operations are shown with all their details, as after a search. */
const DETAILS_MAX = 10

/** The API reference for people, generated from the OpenAPI document. */
export function DocsPage() {
  const { data: openapi } = useSuspenseQuery(openapiQuery)
  const { q = '' } = route.useSearch()
  const navigate = useNavigate()
  const reference = useMemo(() => buildReference(openapi, window.location.origin), [openapi])
  const groups = useMemo(() => searchReference(reference.groups, q), [reference, q])
  const anchor = useLocation({ select: ({ hash }) => hash })
  const count = groups.reduce((sum, group) => sum + group.operations.length, 0)
  const search = (text: string) =>
    void navigate({ to: pagePaths.docs(), search: text ? { q: text } : {}, replace: true, resetScroll: false })
  return (
    <>
      <TopBar>
        <span aria-hidden className="text-xl font-light text-edge">
          /
        </span>
        <span className="text-data font-medium">API reference</span>
      </TopBar>
      <div className="mx-auto grid max-w-6xl grid-cols-1 gap-x-12 px-4 sm:px-6 lg:grid-cols-[17rem_minmax(0,1fr)]">
        <DocsNav groups={groups} text={q} onSearch={search} />
        <main id="main" tabIndex={-1} className="min-w-0 pt-10 pb-24">
          <header className="mb-12">
            <title>API reference · Touchstone</title>
            <h1 className="font-display text-verdict font-semibold tracking-tight">{reference.title}</h1>
            <p className="mt-2 text-soft">
              Version {reference.version} ·{' '}
              <a href={apiPaths.openapi()} className="text-gold-ink underline underline-offset-4">
                openapi.json
              </a>{' '}
              ·{' '}
              <a href={pagePaths.guide()} className="text-gold-ink underline underline-offset-4">
                Guide
              </a>
            </p>
            {reference.description && <p className="mt-4 max-w-prose whitespace-pre-line">{reference.description}</p>}
          </header>
          {groups.length === 0 && (
            <EmptyState icon={SearchX} title="Nothing matches" text={`No operation mentions “${q}”.`} />
          )}
          {groups.map((group) => (
            <section key={group.name} aria-label={group.name} className="mb-16">
              <h2 className="font-display text-title font-semibold tracking-tight">{group.name}</h2>
              {group.description && <p className="mt-1 max-w-prose text-soft">{group.description}</p>}
              {group.operations.map((operation) => (
                <OperationArticle
                  key={operation.anchor}
                  operation={operation}
                  areDetailsShown={count <= DETAILS_MAX || anchor === operation.anchor}
                />
              ))}
            </section>
          ))}
        </main>
      </div>
    </>
  )
}
