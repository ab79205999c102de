import type { MeasureVerdicts } from '../prompts/required-verdicts.ts'

export const measureVerdicts: MeasureVerdicts = async () => []
