import type { RatingScheme } from '../../api/generated/api.ts'
import { Notice } from '../../ui/notice.tsx'
import { droppedWords, type RatingDraft } from './rating-draft.ts'

/** Warns before saved words leave the scheme, also when one is only spelled differently. */
export function DroppedWords({ saved, draft }: { saved: RatingScheme; draft: RatingDraft }) {
  const words = droppedWords(saved, draft)
  return (
    <div role="status" className="empty:-mt-6">
      {words.length > 0 && (
        <Notice>
          <p className="font-medium">
            No longer in the scheme:{' '}
            {words.map((word, index) => (
              <span key={word}>
                {index > 0 && ', '}
                <bdi className="wrap-anywhere">{word}</bdi>
              </span>
            ))}
          </p>
          Ratings with {words.length === 1 ? 'this word' : 'these words'} are kept, but they count neither as good nor
          as bad and have no score.
        </Notice>
      )}
    </div>
  )
}
