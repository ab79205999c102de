import { useState } from 'react'
import { type BarRating, RatingBar } from '../pages/annotate/rating-bar.tsx'
import { KitSection, Specimen } from './kit-section.tsx'

const RATINGS: BarRating[] = [
  { value: 'wrong', label: 'Wrong', color: 'red', key: '1' },
  { value: 'partly', label: 'Partly', color: 'gold', key: '2' },
  { value: 'mostly', label: 'Mostly', color: 'teal', key: '3' },
  { value: 'right', label: null, color: 'green', key: '4' },
  { value: 'off-topic', label: 'The question does not belong to this assistant', color: null, key: null },
]

export function RatingKit() {
  const [rating, setRating] = useState('mostly')
  return (
    <KitSection title="Ratings">
      <Specimen name="Rating bar">
        <div className="w-full max-w-170">
          <RatingBar ratings={RATINGS} value={rating} onRate={setRating} />
        </div>
      </Specimen>
      <Specimen name="Rating bar, disabled">
        <div className="w-full max-w-170">
          <RatingBar
            ratings={RATINGS.slice(0, 2)}
            value={null}
            onRate={setRating}
            disabledReason="Rating traces requires the role annotator; yours is viewer."
          />
        </div>
      </Specimen>
    </KitSection>
  )
}
