import type { ProviderKind } from '../chat.ts'
import { anthropic } from './anthropic.ts'
import { gemini } from './gemini.ts'
import { openai } from './openai.ts'
import type { Provider } from './provider.ts'

export const PROVIDERS: Readonly<Record<ProviderKind, Provider>> = { openai, anthropic, gemini }
