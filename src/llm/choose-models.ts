/** Which of the models that a provider lists is asked, when nobody has chosen one. */

/** What is not for conversations, by the words that providers use in such names. */
const OTHER_PURPOSE =
  /embed|rerank|whisper|tts|transcri|speech|audio|voice|realtime|image|dall-e|video|sora|moderation|guard|davinci|babbage|instruct$/i

/** Small models that judge well, the better ones first; a name may have a date or a vendor around it. */
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

/** The model for conversations and, if there is one, the model for vectors; empty if there is none for conversations. */
export function chooseModels(names: readonly string[]): string[] {
  const talking = names.filter((name) => !OTHER_PURPOSE.test(name))
  const preferred = PREFERRED.map((pattern) => talking.find((name) => pattern.test(name))).find((name) => name)
  const chosen = preferred ?? talking[0]
  if (chosen === undefined) return []
  const forVectors = names.find((name) => /embed/i.test(name))
  return forVectors === undefined ? [chosen] : [chosen, forVectors]
}
