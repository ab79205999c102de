import { useQuery } from '@tanstack/react-query'
import { type ComparedPair, comparisonItemQuery } from '../../api/comparison-query.ts'
import { type Row, rowKey, type Texts } from './row-model.ts'

/** The list has the beginnings of the texts; the rest is read for the item in view. */
export function useWholeTexts(pair: ComparedPair, row: Row | undefined): Texts | undefined {
  const { texts, itemId = null } = row ?? {}
  const isCut = texts && [texts.input, texts.expected, texts.baseline, texts.candidate].some((text) => text?.isCut)
  const { data } = useQuery({ ...comparisonItemQuery(pair, itemId ?? ''), enabled: isCut === true && itemId !== null })
  const whole = data?.data.find((other) => row && rowKey(other) === rowKey(row))
  return whole?.texts ?? texts
}
