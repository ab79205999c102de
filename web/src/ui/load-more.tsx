import { Button } from './button.tsx'

interface LoadMoreProps {
  hasMore: boolean
  isLoading: boolean
  onLoad: () => void
}

export function LoadMore({ hasMore, isLoading, onLoad }: LoadMoreProps) {
  if (!hasMore) return null
  return (
    <div className="mt-4 flex justify-center">
      <Button isBusy={isLoading} onClick={onLoad}>
        Load more
      </Button>
    </div>
  )
}
