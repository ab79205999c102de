/** Chooses models from the list of a provider when none is configured. */

/** Name patterns of models that are not chat models. */
const OTHER_PURPOSE =
  /embed|rerank|whisper|tts|transcri|speech|audio|voice|realtime|image|dall-e|video|sora|moderation|guard|davinci|babbage|instruct$/i

/** Small models that judge well, the best first; names may contain a date or a vendor. */
const PREFERRED = [
  /gpt-5-mini/i,
  /gpt-4\.1-mini/i,
  /gpt-4o-mini/i,
  /gpt-5(?!-(nano|pro|codex))/i,
  /gpt-4\.1(?!-nano)/i,
  /gpt-4o/i,
  /claude.*haiku/i,
  /claude.*sonnet/i,
  /gemini.*flash/i,
]

/** The chat model and, if there is one, the embedding model; empty if there is no chat model. */
export function chooseModels(names: readonly string[]): string[] {
  const chatModels = names.filter((name) => !OTHER_PURPOSE.test(name))
  const preferred = PREFERRED.map((pattern) => chatModels.find((name) => pattern.test(name))).find((name) => name)
  const chosen = preferred ?? chatModels[0]
  if (chosen === undefined) return []
  const embeddingModel = names.find((name) => /embed/i.test(name))
  return embeddingModel === undefined ? [chosen] : [chosen, embeddingModel]
}
