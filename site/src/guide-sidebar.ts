/** The order of the pages, by what people do. */
import { matchesGlob } from 'node:path'
import type { GuidePage } from './guide-pages.ts'

export type PageGroup = { label: string; pages: GuidePage[] }

/** Names of pages, or patterns; pages that match the same pattern are sorted by name. */
const GROUPS: Record<string, readonly string[]> = {
  Start: ['index', 'tutorial', 'instrumentation', 'coming-from-*', 'import'],
  Improve: ['prompts', 'trials', 'experiments', 'endpoints'],
  Observe: ['traces', 'query-language', 'insights'],
  Judge: ['annotations', 'evaluations', 'evaluators', 'model-evaluators', 'comparisons', 'statistics'],
  Automate: ['cli', 'sdk-typescript', 'sdk-python', 'mcp'],
  'Run the server': [
    'operations',
    'scaling',
    'settings',
    'commands',
    'accounts',
    'connections',
    'limits',
    'security',
    'benchmarks',
    'changelog',
  ],
}

/** Fails for a page without a group: readers would not find it. */
export function groupPages(pages: readonly GuidePage[]): PageGroup[] {
  const lost = pages.filter(({ id }) => !Object.values(GROUPS).some((names) => names.some((name) => isNamed(id, name))))
  if (lost.length > 0) {
    const documents = lost.map(({ document }) => document).join(', ')
    throw new Error(`in no group of the sidebar: ${documents}; add the page to GROUPS in site/src/guide-sidebar.ts`)
  }
  return Object.entries(GROUPS).map(([label, names]) => ({
    label,
    pages: names.flatMap((name) => pages.filter(({ id }) => isNamed(id, name))),
  }))
}

/** The start page has the title of the product, which says nothing in a list. */
export function labelOf({ id, title }: GuidePage): string {
  return id === 'index' ? 'Overview' : title
}

function isNamed(id: string, name: string): boolean {
  return matchesGlob(id, name)
}
