import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { componentQuery } from '../../api/components-query.ts'
import { pagePaths } from '../../path-builder.ts'

/** The component whose page is open, below "Components". A narrow rail has no room for it. */
export function CurrentComponent({ applicationId }: { applicationId: string }) {
  const { componentId } = useParams({ strict: false })
  const { data: component } = useQuery({
    ...componentQuery(applicationId, componentId ?? ''),
    enabled: componentId !== undefined,
  })
  if (!component || component.id !== componentId) return null
  return (
    <Link
      to={pagePaths.component(applicationId, component.id)}
      title={component.name}
      className="relative flex min-h-8 items-center rounded-control pr-2.5 pl-9 text-data font-medium text-soft transition-colors before:absolute before:inset-y-0 before:-left-2.5 before:w-[3px] hover:bg-hover hover:text-ink aria-[current=page]:bg-hover aria-[current=page]:text-ink aria-[current=page]:before:bg-gold max-rail:hidden touch:min-h-11"
    >
      <span className="truncate">{component.name}</span>
    </Link>
  )
}
