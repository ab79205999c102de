import { TextBlock } from './text-block.tsx'

/** A text of a case with its title: "Question", "Expected", "Answer". */
export function TitledText({ title, text }: { title: string; text: string | null }) {
  return (
    <section className="mb-3">
      <h2 className="mb-0.5 text-meta font-medium text-faint">{title}</h2>
      {text ? <TextBlock text={text} look="rendered" /> : <p className="text-faint italic">none</p>}
    </section>
  )
}
