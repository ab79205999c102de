import { Upload } from 'lucide-react'
import { type DragEvent, useRef, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'
import { TextAreaField } from '../../ui/text-area-field.tsx'

interface FileStepProps {
  /** What is wrong with the file that was chosen last. */
  problem: string | undefined
  isReading: boolean
  onFile: (file: Blob, name: string) => void
}

const accepted = '.csv,.tsv,.txt,.json,.jsonl,.ndjson,text/csv,text/tab-separated-values,application/json'

export function FileStep({ problem, isReading, onFile }: FileStepProps) {
  const input = useRef<HTMLInputElement>(null)
  const [isOver, setIsOver] = useState(false)
  const [pasted, setPasted] = useState<string>()
  const choose = (files: FileList | null) => {
    const file = files?.[0]
    if (file) onFile(file, file.name)
    // The same file can be chosen again after it was changed.
    if (input.current) input.current.value = ''
  }
  const drop = (event: DragEvent) => {
    event.preventDefault()
    setIsOver(false)
    choose(event.dataTransfer.files)
  }
  return (
    <div className="flex flex-col gap-4 p-5 max-sm:p-4">
      {/* biome-ignore lint/a11y/noStaticElementInteractions: dropping is a shortcut for the button inside */}
      <div
        onDragOver={(event) => {
          event.preventDefault()
          setIsOver(true)
        }}
        onDragLeave={() => setIsOver(false)}
        onDrop={drop}
        className={`flex flex-col items-center gap-3 rounded-card border border-dashed px-6 py-10 text-center ${isOver ? 'border-gold-ink bg-gold-wash' : 'border-edge/60'}`}
      >
        <Upload aria-hidden className="size-6 text-faint" />
        <p>
          <span className="max-sm:hidden">Drop a file here, or choose one. </span>
          CSV, TSV, JSON lines or a JSON array, up to 20 MB and 100,000 rows.
        </p>
        <div className="flex flex-wrap justify-center gap-2">
          <Button look="primary" isBusy={isReading} onClick={() => input.current?.click()}>
            Choose a file
          </Button>
          {pasted === undefined && <Button onClick={() => setPasted('')}>Paste text</Button>}
        </div>
        <input
          ref={input}
          type="file"
          accept={accepted}
          aria-label="File to import"
          onChange={(event) => choose(event.target.files)}
          className="sr-only"
          tabIndex={-1}
        />
      </div>
      {problem && (
        <div role="alert">
          <Notice tone="danger">{problem}</Notice>
        </div>
      )}
      {pasted !== undefined && (
        <div className="flex flex-col items-start gap-2">
          <div className="w-full">
            <TextAreaField
              label="Text"
              hint="With a header line for CSV, or one JSON object per line, or a JSON array."
              rows={8}
              spellCheck={false}
              value={pasted}
              onChange={(event) => setPasted(event.target.value)}
            />
          </div>
          <Button
            disabledReason={pasted.trim() === '' ? 'Paste the rows first.' : undefined}
            onClick={() => onFile(new Blob([pasted]), 'Pasted text')}
          >
            Use this text
          </Button>
        </div>
      )}
      <p className="text-data text-soft">
        A row needs an input. Everything else is optional: an expected output, a split, any metadata.
      </p>
    </div>
  )
}
